// SPDX-License-Identifier: Apache-2.0
// Mistakes inside units that add groups exactly: without one the unit is the model, and with one it is not.
#include "conformance/suites/matmul/group_faults.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/tables/permit.hpp"

using namespace mxcert;
using namespace mxcert::suites;

namespace {

Matmul matmul_by(const Accumulator& accumulator, const Format& a, const Format& b) {
    const std::string result(accumulator.result->name);
    const std::vector<std::pair<std::string, std::string>> attributes{{"a", std::string(a.name)},
                                                                      {"b", std::string(b.name)},
                                                                      {"scale", "none"},
                                                                      {"block_a", "none"},
                                                                      {"block_b", "none"},
                                                                      {"transpose", "nn"},
                                                                      {"c", result},
                                                                      {"output", result},
                                                                      {"accumulator", std::string(accumulator.name)},
                                                                      {"order", "given"}};
    return as_matmul(make_operation("matmul", attributes));
}

/// Calls with some cases of each kind.
void some_cases(const Matmul& matmul, const TakeMatmulCase& take) {
    constexpr std::size_t of_a_kind = 200;
    std::size_t left = 0;
    const TakeMatmulCase take_some = [&](const MatmulCase& one) { return take(one) && --left != 0; };
    left = of_a_kind;
    for_each_special_case(matmul, take_some);
    left = of_a_kind;
    for_each_value_case(matmul, 4, 1, take_some);
}

} // namespace

TEST_CASE("a unit without a mistake is the accumulator", "[matmul][values]") {
    std::set<std::string_view> looked_at;
    for (const Accumulator& accumulator : accumulators()) {
        if (accumulator.operands.empty()) continue;
        const Format& a = *accumulator.operands.front();
        const Format& b = *accumulator.operands.back();
        if (!takes(accumulator, dot_format(accumulator, a, b)) || is_exact(accumulator)) continue;
        const Matmul matmul = matmul_by(accumulator, a, b);
        if (group_faults(matmul).empty()) continue;
        CAPTURE(accumulator.name);
        looked_at.insert(accumulator.name);
        MatmulJudge judge(matmul);
        some_cases(matmul, [&](const MatmulCase& one) {
            const auto d = product_of({}, matmul, one);
            const auto permitted = judge.permits(one);
            REQUIRE(d.size() == permitted.size());
            CAPTURE(one.name);
            for (std::size_t at = 0; at < d.size(); ++at) {
                REQUIRE(d[at]);
                REQUIRE(judge.allows(permitted[at], *d[at]));
            }
            return true;
        });
    }
    CHECK(looked_at == std::set<std::string_view>{"arm_fdot_f32", "arm_fdot_f16", "arm_fmmla_f32", "arm_fmmla_f16",
                                                  "cdna4_f8f6f4", "fp32_fma", "fp16_fma"});
}

TEST_CASE("every mistake but those beyond the range changes some sum, and has a name of its own", "[matmul][values]") {
    const Matmul matmul = matmul_by(accumulator("arm_fdot_f32"), formats::e4m3, formats::e4m3);
    std::vector<MatmulCase> cases;
    std::vector<std::vector<std::optional<Code>>> right;
    some_cases(matmul, [&](const MatmulCase& one) {
        cases.push_back(one);
        right.push_back(product_of({}, matmul, one));
        return true;
    });
    std::map<GroupMistake, std::set<int>> shown;
    std::set<std::string> names;
    for (const GroupFault& fault : group_faults(matmul)) {
        CHECK(names.insert(name_of(fault)).second);
        CHECK(find_bug_class(bug_class_of(fault)) != nullptr);
        for (std::size_t number = 0; number < cases.size(); ++number) {
            const auto d = product_of(fault, matmul, cases[number]);
            bool differs = false;
            for (std::size_t at = 0; at < d.size(); ++at)
                differs = differs || (d[at] && !same(formats::fp32, *d[at], *right[number][at]));
            if (!differs) continue;
            shown[fault.mistake].insert(fault.place);
            break;
        }
    }
    for (const auto& [mistake, least] : std::map<GroupMistake, std::size_t>{{GroupMistake::sticky_bit, 7},
                                                                            {GroupMistake::sticky_below, 7},
                                                                            {GroupMistake::sticky_above, 6},
                                                                            {GroupMistake::c_cut, 60},
                                                                            {GroupMistake::product_width, 7},
                                                                            {GroupMistake::sum_width, 30},
                                                                            {GroupMistake::large_c, 60},
                                                                            {GroupMistake::subnormal_exponent, 2},
                                                                            {GroupMistake::nan_as_number, 3},
                                                                            {GroupMistake::sign_of_a, 4},
                                                                            {GroupMistake::sign_of_b, 4},
                                                                            {GroupMistake::zero_of_c, 1},
                                                                            {GroupMistake::stale_c, 1}}) {
        CAPTURE(static_cast<int>(mistake));
        CHECK(shown[mistake].size() >= least);
    }
    CHECK(name_of({GroupMistake::c_cut, -48}, -46) == "c without its bits below 2^(-48 to -46)");
}

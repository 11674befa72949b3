// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/stochastic/distribution.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/fake_subject.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/convert.hpp"
#include "reference/profile/profile.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;

namespace {

using Rounds = std::function<Code(Code value, std::uint32_t random)>;

/// Rounds value by value as it is told, with random words of its own.
class Rounder final : public test::BareSubject {
  public:
    explicit Rounder(Rounds rounds) : rounds_(std::move(rounds)) {}
    [[nodiscard]] frames::RunAnswer run(const Operation& /*operation*/, const frames::RunCase& run_case) override {
        if (++runs_ == fails_at) return {Status::error, "signal 11 (SIGSEGV)", {}, {}};
        frames::RunAnswer answer;
        answer.outputs = run_case.outputs;
        for (std::uint64_t i = 0; i < run_case.inputs[0].count(); ++i)
            answer.outputs[0].set(i, rounds_(run_case.inputs[0].get(i), static_cast<std::uint32_t>(random_() >> 32)));
        return answer;
    }

    std::uint64_t fails_at = 0; ///< which run ends badly; 0 for none

  private:
    Rounds rounds_;
    SplitMix64 random_{7};
    std::uint64_t runs_ = 0;
};

Operation with_law(const std::string& law) {
    const std::vector<std::pair<std::string, std::string>> attributes{
        {"source", "bf16"}, {"target", "e4m3"}, {"law", law}, {"overflow", "sat"}};
    return make_operation("stochastic", attributes);
}

Code rounded(Code value, std::uint32_t random, unsigned bits) {
    Choices choices;
    choices.rounding = Rounding::stochastic_a;
    return fast::convert(formats::bf16, formats::e4m3, choices, value, random >> (32 - bits), bits);
}

verdict::Row row_of(Rounder& rounder, const std::string& law) {
    verdict::CertifyOptions options;
    options.stochastic.bias = exact::Rational(1, 4);
    options.stochastic.lanes = 1'025;
    verdict::GoldenSource golden;
    const std::vector<verdict::Row> rows =
        certify_operation(rounder, with_law(law), {&find_profile("ocp")}, golden, options);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == "stochastic-bf16-e4m3-" + law + "-sat/distribution");
    CHECK(rows[0].profile == "ocp");
    return rows[0];
}

} // namespace

TEST_CASE("random bits of its own: a right implementation passes", "[stochastic]") {
    for (const std::string law : {"any", "stochastic_a8"}) {
        Rounder right([](Code value, std::uint32_t random) { return rounded(value, random, 8); });
        const verdict::Row row = row_of(right, law);
        INFO(row.reason);
        CHECK(row.status == Status::pass);
        CHECK(row.sample);
        CHECK(row.compared > 200'000);
        CHECK(row.differing == 0);
    }
}

TEST_CASE("random bits of its own: what is wrong fails and is named", "[stochastic][values]") {
    const auto failed = [](const Rounds& rounds, const std::string& law, const std::string& name) {
        Rounder wrong(rounds);
        const verdict::Row row = row_of(wrong, law);
        CHECK(row.status == Status::fail);
        REQUIRE(verdict::wrong_of(row).size() == 1);
        CHECK_THAT(verdict::wrong_of(row).front(), Contains(name));
    };
    failed([](Code value, std::uint32_t) { return rounded(value, 0, 8); }, "any", "deterministic");
    failed([](Code value, std::uint32_t) { return rounded(value, 0, 8) ^ 0x55; }, "any", "fixed_changed");
    // Two bits where eight are promised: the law that is named is held to exactly, any law has a tolerance.
    failed([](Code value, std::uint32_t random) { return rounded(value, random, 1); }, "stochastic_a8", "few_bits");
}

TEST_CASE("random bits of its own: a worker that ends is an error, and no stop a pass", "[stochastic]") {
    Rounder ends([](Code value, std::uint32_t random) { return rounded(value, random, 8); });
    ends.fails_at = 3;
    const verdict::Row row = row_of(ends, "any");
    CHECK(row.status == Status::error);
    CHECK_THAT(row.reason, Contains("SIGSEGV"));
}

TEST_CASE("random bits of its own: an index that begins again is caught in a large call",
          "[stochastic][planted][values]") {
    verdict::CertifyOptions options;
    options.level = Level::quick;
    options.stochastic.bias = exact::Rational(1, 4);
    options.stochastic.lanes = 1'025;
    for (const auto& [fault, status] : {std::pair{"", Status::pass}, {"an index of 20 bits", Status::fail}}) {
        const auto subject = test::open_plugin(MXCERT_TEST_ROUNDER, fault);
        const Operation& operation = subject->info().operations.front();
        const verdict::Row row = certify_distribution(*subject, operation, options);
        CAPTURE(fault, row.reason);
        CHECK(row.status == status);
        CHECK(verdict::cases_of(row)->largest_matrix == (std::uint64_t{1} << 20U) + 3);
        if (status == Status::fail) CHECK_THAT(row.reason, Contains("3 values of 1,048,579 values differ from those"));
    }
}

TEST_CASE("random bits of its own: what a lane must give moves on from round to round", "[stochastic]") {
    const stochastic::Plan plan =
        stochastic::plan(parse_conversion("fp32-e4m3-stochastic_a8-sat"), stochastic::Parameters());
    const std::vector<Code> first = stochastic::values_of(plan, 0);
    const std::vector<Code> second = stochastic::values_of(plan, plan.inputs.size() + 1);
    CHECK(second[0] == first[1]);
    CHECK(second[plan.fixed.size() - 1] == first[0]);
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/matmul_cases.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suites/matmul/cases.hpp"
#include "conformance/suites/matmul/judge.hpp"

namespace mxcert {
namespace {

constexpr double allowed_part = 0.5;
constexpr unsigned samples = 4; // as many as a run takes by default
constexpr std::uint64_t seed = 1;

Operation product(const std::string& scale, const std::string& blocks_a, const std::string& blocks_b,
                  const std::string& order) {
    const std::vector<std::pair<std::string, std::string>> attributes{
        {"a", "e4m3"},       {"b", "e4m3"}, {"scale", scale},   {"block_a", blocks_a},       {"block_b", blocks_b},
        {"transpose", "nn"}, {"c", "fp32"}, {"output", "fp32"}, {"accumulator", "fp32_fma"}, {"order", order}};
    return make_operation("matmul", attributes);
}

void for_each_case(const Matmul& matmul, const suites::TakeMatmulCase& take) {
    suites::for_each_place_case(matmul, take);
    suites::for_each_special_case(matmul, take);
    suites::for_each_value_case(matmul, samples, seed, take);
}

/// Seconds, and how many elements of D were taken.
template <class Take> std::pair<double, std::uint64_t> time_of(const Matmul& matmul, const Take& take) {
    std::uint64_t elements = 0;
    const auto begin = std::chrono::steady_clock::now();
    for_each_case(matmul, [&](const suites::MatmulCase& matmul_case) {
        elements += take(matmul_case);
        return true;
    });
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), elements};
}

bool compare(const Operation& operation) {
    const Matmul matmul = as_matmul(operation);
    const auto [making, case_count] = time_of(
        matmul, [](const suites::MatmulCase& matmul_case) { return matmul_case.shape.m * matmul_case.shape.n; });
    suites::MatmulJudge judge(matmul);
    const auto [both, judged] = time_of(matmul, [&](const suites::MatmulCase& matmul_case) {
        std::uint64_t count = 0;
        for (std::size_t row = 0; row < matmul_case.shape.m; ++row)
            for (std::size_t column = 0; column < matmul_case.shape.n; ++column)
                count += judge.permit(matmul_case, row, column).judged ? 1 : 0;
        return count;
    });
    const double part = making / both;
    const bool met = part <= allowed_part;
    std::printf("%s: %llu elements, cases made in %.0f ms, made and judged in %.0f ms (%llu judged), part %.4f, "
                "required <= %g: "
                "%s\n",
                to_string(operation).c_str(), static_cast<unsigned long long>(case_count), making * 1e3, both * 1e3,
                static_cast<unsigned long long>(judged), part, allowed_part, met ? "MET" : "NOT MET");
    return met;
}

} // namespace

bool compare_matmul_cases() {
    const bool same = compare(product("none", "none", "none", "given"));
    return compare(product("e8m0", "1x32", "32x1", "any")) && same;
}

} // namespace mxcert

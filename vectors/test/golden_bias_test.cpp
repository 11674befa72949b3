// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/golden_bias.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/tables/csv.hpp"

using namespace mxcert;

namespace {

std::filesystem::path file_of(const BiasInstruction& instruction) {
    return std::string(MXCERT_TEST_SOURCE "/vectors/given_bits/avx10_") + std::string(instruction.name) + ".csv";
}

Code code_of(const BiasInstruction& instruction, Rounding rounding, Code value, std::uint32_t bias, unsigned bits) {
    Choices choices;
    choices.rounding = rounding;
    choices.overflow = instruction.overflow;
    choices.nan = NanRule::sign;
    return fast::convert(formats::fp16, *instruction.to, choices, value, bias, bits);
}

} // namespace

TEST_CASE("the committed runs of AVX10.2's bias instructions are what the models give", "[bias]") {
    for (const BiasInstruction& instruction : bias_instructions()) {
        CAPTURE(instruction.name);
        CHECK(csv::read_text(file_of(instruction)) == write_bias(golden_bias(instruction), *instruction.to));
    }
}

// How the files come about: vectors_test "[write_bias]".
TEST_CASE("the runs of AVX10.2's bias instructions are written", "[.][write_bias]") {
    for (const BiasInstruction& instruction : bias_instructions()) {
        std::ofstream file(file_of(instruction), std::ios::binary);
        REQUIRE((file << write_bias(golden_bias(instruction), *instruction.to)).flush().good());
    }
}

TEST_CASE("the runs of AVX10.2's bias instructions show every wrong bit of the bias", "[bias]") {
    for (const BiasInstruction& instruction : bias_instructions()) {
        CAPTURE(instruction.name);
        const std::vector<BiasRun> runs = golden_bias(instruction);
        const auto shows = [&](const auto& wrong) {
            return std::any_of(runs.begin(), runs.end(), [&](const BiasRun& run) { return wrong(run) != run.code; });
        };
        const auto with = [&](std::uint32_t clear, std::uint32_t set) {
            return shows([&, clear, set](const BiasRun& run) {
                return code_of(instruction, Rounding::stochastic_a, run.value, (run.bias & ~clear) | set, 8);
            });
        };
        CHECK_FALSE(with(0, 0));
        for (unsigned bit = 0; bit < 8; ++bit) {
            CAPTURE(bit);
            CHECK(with(1U << bit, 0));
            CHECK(with(0, 1U << bit));
        }
        CHECK(shows([&](const BiasRun& run) { return code_of(instruction, Rounding::nearest_even, run.value, 0, 0); }));
        CHECK(shows([&](const BiasRun& run) { return code_of(instruction, Rounding::toward_zero, run.value, 0, 0); }));
        // From FP16 E5M2 drops as many bits as the bias has: nothing is left for a half to be added to.
        const bool rounds_the_rest = shows(
            [&](const BiasRun& run) { return code_of(instruction, Rounding::stochastic_b, run.value, run.bias, 8); });
        CHECK(rounds_the_rest == (instruction.to == &formats::e4m3));
        const bool reads_seven_bits = shows([&](const BiasRun& run) {
            return code_of(instruction, Rounding::stochastic_a, run.value, run.bias >> 1U, 7);
        });
        CHECK(reads_seven_bits);
    }
}

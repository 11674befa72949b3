// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/golden_lanes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/cases/golden_bias.hpp"
#include "vectors/tables/csv.hpp"

using namespace mxcert;

namespace {

const std::filesystem::path given_bits = MXCERT_TEST_SOURCE "/vectors/given_bits";

constexpr Rounding lanes[] = {Rounding::ptx_rs_a, Rounding::ptx_rs_b, Rounding::ptx_rs_e, Rounding::ptx_rs_f};

Code code_of(const LanesRun& run, std::size_t lane, const Format& to, Rounding rounding, std::uint32_t word,
             unsigned bits) {
    Choices choices;
    choices.rounding = rounding;
    return fast::convert(formats::fp32, to, choices, run.values[lane], word, bits);
}

Code packed_code(const LanesRun& run, std::size_t lane, const Format& to) {
    return run.packed >> (to.width() * static_cast<int>(3 - lane)) & to.last_code();
}

} // namespace

TEST_CASE("the committed runs of cvt.rs are what the models give", "[lanes]") {
    std::set<std::string> files;
    for (const Format* to : lanes_targets()) {
        const std::string file = lanes_file(*to);
        CAPTURE(file);
        files.insert(file);
        const std::vector<LanesRun> golden = golden_lanes(*to);
        CHECK(csv::read_text(given_bits / file) == write_lanes(golden, *to));
        CHECK(parse_lanes(write_lanes(golden, *to), file, *to) == golden);
    }
    for (const BiasInstruction& instruction : bias_instructions())
        files.insert("avx10_" + std::string(instruction.name) + ".csv");
    std::set<std::string> there;
    for (const auto& entry : std::filesystem::directory_iterator(given_bits))
        there.insert(entry.path().filename().string());
    CHECK(there == files);
}

// How the files come about: vectors_test "[write_lanes]".
TEST_CASE("the runs of cvt.rs are written", "[.][write_lanes]") {
    std::filesystem::create_directories(given_bits);
    for (const Format* to : lanes_targets()) {
        std::ofstream file(given_bits / lanes_file(*to), std::ios::binary);
        REQUIRE((file << write_lanes(golden_lanes(*to), *to)).flush().good());
    }
}

TEST_CASE("the runs of cvt.rs show every wrong bit of every value", "[lanes]") {
    for (const Format* to : lanes_targets()) {
        const std::vector<LanesRun> runs = golden_lanes(*to);
        for (std::size_t lane = 0; lane < 4; ++lane) {
            CAPTURE(to->name, lane);
            const auto shows = [&](const auto& wrong) {
                return std::any_of(runs.begin(), runs.end(),
                                   [&](const LanesRun& run) { return wrong(run) != packed_code(run, lane, *to); });
            };
            CHECK_FALSE(shows([&](const LanesRun& run) { return code_of(run, lane, *to, lanes[lane], run.word, 32); }));
            for (std::size_t other = 0; other < 4; ++other)
                if (other != lane)
                    CHECK(shows(
                        [&](const LanesRun& run) { return code_of(run, lane, *to, lanes[other], run.word, 32); }));
            // A wire that is stuck: those of bits that the value does not take show nothing.
            unsigned taken = 0;
            for (unsigned bit = 0; bit < 32; ++bit) {
                const auto with = [&](std::uint32_t clear, std::uint32_t set) {
                    return shows([&, clear, set](const LanesRun& run) {
                        return code_of(run, lane, *to, lanes[lane], (run.word & ~clear) | set, 32);
                    });
                };
                const std::uint32_t wire = 1U << bit;
                const bool stuck_at_0 = with(wire, 0);
                CHECK(stuck_at_0 == with(0, wire));
                taken += stuck_at_0 ? 1 : 0;
            }
            CHECK(taken == 16);
            CHECK(shows([&](const LanesRun& run) { return code_of(run, lane, *to, Rounding::nearest_even, 0, 0); }));
            CHECK(shows([&](const LanesRun& run) { return code_of(run, lane, *to, Rounding::toward_zero, 0, 0); }));
        }
    }
}

TEST_CASE("a wrong row of runs of cvt.rs is refused with its place", "[lanes]") {
    const auto refused = [](std::string_view text) {
        CHECK_THROWS_AS(parse_lanes(text, "t", formats::e2m1), csv::Error);
    };
    refused("");
    refused("a,b,e,f,rbits\n");
    refused("a,b,e,f,rbits,d\n3F800000,3F800000,3F800000,3F800000,00000000,22222222\n");
    refused("a,b,e,f,rbits,d\n3F800000,3F800000,3F800000,3F800000,00000000\n");
    refused("a,b,e,f,rbits,d\n3f800000,3F800000,3F800000,3F800000,00000000,2222\n");
    CHECK(parse_lanes("a,b,e,f,rbits,d\n3F800000,3F800000,3F800000,3F800000,00000000,2222\n", "t", formats::e2m1)
              .front()
              .packed == 0x2222);
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/run_length.hpp"

#include <cstring>

#include "catch.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::inputs;

namespace {

/// The plain way to encode, to compare with.
template <class Word> std::vector<Step> plain(const std::vector<Word>& values, Code first) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!steps.empty() && steps.back().code == values[i])
            ++steps.back().last;
        else
            steps.push_back({first + i, first + i, values[i]});
    }
    return steps;
}

/// Runs of seeded lengths, from a few values to far more than a vector block, at every alignment.
template <class Word> void check_width(std::uint64_t seed) {
    SplitMix64 random(seed);
    for (int round = 0; round < 300; ++round) {
        std::vector<Word> values;
        const std::uint64_t runs = 1 + random.below(12);
        const std::uint64_t longest = round % 3 == 0 ? 4 : round % 3 == 1 ? 100 : 3000;
        for (std::uint64_t run = 0; run < runs; ++run) {
            // Neighbouring runs differ in one bit or not at all.
            const auto value = static_cast<Word>(Word{0x5A} ^ (Word{1} << random.below(8 * sizeof(Word))));
            values.insert(values.end(), 1 + random.below(longest), value);
        }
        const std::size_t shift = sizeof(Word) * random.below(9);
        std::vector<std::byte> bytes(shift + values.size() * sizeof(Word));
        std::memcpy(bytes.data() + shift, values.data(), values.size() * sizeof(Word));
        std::vector<Step> steps;
        encode_runs(std::span(bytes).subspan(shift), sizeof(Word), 1000, steps);
        REQUIRE(steps == plain(values, 1000));
    }
}

} // namespace

TEST_CASE("run lengths of every width equal those found one value at a time", "[run_length]") {
    check_width<std::uint8_t>(1);
    check_width<std::uint16_t>(2);
    check_width<std::uint32_t>(3);
    check_width<std::uint64_t>(4);
}

TEST_CASE("a single different value is found wherever it stands", "[run_length]") {
    for (std::size_t at = 0; at < 1500; ++at) {
        std::vector<std::byte> bytes(1500, std::byte{7});
        bytes[at] = std::byte{8};
        std::vector<Step> steps;
        encode_runs(bytes, 1, 0, steps);
        REQUIRE(steps.size() == (at == 0 || at == 1499 ? 2U : 3U));
        const Step& odd = steps[at == 0 ? 0 : 1];
        REQUIRE(odd == Step{at, at, 8});
    }
}

TEST_CASE("steps are joined only where they touch and agree", "[run_length]") {
    std::vector<Step> steps;
    append_step(steps, {0, 9, 1});
    append_step(steps, {10, 19, 1});
    CHECK(steps == std::vector<Step>{{0, 19, 1}});
    append_step(steps, {30, 39, 1});
    append_step(steps, {40, 49, 2});
    CHECK(steps == std::vector<Step>{{0, 19, 1}, {30, 39, 1}, {40, 49, 2}});
}

TEST_CASE("differing runs are the exact inputs on which two encodings differ", "[run_length]") {
    const std::vector<Step> a{{0, 9, 1}, {10, 19, 2}, {20, 29, 3}};
    const std::vector<Step> b{{0, 4, 1}, {5, 12, 2}, {13, 13, 7}, {14, 29, 3}};
    const auto runs = differing_runs(a, b);
    REQUIRE(runs.size() == 3);
    CHECK((runs[0].first == 5 && runs[0].last == 9 && runs[0].a == 1 && runs[0].b == 2));
    CHECK((runs[1].first == 13 && runs[1].last == 13 && runs[1].a == 2 && runs[1].b == 7));
    CHECK((runs[2].first == 14 && runs[2].last == 19 && runs[2].a == 2 && runs[2].b == 3));
    CHECK(differing_runs(a, a).empty());
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/moved_answers.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/observe/name_lanes.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "vectors/golden_store/golden_files.hpp"

using namespace mxcert;
using namespace mxcert::observe;

namespace {

constexpr std::uint64_t length = 4096;

/// Calls in which each place has the answer of the place that `from` gives.
template <class From> std::vector<MovedAnswer> moved_by(const From& from) {
    std::vector<MovedAnswer> moved;
    for (std::uint64_t place = 0; place < length; ++place) {
        const std::uint64_t source = from(place);
        if (source == place) continue;
        const auto shift = static_cast<std::int64_t>(source) - static_cast<std::int64_t>(place);
        moved.push_back({place, length, shift, source % 251});
    }
    return moved;
}

std::string named(const std::vector<MovedAnswer>& moved) {
    const auto known = name_moved(moved, length);
    return known ? std::string(known->bug_class->id) + ": " + known->how : "";
}

/// The row of a plugin with a bug of places, which is a FAIL.
verdict::Row misplaced(const std::string& fault, const char* conversion, Level level) {
    const std::string plugin = std::filesystem::path(MXCERT_TEST_QUANTIZER).parent_path() / "misplaced.so";
    const auto rows = test::certify_plugin(plugin.c_str(), fault, "ocp-sat", conversion, 4, level);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::fail);
    return rows[0];
}

} // namespace

TEST_CASE("answers in wrong places are named by the places", "[places]") {
    using Place = std::uint64_t;
    CHECK(named(moved_by([](Place p) { return p; })).empty());
    CHECK(named(moved_by([](Place p) { return p < 2 ? p : 1; })) ==
          "LANE_REPEATED: the answer of place 1 of a call in others");
    CHECK(named(moved_by([](Place p) { return p % 16 == 15 ? p - 1 : p; })) ==
          "LANE_REPEATED: the answer of lane 14 of 16 in lane 15");
    CHECK(named(moved_by([](Place p) { return p % 64 == 40 ? p + 8 : p; })) ==
          "LANE_REPEATED: the answer of lane 48 of 64 in lane 40");
    CHECK(named(moved_by([](Place p) {
              return p % 16 == 2 ? p + 1 : p % 16 == 3 ? p - 1 : p;
          })) == "LANE_SWAPPED: the answers of lanes 2 and 3 of 16 exchanged");
    CHECK(named(moved_by([](Place p) { return p ^ 1U; })) ==
          "PACK_ORDER: the answers of every 2 values in the reverse order");
    CHECK(named(moved_by([](Place p) { return p ^ 3U; })) ==
          "PACK_ORDER: the answers of every 4 values in the reverse order");
    CHECK(named(moved_by([](Place p) { return p ^ 7U; })) ==
          "PACK_ORDER: the answers of every 8 values in the reverse order");
    CHECK(named(moved_by([](Place p) { return p ^ 4U; })) ==
          "LANE_SWAPPED: the answers of lanes 0 and 4 of 8 exchanged");
    CHECK(named(moved_by([](Place p) { return p * p % 1021 == 17 ? p - 1 : p; })) ==
          "STALE_ELEMENT: the answer of the value before in 8 of 4,096 values");
    // The first of a stream have some answer of the call before.
    CHECK(named(moved_by([](Place p) { return p < 2 ? p + 7 : p - 2; })) ==
          "STALE_ELEMENT: the answer of the value 2 places before in 4,096 of 4,096 values");
    CHECK(named(moved_by([](Place p) { return p + 1 == length ? 3 : p + 1; })) ==
          "STALE_ELEMENT: the answer of the value after in 4,096 of 4,096 values");
    CHECK(named(moved_by([](Place p) { return p == 40 ? 47 : p < 2 ? p : p - 2; })).empty());
    CHECK(named(moved_by([](Place p) { return p / 4 * 4; })) ==
          "LANE_REPEATED: the answer of lane 0 of 4 in all of them");
    CHECK(named(moved_by([](Place p) { return p | 7U; })) == "LANE_REPEATED: the answer of lane 7 of 8 in all of them");
    CHECK(named(moved_by([](Place p) { return p % 8 < 2 ? p : p / 8 * 8; })).empty());
    // Too few, or without a pattern.
    CHECK(named(moved_by([](Place p) { return p == 77 || p == 1000 ? p - 1 : p; })).empty());
    CHECK(named(moved_by([](Place p) { return p % 100 == 3 ? p + p / 100 + 1 : p; })).empty());
    std::vector<MovedAnswer> last;
    for (const std::uint64_t calls : {100U, 200U, 300U}) last.push_back({calls - 1, calls, -1, (calls - 2) % 251});
    CHECK(named(last) == "STALE_ELEMENT: the answer of the value before in the last of a call");
}

TEST_CASE("a ring that tells places has each answer once", "[places]") {
    const Conversion conversion = parse_conversion("fp32-e4m3-nearest_even-sat");
    const PermitTable permitted =
        select(load_golden(*conversion.from, *conversion.to).value().golden, find_profile("ocp-sat"), conversion);
    const auto ring = telling_ring(permitted, 1);
    REQUIRE(ring);
    CHECK(ring->inputs.size() > 200);
    CHECK(ring->inputs.size() % 2 == 1);
    for (std::size_t i = 0; i < ring->inputs.size(); ++i) {
        CHECK(permits(permitted.steps[find_step(permitted, ring->inputs[i])].permit, ring->answers[i], *permitted.to));
        CHECK(std::count(ring->answers.begin(), ring->answers.end(), ring->answers[i]) == 1);
    }
    // Neighbours are no neighbours in value: an answer that is one too large is that of a place far away.
    std::size_t close = 0;
    for (std::size_t i = 1; i < ring->answers.size(); ++i)
        close += (ring->answers[i] ^ ring->answers[i - 1]) == 1 ? 1 : 0;
    CHECK(close < 8);
}

TEST_CASE("a ring has the ends of the range, and NaN in two places", "[places]") {
    const Conversion conversion = parse_conversion("fp32-e4m3-nearest_even-sat");
    const PermitTable permitted =
        select(load_golden(*conversion.from, *conversion.to).value().golden, find_profile("ocp-sat"), conversion);
    const auto inputs_of = [&](RingInputs which) {
        const auto ring = telling_ring(permitted, 1, which);
        REQUIRE(ring);
        CHECK(ring->inputs.size() % 2 == 1);
        return ring->inputs;
    };
    const auto has = [](const std::vector<Code>& inputs, Code input) {
        return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
    };
    const Code infinite = 0x7F800000;
    CHECK_FALSE(has(inputs_of(RingInputs::first), infinite));
    CHECK(has(inputs_of(RingInputs::last), infinite));
    const auto nans = [](const std::vector<Code>& inputs) {
        return std::count_if(inputs.begin(), inputs.end(), [](Code input) { return formats::fp32.is_nan(input); });
    };
    CHECK(nans(inputs_of(RingInputs::last)) == 0);
    CHECK(nans(inputs_of(RingInputs::last_beside_nans)) == 2);
}

TEST_CASE("faults of lanes and packs are named in the verdict", "[places][planted][values]") {
    const auto [fault, says] = GENERATE(table<std::string, std::string>({
        {"lane 15 repeats lane 14", "cause: the answer of lane 14 of 16 in lane 15"},
        {"lanes 2 and 3 exchanged", "cause: the answers of lanes 2 and 3 of 16 exchanged"},
        {"two values of a call", "cause: the answer of place 1 of a call in others"},
        {"bytes of a pack reversed", "cause: the answers of every 4 values in the reverse order"},
        {"the last value of a call", "cause: the answer of the value before in the last of a call"},
        {"one stale answer in 2^12", "cause: the answer of the value before in "},
        {"the sign of the next value", "cause: right among equal values, wrong in "},
        {"two places late", "cause: the answer of the value 2 places before in "},
        {"only the second time", ""},
        {"one call in 16", ""},
    }));
    CAPTURE(fault);
    const verdict::Row row = misplaced(fault, "fp16-e4m3-nearest_even-sat", Level::quick);
    CHECK(row.known_as.size() == (says.empty() ? 0U : 1U));
    CHECK_THAT(row.reason, Catch::Matchers::Contains(says));
}

TEST_CASE("random words of other places are named, and values in other places as such", "[places][planted][values]") {
    const auto [fault, says] = GENERATE(table<std::string, std::string>({
        {"random words of lanes 2 and 3 exchanged", "cause: the random words of lanes 2 and 3 of 4 exchanged"},
        {"a random word for 4 values", "cause: the random word of lane 0 of 4 in all of them"},
        {"lanes 2 and 3 exchanged", "cause: the answers of lanes 2 and 3 of 16 exchanged"},
        {"one bit of lane 2 of 16", ""},
    }));
    CAPTURE(fault);
    const verdict::Row row = misplaced(fault, "fp32-e5m2-stochastic_a8-sat", Level::quick);
    CHECK(row.known_as.size() == (says.empty() ? 0U : 1U));
    CHECK_THAT(row.reason, Catch::Matchers::Contains(says));
}

TEST_CASE("random words of other places are named where answers change", "[places][planted][values]") {
    const std::string fault = GENERATE(as<std::string>{}, "the first random word in a tail of 4",
                                       "a random word for calls of up to 8 values");
    CAPTURE(fault);
    const verdict::Row row = misplaced(fault, "fp32-e5m2-stochastic_a8-sat", Level::quick);
    REQUIRE(row.known_as.size() == 1);
    CHECK(row.known_as[0].bug_class->id == "LANE_REPEATED");
    CHECK(row.known_as[0].how == "the random word of place 0 of a call in others");
}

TEST_CASE("what a small suite sees in wrong places is named as well", "[places][planted][values]") {
    const std::string fp32 = "fp32-e4m3-nearest_even-sat";
    const std::string bf16 = "bf16-e4m3-nearest_even-sat"; // it takes a tenth of the time
    const auto [fault, says, conversion] = GENERATE_REF(table<std::string, std::string, std::string>({
        {"the sign of the next value", "NEIGHBOUR_MIXED", bf16},
        {"two places late", "STALE_ELEMENT", bf16},
        {"bytes of a pack reversed", "PACK_ORDER", bf16},
        {"NaN stays to the end of a call", "NEIGHBOUR_MIXED", bf16},
        {"the overflow of lane 0 of 4 in lane 3", "NEIGHBOUR_MIXED", fp32},
        {"one bit of lane 2 of 16", "", fp32}, // whatever lies beside it
    }));
    CAPTURE(fault);
    const verdict::Row row = misplaced(fault, conversion.c_str(), Level::smoke);
    CHECK(row.known_as.size() == (says.empty() ? 0U : 1U));
    for (const KnownFault& known : row.known_as) CHECK(known.bug_class->id == says);
}

TEST_CASE("flags of earlier values are too many and never too few", "[flags]") {
    using namespace formats;
    PermitTable expected{&bf16, &flags_of_e4m3, {}};
    expected.steps = {
        {0, 9, permit_code(0x00), {}}, {10, 19, permit_code(0x03), {}}, {20, 0xFFFF, permit_code(0x01), {}}};
    const auto name = [&](const std::vector<Step>& steps) { return observe::name_left_flags(steps, expected); };
    const auto left = name({{0, 4, 0x00}, {5, 14, 0x07}, {15, 19, 0x03}, {20, 0xFFFF, 0x05}});
    REQUIRE(left);
    CHECK(left->bug_class->id == "FLAG_LEFT");
    CHECK(left->how == "flags of earlier values are left in 65,526 inputs");
    CHECK_FALSE(name({{0, 9, 0x00}, {10, 19, 0x03}, {20, 0xFFFF, 0x01}}));
    CHECK_FALSE(name({{0, 9, 0x07}, {10, 19, 0x05}, {20, 0xFFFF, 0x05}})); // underflow is missing
    CHECK_FALSE(name({{0, 9, 0x21}, {10, 19, 0x03}, {20, 0xFFFF, 0x01}})); // in a batch
}

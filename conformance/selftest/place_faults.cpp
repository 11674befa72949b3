// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/place_faults.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mxcert::selftest {
namespace {

constexpr std::array sources{"fp32-e4m3-nearest_even-sat", "fp16-e4m3-nearest_even-sat", "bf16-e5m2-nearest_even-sat",
                             "fp32-e8m0-up-sat"};

struct Lanes {
    std::string_view option;
    std::string_view bug_class;
};
constexpr Lanes lanes[] = {
    {"two values of a call", "LANE_REPEATED"},     {"lane 15 repeats lane 14", "LANE_REPEATED"},
    {"lane 8 repeats lane 7", "LANE_REPEATED"},    {"one lane of 32", "LANE_REPEATED"},
    {"lanes 2 and 3 exchanged", "LANE_SWAPPED"},   {"bytes of a pack reversed", "PACK_ORDER"},
    {"the last value of a call", "STALE_ELEMENT"}, {"one stale answer in 2^12", "STALE_ELEMENT"},
};

constexpr std::string_view word = "word"; ///< PlaceFault::about

/// Random words in wrong places, and rows that are given them.
constexpr Lanes words[] = {
    {"an index of 16 bits into the random words", ""},
    {"the first random word in a tail of 4", "LANE_REPEATED"},
    {"random words of lanes 2 and 3 exchanged", "LANE_SWAPPED"},
    {"a random word for 4 values", "LANE_REPEATED"},
    {"a random word for 8 values", "LANE_REPEATED"},
    {"a random word for calls of up to 8 values", "LANE_REPEATED"},
    {"the last random word of an odd call is 0", ""},
};
constexpr std::string_view given_bits[] = {"fp32-e4m3-stochastic_a32-sat", "fp32-e5m2-stochastic_a8-sat"};

constexpr std::string_view quantizer = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks";
constexpr std::string_view float_quantizer = "quantize_float-fp32-e4m3-fp32-absmax-1x32/blocks";
constexpr std::string_view rounder = "stochastic-fp32-e4m3-stochastic_a32-sat/distribution";
constexpr std::string_view scaler = "scaling-te_delayed_4_margin_2/trace";
constexpr std::string_view dequantizer = "dequantize-e4m3-e8m0-fp32-row-32/blocks";

std::vector<PlaceFault> all() {
    std::vector<PlaceFault> faults;
    for (const Lanes& this_lanes : lanes)
        for (const char* source : sources)
            faults.push_back(
                {"lane", {"misplaced", this_lanes.option, "ocp", source, this_lanes.bug_class, Status::fail, true}});
    const auto size = [&](std::string_view plugin, std::string_view option, std::string_view profile,
                          std::string_view row, Level level) {
        faults.push_back({"size", {plugin, option, profile, row, "", Status::fail, false, level}});
    };
    for (const char* source : {"fp16-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even-sat"}) {
        size("misplaced", "an index of 16 bits", "ocp", source, Level::quick);
        size("misplaced", "an index of 16 bits of whole vectors", "ocp", source, Level::quick);
        size("misplaced", "a NaN of large calls is zero", "ocp", source, Level::quick);
        size("misplaced", "a zero of large calls loses its sign", "ocp", source, Level::quick);
        size("misplaced", "a grid of 2^20 values", "ocp", source, Level::quick);
        size("misplaced", "an index in FP32", "ocp", source, Level::standard);
        size("misplaced", "16 zeros at once lose their signs", "ocp", source, Level::quick);
        size("misplaced", "8 zeros taken for 16", "ocp", source, Level::quick);
        size("misplaced", "16 small values at once are flushed", "ocp", source, Level::quick);
        size("misplaced", "16 large values at once lose their signs", "ocp", source, Level::quick);
    }
    for (const std::string_view row : given_bits)
        for (const Lanes& this_word : words)
            faults.push_back({word,
                              {"misplaced", this_word.option, "ocp", row, this_word.bug_class, Status::fail,
                               !this_word.bug_class.empty(), Level::quick}});
    for (const std::string_view row : {quantizer, dequantizer}) {
        size("quantizer", "a block index of 16 bits", "ocp-sat", row, Level::quick);
        size("quantizer", "an element index in FP32", "ocp-sat", row, Level::standard);
    }
    size("quantizer", "a block index of 2^19", "ocp-sat", quantizer, Level::standard);
    size("float_quantizer", "a block index of 16 bits", "absmax", float_quantizer, Level::quick);
    size("float_quantizer", "an element index in FP32", "absmax", float_quantizer, Level::standard);
    size("rounder", "an index of 20 bits", "ocp", rounder, Level::quick);
    size("scaler", "a step counter of 16 bits", "nvidia-te", scaler, Level::quick);
    return faults;
}

} // namespace

const std::vector<PlaceFault>& place_faults() {
    static const std::vector<PlaceFault> faults = all();
    return faults;
}

PlaceResult run_place_fault(const PlaceFault& fault, const std::filesystem::path& folder) {
    PlaceResult result;
    for (std::size_t i = 0; i < place_levels.size(); ++i) {
        if (fault.about == word && is_small(place_levels[i])) { // leaves out what has random bits
            result.seen[i] = "-";
            continue;
        }
        const PlantedBackendResult seen = run_planted(fault.planted, folder, place_levels[i]);
        if (seen.compared == 0)
            throw std::runtime_error(fmt::format("{} with '{}': {}", fault.planted.plugin, fault.planted.option,
                                                 seen.reason.empty() ? "nothing was compared" : seen.reason));
        const bool passed = seen.status == Status::pass;
        result.escaped += passed && place_levels[i] >= fault.planted.level ? 1 : 0;
        result.seen[i] = passed               ? "-"
                         : seen.named.empty() ? std::string(to_string(seen.status))
                                              : fmt::format("{}", fmt::join(seen.named, " "));
    }
    return result;
}

} // namespace mxcert::selftest

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/layout/layout_verdict.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/suites/layout/layout_faults.hpp"

namespace mxcert::suites {
namespace {

using Reading = PlaceNumbers::Reading;

/// Where each byte of an answer comes from, as its planes say.
std::vector<Reading> read_all(const PlaceNumbers& numbers, std::span<const std::vector<std::uint8_t>> answers) {
    std::vector<Reading> readings;
    readings.reserve(answers[0].size());
    std::vector<std::uint8_t> bytes(numbers.digits());
    for (std::size_t i = 0; i < answers[0].size(); ++i) {
        for (unsigned plane = 0; plane < numbers.digits(); ++plane) bytes[plane] = answers[plane][i];
        readings.push_back(numbers.read(bytes));
    }
    return readings;
}

/// Whether a byte seen before, if any, is this one; keeps it.
bool keep(std::optional<std::uint8_t>& seen, std::uint64_t byte) {
    if (seen.value_or(byte) != byte) return false;
    seen = static_cast<std::uint8_t>(byte);
    return true;
}

/// The same of what another verdict saw, which may be nothing.
bool agree(std::optional<std::uint8_t>& seen, const std::optional<std::uint8_t>& other) {
    return !other || keep(seen, *other);
}

/// Whether a maker gives what was read. `extremes` is the answer to the last plane, of 00 and FF.
std::optional<LayoutExplanation> explains(const LayoutMaker& maker, const PlaceNumbers& numbers,
                                          const std::vector<Reading>& readings,
                                          const std::vector<std::uint8_t>& extremes, bool padding_defined) {
    LayoutExplanation explanation{maker.name, std::nullopt, std::nullopt, std::nullopt, maker.bug_class, maker.layout};
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const Origin origin = maker.origin(i);
        const Reading& reading = readings[i];
        if (origin.kind == Origin::operand) {
            const bool zero = numbers.byte(origin.index, numbers.digits()) == 0x00;
            if (reading != Reading{Reading::place, origin.index} ||
                !keep(zero ? explanation.zero : explanation.nan, extremes[i]))
                return std::nullopt;
        } else if (origin.kind == Origin::padding && padding_defined) {
            if (reading != Reading{Reading::constant, extremes[i]} || !keep(explanation.padding, extremes[i]))
                return std::nullopt;
        }
    }
    return explanation;
}

std::string place_text(const Place& place) { return fmt::format("row {}, column {}", place.row, place.column); }

/// A byte of the operand.
std::string source_text(const LayoutCase& layout_case, std::uint64_t index) {
    const ScaleMap map = layout_case.map();
    if (layout_case.direction == LayoutDirection::arrange)
        return "that of " + place_text({index / map.scales().columns, index % map.scales().columns});
    const auto place = map.place_of(index);
    return fmt::format("byte {} of the buffer, ", index) + (place ? "that of " + place_text(*place) : "padding");
}

std::string reading_text(const LayoutCase& layout_case, const Reading& reading) {
    switch (reading.kind) {
    case Reading::place: return source_text(layout_case, reading.value);
    case Reading::constant: return fmt::format("0x{:02X}", reading.value);
    case Reading::nothing: break;
    }
    return "no byte of the operand";
}

/// What a byte of an answer has to be: the reading, and the byte of the last plane, of 00 and FF. Nothing: it is not
/// judged.
struct Demand {
    Reading reading;
    std::uint8_t extreme;
};
std::optional<Demand> demand(const PlaceNumbers& numbers, const Origin& origin, std::optional<std::uint8_t> padding) {
    if (origin.kind == Origin::operand)
        return Demand{{Reading::place, origin.index}, numbers.byte(origin.index, numbers.digits())};
    if (!padding) return std::nullopt;
    return Demand{{Reading::constant, *padding}, *padding};
}

std::string wrong_text(const LayoutCase& layout_case, std::size_t i, const Reading& reading, std::uint8_t extreme,
                       const Demand& demand) {
    if (reading == demand.reading)
        return fmt::format("byte {} was 0x{:02X} and became 0x{:02X}", i, demand.extreme, extreme);
    const bool padding = demand.reading.kind == Reading::constant;
    return fmt::format("byte {} is {} and should be {}{}", i, reading_text(layout_case, reading),
                       padding ? "padding, " : "", reading_text(layout_case, demand.reading));
}

} // namespace

std::string text(const LayoutExplanation& explanation) {
    std::string text = explanation.name;
    if (explanation.padding.value_or(0x00) != 0x00) text += fmt::format(", padded with 0x{:02X}", *explanation.padding);
    if (explanation.zero.value_or(0x00) != 0x00)
        text += fmt::format(", scale 0x00 changed to 0x{:02X}", *explanation.zero);
    if (explanation.nan.value_or(0xFF) != 0xFF)
        text += fmt::format(", scale 0xFF changed to 0x{:02X}", *explanation.nan);
    return text;
}

std::string_view bug_class_of(const LayoutExplanation& explanation) {
    if (!explanation.bug_class.empty()) return explanation.bug_class;
    if (explanation.zero.value_or(0x00) != 0x00 || explanation.nan.value_or(0xFF) != 0xFF) return "SCALE_BYTES_CHANGED";
    return explanation.padding.value_or(0x00) != 0x00 ? "PADDED_SCALES_GARBAGE" : "";
}

LayoutVerdict judge(const LayoutCase& layout_case, std::span<const std::vector<std::uint8_t>> answers) {
    const PlaceNumbers numbers(layout_case.operand_size());
    if (answers.size() != numbers.planes())
        throw std::invalid_argument(
            fmt::format("{} has {} planes, not {}", layout_case.name(), numbers.planes(), answers.size()));
    LayoutVerdict verdict;
    for (std::size_t plane = 0; plane < answers.size(); ++plane)
        if (answers[plane].size() != layout_case.answer_size()) {
            verdict.wrong = layout_case.answer_size();
            verdict.first = fmt::format("plane {} has {} bytes and should have {}", plane, answers[plane].size(),
                                        layout_case.answer_size());
            return verdict;
        }
    const std::vector<Reading> readings = read_all(numbers, answers);
    const std::vector<LayoutMaker> makers = layout_makers(layout_case);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const auto asked_demand = demand(numbers, makers.front().origin(i), layout_case.layout->padding);
        const std::uint8_t extreme = answers.back()[i];
        if (!asked_demand || (readings[i] == asked_demand->reading && extreme == asked_demand->extreme)) continue;
        if (verdict.wrong++ == 0) verdict.first = wrong_text(layout_case, i, readings[i], extreme, *asked_demand);
    }
    verdict.right = verdict.wrong == 0;
    for (const LayoutMaker& maker : makers)
        if (auto explanation =
                explains(maker, numbers, readings, answers.back(), layout_case.layout->padding.has_value()))
            verdict.explanations.push_back(std::move(*explanation));
    return verdict;
}

std::vector<LayoutExplanation> common_explanations(std::span<const LayoutVerdict> verdicts) {
    std::vector<LayoutExplanation> common;
    if (!verdicts.empty()) common = verdicts.front().explanations;
    for (const LayoutVerdict& verdict : verdicts) {
        std::vector<LayoutExplanation> kept;
        for (LayoutExplanation known : common)
            for (const LayoutExplanation& other_explanation : verdict.explanations)
                if (known.name == other_explanation.name && agree(known.padding, other_explanation.padding) &&
                    agree(known.zero, other_explanation.zero) && agree(known.nan, other_explanation.nan))
                    kept.push_back(known);
        common = std::move(kept);
    }
    return common;
}

} // namespace mxcert::suites

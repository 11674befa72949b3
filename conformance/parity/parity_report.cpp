// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/parity_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::parity {
namespace {

using Json = nlohmann::ordered_json;

std::string compared_text(const Part& part) {
    return part.all == 0
               ? fmt::format("{} {}", print::grouped(part.compared), part.inputs)
               : fmt::format("{} of {} {}", print::grouped(part.compared), print::grouped(part.all), part.inputs);
}

/// A scale and the value that is divided by it, or an input of a part alone.
std::string input_text(const Format& format, Code code) {
    if (format.scale == nullptr) return code_text(format, code);
    return code_text(*format.value, format.value_of(code));
}
std::string input_value(const Format& format, Code code) {
    return format.scale == nullptr ? print::value_text(format, code)
                                   : print::value_text(*format.value, format.value_of(code));
}

std::string refusals_text(const Parity& parity) {
    std::string text;
    for (const bool by_a : {true, false})
        for (const bool is_tail : {true, false}) {
            std::string names;
            std::size_t count = 0;
            std::string reason;
            for (const Refusal& refusal : parity.refused) {
                if (refusal.by_a != by_a || refusal.is_tail != is_tail) continue;
                if (count++ == 0) reason = refusal.reason;
                if (count <= 3) names += (names.empty() ? "" : "; ") + refusal.name;
            }
            if (count == 0) continue;
            text += fmt::format("{} refuses {} with {} ({}{}): {}\n", by_a ? "A" : "B",
                                count == 1 ? "1 matrix" : print::grouped(count) + " matrices",
                                is_tail ? "a shorter last block" : "whole blocks", names, count > 3 ? "; ..." : "",
                                print::printable(reason));
        }
    return text;
}

std::string decibels(const measure::Quality& quality) {
    const double sqnr = quality.sqnr();
    if (std::isnan(sqnr)) return "-";
    return std::isinf(sqnr) ? "exact" : fmt::format("{:.2f}", sqnr);
}

std::string share(std::uint64_t part, std::uint64_t all) {
    return fmt::format("{} of {} ({:.4g} %)", print::grouped(part), print::grouped(all),
                       all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

Json json_of(const Part& part, const Parity& parity) {
    Json json{{"part", part.name},
              {"inputs", part.inputs},
              {"compared", part.compared},
              {"all", part.all == 0 ? Json() : Json(part.all)},
              {"differing", part.differing},
              {"ranges", Json::array()},
              {"ranges_left_out", part.ranges.size() - std::min(part.ranges.size(), most_ranges_in_json)},
              {"blocks", Json::array()}};
    for (std::size_t i = 0; i < std::min(part.ranges.size(), most_ranges_in_json); ++i) {
        const DifferingRange& range = part.ranges[i];
        const bool by_scale = part.input->scale != nullptr;
        const Format& input = by_scale ? *part.input->value : *part.input;
        const auto value = [&](Code code) { return hex(by_scale ? part.input->value_of(code) : code, input); };
        Json& item = json["ranges"].emplace_back();
        if (parity.has_tensors) item["tensor_amax"] = hex(range.tensor, *parity.values);
        if (by_scale) item["scale"] = fmt::format("0x{:02X}", part.input->scale_of(range.first));
        if (parity.has_tensors && part.name == "elements") item["scale"] = fmt::format("0x{:02X}", range.scale);
        item["first"] = value(range.first);
        item["last"] = value(range.last);
        item["a"] = hex(range.a, *part.output);
        item["b"] = hex(range.b, *part.output);
        item["inputs"] = range.inputs;
    }
    for (const DifferingBlock& block : part.blocks)
        json["blocks"].push_back({{"title", block.title}, {"text", block.text}});
    return json;
}

Json json_of(const Explanation& explanation) {
    Json changes = Json::array();
    for (const Change& change : explanation.changes)
        changes.push_back({{"choice", change.name},
                           {"a", change.a},
                           {"b", change.b},
                           {"part", change.part},
                           {"alike", change.alike}});
    return {{"explained", explanation.explained}, {"changes", changes},
            {"answers", explanation.asked},       {"answers_explained", explanation.explained_count},
            {"sample", explanation.is_sample},    {"a_is", explanation.a_is},
            {"b_is", explanation.b_is},           {"reason", explanation.reason}};
}

Json json_of(const TensorCost& cost) {
    const auto number = [](const measure::Quality& quality) {
        const double sqnr = quality.sqnr();
        return std::isfinite(sqnr) ? Json(std::round(sqnr * 1e4) / 1e4) : Json();
    };
    return {{"status", to_string(cost.status)},
            {"reason", cost.reason},
            {"shape", cost.shape},
            {"values", cost.values},
            {"sqnr_a_db", number(cost.a)},
            {"sqnr_b_db", number(cost.b)},
            {"sqnr_between_db", number(cost.between)},
            {"differing_elements", cost.differing_elements},
            {"differing_values", cost.differing_values},
            {"scales", cost.scales},
            {"differing_scales", cost.same_scales ? Json(cost.differing_scales) : Json()}};
}

} // namespace

std::string word_of(const Parity& parity) {
    if (parity.status == Status::pass) return "EQUAL";
    return parity.status == Status::fail ? "DIFFERENT" : std::string(to_string(parity.status));
}

std::string text_of(const DifferingRange& range, const Part& part, const Parity& parity) {
    std::string text;
    if (parity.has_tensors && part.name != "tensors")
        text += fmt::format("in a tensor of amax {}, ", code_text(*parity.values, range.tensor));
    if (part.input->scale != nullptr)
        text += fmt::format("under the scale 0x{:02X}, ", part.input->scale_of(range.first));
    else if (part.name == "elements")
        text += fmt::format("under the scale 0x{:02X}, ", range.scale);
    text += input_text(*part.input, range.first);
    if (range.last != range.first) text += fmt::format(" to {}", input_text(*part.input, range.last));
    text += fmt::format("  from {}: {} in A, {} in B", input_value(*part.input, range.first),
                        code_text(*part.output, range.a), code_text(*part.output, range.b));
    return text;
}

std::string text_of(const Explanation& explanation) {
    if (!explanation.explained) return fmt::format("Not explained: {}.", explanation.reason);
    const auto part_of = [](const Change& change) {
        return change.part.empty() ? std::string() : fmt::format(" ({})", change.part);
    };
    const std::string count = fmt::format("{} of {} answers of B{}", print::grouped(explanation.explained_count),
                                          print::grouped(explanation.asked),
                                          explanation.is_sample ? ", a sample of those that were compared" : "");
    std::string text;
    if (explanation.changes.size() == 1) {
        const Change& change = explanation.changes.front();
        text = fmt::format("B = A with {} {} instead of {}{}: explains {}.", change.name, change.b, change.a,
                           part_of(change), count);
    } else {
        text = fmt::format("No single choice explains it. B = A with {} other choices: explains {}.",
                           explanation.changes.size(), count);
        for (const Change& change : explanation.changes)
            text += fmt::format("\n    {}: {} in A, {} in B{}", change.name, change.a, change.b, part_of(change));
    }
    for (const Change& change : explanation.changes)
        if (!change.alike.empty())
            text += fmt::format("\n{} {} gives the same answers as {}.", change.name, change.b,
                                fmt::join(change.alike, " or "));
    if (!explanation.a_is.empty() || !explanation.b_is.empty())
        text += fmt::format("\nRecipe of A: {}. Recipe of B: {}.",
                            explanation.a_is.empty() ? "none of the table" : explanation.a_is,
                            explanation.b_is.empty() ? "none of the table" : explanation.b_is);
    return text;
}

std::string verdict_of(const Parity& parity) {
    std::string text = word_of(parity) + ": ";
    const char* join = "";
    if (parity.status == Status::pass || parity.status == Status::fail) {
        for (const Part& part : parity.parts) {
            if (parity.status == Status::fail && part.differing == 0) continue;
            text += join;
            if (parity.status == Status::pass)
                text += fmt::format("{} ({})", part.name, compared_text(part));
            else
                text += fmt::format("{} ({} of {} {})", part.name, print::grouped(part.differing),
                                    print::grouped(part.compared), part.inputs);
            join = ", ";
        }
        text += parity.sample && parity.status == Status::pass ? ". This is a sample.\n" : ".\n";
    } else {
        text += print::printable(parity.reason) + ".\n";
    }
    if (parity.explanation) text += text_of(*parity.explanation) + "\n";
    return text;
}

std::string text_of(const Parity& parity, std::size_t most) {
    std::string text = fmt::format("A: {}\nB: {}\n", parity.a, parity.b);
    for (const std::string& brought : parity.brought) text += fmt::format("Brought to one form: {}\n", brought);
    if (parity.values != nullptr)
        text += fmt::format("Asked: values of {}, at level {}\n", parity.values->name, to_string(parity.level));
    for (const Part& part : parity.parts) {
        text += fmt::format("{:<9} {:<52} {} differ\n", part.name, compared_text(part),
                            part.differing == 0 ? "none" : print::grouped(part.differing));
        const std::size_t ranges = std::min(most, part.ranges.size());
        for (std::size_t i = 0; i < ranges; ++i) text += "    " + text_of(part.ranges[i], part, parity) + "\n";
        if (ranges < part.ranges.size())
            text +=
                fmt::format("    and {}; --json has {}\n", print::counted(part.ranges.size() - ranges, "more range"),
                            part.ranges.size() <= most_ranges_in_json ? "them all" : "more of them");
        const std::size_t blocks = std::min(most, part.blocks.size());
        for (std::size_t i = 0; i < blocks; ++i)
            text += fmt::format("    {}: {}\n", part.blocks[i].title, part.blocks[i].text);
        if (!part.blocks.empty() && blocks < part.differing)
            text += fmt::format("    and {} more\n", print::grouped(part.differing - blocks));
    }
    for (const std::string& left_out : parity.left_out) text += fmt::format("Not compared: {}\n", left_out);
    if (parity.scales_of_one != 0)
        text += fmt::format("{} given by both, but to no common amax: elements under them were not compared\n",
                            parity.scales_of_one == 1 ? "1 scale is"
                                                      : print::grouped(parity.scales_of_one) + " scales are");
    if (parity.under_nan != 0)
        text += fmt::format("{} elements that differ under a scale that is NaN in both; not counted: every value under "
                            "it is NaN\n",
                            parity.under_nan == 1 ? "1 block has" : print::grouped(parity.under_nan) + " blocks have");
    return text + refusals_text(parity) + verdict_of(parity);
}

std::string text_of(const TensorCost& cost) {
    if (cost.status != Status::pass)
        return fmt::format("tensor: {}: {}\n", to_string(cost.status), print::printable(cost.reason));
    std::string text =
        fmt::format("tensor {}: SQNR of A {} dB, of B {} dB; of the tensor to the difference of both {} dB\n",
                    tensors::shape_text(cost.shape), decibels(cost.a), decibels(cost.b), decibels(cost.between));
    text += fmt::format("    elements that differ {}; values {}\n", share(cost.differing_elements, cost.values),
                        share(cost.differing_values, cost.values));
    text += cost.same_scales ? fmt::format("    scales that differ {}\n", share(cost.differing_scales, cost.scales))
                             : std::string("    scales are those of other blocks\n");
    return text;
}

nlohmann::ordered_json json_of(const Parity& parity, const std::optional<TensorCost>& cost) {
    Json parts = Json::array();
    for (const Part& part : parity.parts) parts.push_back(json_of(part, parity));
    Json refused = Json::array();
    for (const Refusal& refusal : parity.refused)
        refused.push_back({{"case", refusal.name},
                           {"by", refusal.by_a ? "a" : "b"},
                           {"tail", refusal.is_tail},
                           {"reason", refusal.reason}});
    return {{"a", parity.a},
            {"b", parity.b},
            {"result", word_of(parity)},
            {"reason", parity.reason},
            {"values", parity.values == nullptr ? Json() : Json(parity.values->name)},
            {"sample", parity.sample},
            {"brought_to_one_form", parity.brought},
            {"not_compared", parity.left_out},
            {"parts", parts},
            {"refused", refused},
            {"scales_without_common_amax", parity.scales_of_one},
            {"blocks_under_nan_scales", parity.under_nan},
            {"explanation", parity.explanation ? json_of(*parity.explanation) : Json()},
            {"tensor", cost ? json_of(*cost) : Json()}};
}

} // namespace mxcert::parity

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "conformance/explain/explain_block.hpp"
#include "conformance/explain/explain_value.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"
#include "reference/clause.hpp"

namespace mxcert::explain {
namespace {

using exact::Rational;

using Line = std::vector<std::string>;

std::string lanes_text(const std::vector<std::size_t>& lanes) {
    if (lanes.empty()) return "of no lane";
    std::string text = lanes.size() == 1 ? "of lane" : "of lanes";
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(lanes.size(), most); ++i)
        text += (i == 0 ? " " : ", ") + std::to_string(lanes[i]);
    return lanes.size() > most ? text + ", ..." : text;
}

std::string signed_text(bool negative, const Rational& magnitude) { return (negative ? "-" : "") + shown(magnitude); }

// "72 .. 80": the values of the target beside the quotient.
std::string between(const Explanation& element) {
    if (!element.position) return "";
    const Position& p = *element.position;
    const auto side = [&](const Neighbour& n) { return signed_text(p.negative, n.magnitude); };
    if (p.lower.magnitude == p.upper.magnitude) return "exact";
    return side(p.lower) + " .. " + side(p.upper);
}

// How far the element times the scale is from the value, of the value.
std::string error_text(const Explanation& element, const Rational& scale) {
    const exact::Value value = exact::decode(*element.question.to, element.result.code);
    if (!element.position || value.kind != exact::Kind::finite) return "";
    const Rational wanted = element.position->magnitude * scale;
    const Rational difference = value.magnitude * scale - wanted;
    if (difference == 0) return "0";
    return fmt::format("{:+.3g} %", static_cast<double>(Rational(100 * difference / wanted)));
}

Line line_of(std::size_t lane, const Explanation& element, const exact::Value& scale) {
    const Format& scaled = *element.question.from;
    const Format& to = *element.question.to;
    const Code code = element.input.code;
    const std::optional<Position>& p = element.position;
    return {std::to_string(lane),
            shown(*scaled.value, scaled.value_of(code)),
            p ? signed_text(p->negative, p->magnitude) : "",
            between(element),
            code_text(to, element.result.code),
            shown(to, element.result.code),
            scale.kind == exact::Kind::finite ? error_text(element, scale.magnitude) : ""};
}

} // namespace

std::string to_text(const BlockExplanation& e) {
    const BlockFormat& format = e.question.format;
    const Explanation& s = e.scale;
    const Format& scale_format = *s.question.to;
    std::string text = e.question.place.empty() ? "" : fmt::format("place     {}\n", e.question.place);
    text += fmt::format("block     {} of {} to {}, scale rule {}\n", print::counted(e.elements.size(), "value"),
                        format.value->name, format.element->name, value_name(s.question.choices, Choice::rule));
    text += fmt::format("amax      {}  {}, {}\n", code_text(*s.question.from, s.input.code),
                        shown(*s.question.from, s.input.code), lanes_text(e.amax_lanes));
    for (std::size_t i = 1; i < s.steps.size(); ++i)
        text += fmt::format("{:<10}{}\n", i == 1 ? "scale" : "", s.steps[i].text);
    const Clause* clause = find_clause(s.clause);
    text += fmt::format("{:<10}{}  {}\n          {}: {}\n", "", code_text(scale_format, s.result.code),
                        shown(scale_format, s.result.code), s.clause, clause->text);
    if (e.question.lane)
        return text + fmt::format("lane      {}\n", *e.question.lane) + to_text(e.elements[*e.question.lane]);
    const exact::Value scale = exact::decode(scale_format, s.result.code);
    std::vector<Line> lines{{"lane", "value", "by the scale", "between", "code", "element", "error"}};
    for (std::size_t lane = 0; lane < e.elements.size(); ++lane)
        lines.push_back(line_of(lane, e.elements[lane], scale));
    return text + print::columns(lines);
}

nlohmann::ordered_json to_json(const BlockExplanation& e) {
    using Json = nlohmann::ordered_json;
    Json json{{"from", e.question.format.value->name}, {"to", e.question.format.element->name}};
    json["amax_lanes"] = e.amax_lanes;
    json["scale"] = to_json(e.scale);
    if (!e.question.place.empty()) json["place"] = e.question.place;
    if (e.question.lane) {
        json["lane"] = *e.question.lane;
        json["element"] = to_json(e.elements[*e.question.lane]);
        return json;
    }
    json["elements"] = Json::array();
    for (const Explanation& element : e.elements) json["elements"].push_back(to_json(element));
    return json;
}

} // namespace mxcert::explain

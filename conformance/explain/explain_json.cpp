// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/explain/explain.hpp"
#include "reference/clause.hpp"
#include "reference/flags.hpp"

namespace mxcert::explain {
namespace {

using Json = nlohmann::ordered_json;

Json neighbour_json(const Format& to, const Neighbour& neighbour, bool negative) {
    const std::string value = (negative ? "-" : "") + exact::decimal(neighbour.magnitude);
    return {{"code", neighbour.code ? Json(code_text(to, *neighbour.code)) : Json(nullptr)}, {"value", value}};
}

Json position_json(const Format& to, const Position& p) {
    const bool negative = p.negative && to.is_signed;
    const exact::Rational from_tie = p.magnitude - p.tie;
    const bool exact = p.lower.magnitude == p.upper.magnitude;
    return {{"exact", exact},
            {"toward_zero", neighbour_json(to, p.lower, negative)},
            {"away_from_zero", neighbour_json(to, p.upper, negative)},
            {"tie", (negative ? "-" : "") + exact::decimal(p.tie)},
            {"beyond_tie", exact::decimal(from_tie)}};
}

std::string_view notation_name(Notation notation) {
    switch (notation) {
    case Notation::bits: return "bits";
    case Notation::decimal: return "decimal";
    case Notation::hex: return "hex";
    default: return "name";
    }
}

Json code_json(const Format& format, Code code) {
    return {{"code", code_text(format, code)},
            {"fields", fields_text(format, code)},
            {"value", decimal_text(format, code)},
            {"hex_float", hex_float(format, code)}};
}

} // namespace

nlohmann::ordered_json to_json(const Explanation& e) {
    const ExplainQuestion& q = e.question;
    Json choices = Json::object();
    for (const ChoiceInfo& choice : all_choices())
        choices[std::string(choice.name)] = value_name(q.choices, choice.choice);

    Json json = {{"from", q.from->name}, {"to", q.to->name}, {"choices", choices}};
    Json input = code_json(*q.from, e.input.code);
    input["text"] = q.input;
    input["notation"] = notation_name(e.input.notation);
    input["rounded"] = e.input.rounded;
    json["input"] = std::move(input);
    json["position"] = e.position ? position_json(*q.to, *e.position) : Json(nullptr);

    json["steps"] = Json::array();
    for (const ExplainedStep& step : e.steps) json["steps"].push_back({{"clause", step.clause}, {"text", step.text}});

    Json result = code_json(*q.to, e.result.code);
    result["inexact"] = e.result.inexact;
    result["overflow"] = e.result.overflow;
    if (q.to->flags_of != nullptr) {
        result["flags"] = Json::array();
        for (const FlagInfo& flag : all_flags)
            if ((e.result.code & bit(flag.flag)) != 0) result["flags"].push_back(flag.name);
    }
    const Clause* clause = find_clause(e.clause);
    result["clause"] = {{"id", clause->id},
                        {"kind", to_string(clause->kind)},
                        {"grade", to_string(clause->grade)},
                        {"document", clause->document},
                        {"section", clause->section},
                        {"text", clause->text}};
    json["result"] = std::move(result);

    if (e.run)
        json["same_code"] = {{"first", code_text(*q.from, e.run->first)}, {"last", code_text(*q.from, e.run->last)}};
    if (is_stochastic(q.choices.rounding)) {
        const exact::Random own = e.own.value_or(q.random);
        json["random"] = {{"bits", own.bits}, {"value", own.value}};
        if (is_ptx_rs(q.choices.rounding)) json["random"]["word"] = fmt::format("0x{:08X}", q.random.value);
        json["random"]["threshold"] = e.threshold ? Json(e.threshold->str()) : Json(nullptr);
    }

    json["consulted"] = Json::array();
    for (const Say& say : e.says) {
        Json others = Json::object();
        for (const Say::Alternative& other_alternative : say.others)
            others[other_alternative.value] = code_text(*q.to, other_alternative.code);
        json["consulted"].push_back({{"choice", info(say.choice).name}, {"value", say.value}, {"others", others}});
    }
    return json;
}

} // namespace mxcert::explain

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/explain/explain.hpp"
#include "conformance/explain/explain_value.hpp"
#include "conformance/print/text.hpp"
#include "reference/clause.hpp"

namespace mxcert::explain {
namespace {

using exact::Rational;

std::string neighbour_line(const Format& to, const Neighbour& neighbour, bool negative, std::string_view where,
                           std::string_view without_code) {
    const std::string value = (negative ? "-" : "") + shown(neighbour.magnitude);
    if (neighbour.code) return fmt::format("{} {}  {}", where, code_text(to, *neighbour.code), value);
    const std::size_t width = code_text(to, 0).size();
    return fmt::format("{} {:<{}}  {}, {}", where, "-", width, value, without_code);
}

std::vector<std::string> position_lines(const Format& to, const Position& p) {
    const bool negative = p.negative && to.is_signed; // a target without sign sees the magnitude
    const std::string sign = negative ? "-" : "";
    if (p.lower.magnitude == p.upper.magnitude) {
        if (p.lower.code) return {"the input is " + code_text(to, *p.lower.code) + " of " + std::string(to.name)};
        return {"the input is beyond the range of " + std::string(to.name)};
    }
    std::vector<std::string> lines;
    const std::string_view outside = p.lower.code   ? "beyond the largest value"
                                     : p.upper.code ? "below the smallest value"
                                                    : "beyond the largest value";
    lines.push_back(neighbour_line(to, p.lower, negative, "toward zero   ", outside));
    lines.push_back(neighbour_line(to, p.upper, negative, "away from zero", outside));
    const std::string gap(code_text(to, 0).size() + 2, ' ');
    lines.push_back("tie            " + gap + sign + shown(p.tie));
    if (p.magnitude == p.tie) {
        lines.emplace_back("the input is the tie");
    } else {
        const bool above = p.magnitude > p.tie;
        const Rational distance = above ? p.magnitude - p.tie : p.tie - p.magnitude;
        lines.push_back(
            fmt::format("the input is {} away, on the side {} zero", shown(distance), above ? "away from" : "toward"));
    }
    return lines;
}

std::vector<std::string> input_lines(const Explanation& e) {
    const Format& from = *e.question.from;
    const exact::Value value = exact::decode(from, e.input.code);
    std::vector<std::string> lines{code_text(from, e.input.code) + "  " + fields_text(from, e.input.code)};
    if (value.kind == exact::Kind::finite && value.magnitude != 0) {
        const std::string sign = value.negative ? "-" : "";
        std::string text = shown(from, e.input.code);
        const std::string power = sign + factored(value.magnitude);
        if (power != text && power.size() <= shown_characters) text += " = " + power;
        lines.push_back(text + " = " + hex_float(from, e.input.code));
    } else {
        lines.push_back(decimal_text(from, e.input.code));
    }
    const std::string& text = e.question.input;
    if (e.input.notation == Notation::decimal && text.size() + 2 == code_text(from, 0).size() &&
        text.find_first_not_of("0123456789") == std::string::npos)
        lines.push_back(fmt::format("{} was read as a decimal number; 0x{} is the bit pattern", text, text));
    if (e.input.rounded)
        lines.push_back(fmt::format("{} is not a value of {}: this is the nearest",
                                    print::printable(e.question.input.substr(0, shown_characters)), from.name));
    return lines;
}

std::vector<std::string> result_lines(const Explanation& e) {
    const Format& to = *e.question.to;
    std::string first = fmt::format("{}  {}  {}", code_text(to, e.result.code), fields_text(to, e.result.code),
                                    shown(to, e.result.code));
    if (e.result.inexact) first += ", inexact";
    if (e.result.overflow) first += ", overflow";
    const Clause* clause = find_clause(e.clause);
    std::vector<std::string> lines{std::move(first), std::string(clause->id) + ": " + std::string(clause->text)};
    lines.push_back(fmt::format("({}{}{}; grade {})", clause->document, clause->section.empty() ? "" : ", ",
                                clause->section, to_string(clause->grade)));
    return lines;
}

/// The values of a choice by the code they give, those that give the result first.
std::string say_line(const Explanation& e, const Say& say) {
    std::vector<std::pair<Code, std::string>> groups{{e.result.code, say.value}};
    for (const Say::Alternative& other_alternative : say.others) {
        auto group = groups.begin();
        while (group != groups.end() && group->first != other_alternative.code) ++group;
        if (group == groups.end())
            groups.emplace_back(other_alternative.code, other_alternative.value);
        else
            group->second += ", " + other_alternative.value;
    }
    std::string line = fmt::format("{:<18}", info(say.choice).name);
    for (std::size_t i = 0; i < groups.size(); ++i)
        line += (i == 0 ? "" : "; ") + code_text(*e.question.to, groups[i].first) + " " + groups[i].second;
    return line;
}

void add(std::string& text, std::string_view heading, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) text += fmt::format("{:<10}{}\n", i == 0 ? heading : "", lines[i]);
}

} // namespace

std::string to_text(const Explanation& e) {
    const ExplainQuestion& q = e.question;
    std::string text;
    add(text, "input", input_lines(e));
    if (e.position) add(text, "target", position_lines(*q.to, *e.position));

    std::vector<std::string> lines;
    std::size_t width = 0;
    for (const ExplainedStep& step : e.steps) width = std::max(width, step.clause.size());
    for (const ExplainedStep& step : e.steps) lines.push_back(fmt::format("{:<{}}  {}", step.clause, width, step.text));
    add(text, "steps", lines);
    add(text, "result", result_lines(e));

    if (e.run) {
        const std::uint64_t count = e.run->last - e.run->first + 1; // 0: all 2^64
        add(text, "same code",
            {fmt::format("{} to {}, {} to {}, {}", code_text(*q.from, e.run->first), code_text(*q.from, e.run->last),
                         shown(*q.from, e.run->first), shown(*q.from, e.run->last),
                         count == 0 ? "every input" : print::counted(count, "input"))});
    }
    if (is_stochastic(q.choices.rounding) && e.threshold) {
        const exact::Random own = *e.own;
        const std::string word =
            is_ptx_rs(q.choices.rounding) ? fmt::format(" of rbits 0x{:08X}", q.random.value) : std::string();
        add(text, "random",
            {fmt::format("R = {} of {}{}; R >= {} goes away from zero", own.value,
                         print::counted(static_cast<std::uint64_t>(own.bits), "bit"), word, e.threshold->str())});
    }
    lines.clear();
    for (const Say& say : e.says) lines.push_back(say_line(e, say));
    if (lines.empty()) lines.emplace_back("none decides for this input");
    add(text, "choices", lines);
    return text;
}

} // namespace mxcert::explain

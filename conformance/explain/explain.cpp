// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain.hpp"

#include <charconv>
#include <stdexcept>

#include "reference/clause.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::explain {
namespace {

using exact::Kind;
using exact::Rational;

Neighbour neighbour(const Format& to, const Rational& magnitude, bool negative) {
    Neighbour n{magnitude, std::nullopt};
    const bool too_small =
        magnitude == 0 ? !to.has_zero() : magnitude < exact::power_of_two(to.emin()) && !to.has_zero();
    if (to.is_twos_complement() && negative && magnitude == exact::decode(to, to.sign_bit()).magnitude)
        n.code = to.sign_bit(); // it has no positive counterpart
    else if (!too_small && magnitude <= exact::decode(to, to.max_code()).magnitude)
        n.code = magnitude == 0 && !to.has_minus_zero() ? 0 : to.with_sign(exact::encode(to, magnitude), negative);
    return n;
}

std::optional<Position> position_of(const Format& to, const exact::Value& value) {
    // What lies between two scales is not the amax but its quotient; flags are no numbers.
    if (value.kind != Kind::finite || value.magnitude == 0 || to.element != nullptr || to.flags_of != nullptr)
        return std::nullopt;
    const exact::Rounded r = exact::round(to, value.magnitude, value.negative, Rounding::toward_zero);
    return Position{value.negative, value.magnitude, neighbour(to, r.lower, value.negative),
                    neighbour(to, r.upper, value.negative), (r.lower + r.upper) / 2};
}

/// What each choice that had a say would give with its other values, the rest as they are.
std::vector<Say> says_of(const ExplainQuestion& q, Code input, const exact::Result& result) {
    std::vector<Say> says;
    for (const ChoiceInfo& choice : all_choices()) {
        if ((result.consulted & bit(choice.choice)) == 0) continue;
        Say say{choice.choice, std::string(value_name(q.choices, choice.choice)), {}};
        for (unsigned value = 0; value < choice.values.size(); ++value) {
            Choices other_choices = q.choices;
            set(other_choices, choice.choice, value);
            if (other_choices == q.choices ||
                (choice.choice == Choice::rounding && is_stochastic(other_choices.rounding)) ||
                (choice.choice == Choice::rule && other_choices.rule == ScaleRule::none))
                continue;
            say.others.push_back({std::string(choice.values[value]),
                                  exact::convert(*q.from, *q.to, other_choices, input, q.random).code});
        }
        says.push_back(std::move(say));
    }
    return says;
}

/// eta of the last rounding: with an intermediate format, that of the value which reaches it.
exact::Integer threshold_of(const ExplainQuestion& q, const Position& position, unsigned bits) {
    const Rational eta =
        (position.magnitude - position.lower.magnitude) / (position.upper.magnitude - position.lower.magnitude);
    return exact::stochastic_threshold(q.choices.rounding, eta, bits);
}

void check_random(const ExplainQuestion& q) {
    const std::string rounding(value_name(q.choices, Choice::rounding));
    if (is_stochastic(q.choices.rounding) && q.random.bits == 0)
        throw std::invalid_argument("rounding " + rounding + " takes random bits: --random R/n");
    if (!is_stochastic(q.choices.rounding) && q.random.bits != 0)
        throw std::invalid_argument("rounding " + rounding + " takes no random bits");
}

void check_flags(const ExplainQuestion& q) {
    if (q.to->flags_of != nullptr && q.from->scale != nullptr)
        throw std::invalid_argument("the flags of a source with a given scale are not judged");
}

std::string meaning(const Format& from, Code code) {
    const exact::Value value = exact::decode(from, code);
    const std::string text = decimal_text(from, code);
    if (value.kind != Kind::finite || value.magnitude == 0) return text;
    const bool subnormal = from.has_subnormals && value.magnitude < exact::power_of_two(from.emin());
    return hex_float(from, code) + (subnormal ? ", subnormal" : "");
}

Number input_of(const ExplainQuestion& q) {
    if (q.scale.empty()) return parse_number(q.input, *q.from);
    Number number = parse_number(q.input, *q.from->value);
    const Number scale = parse_number(q.scale, *q.from->scale);
    if (scale.rounded)
        throw std::invalid_argument("'" + q.scale + "' is not a value of " + std::string(q.from->scale->name));
    number.code = q.from->code_of(scale.code, number.code);
    return number;
}

/// What a code of the source means, a step for each of its parts.
void explain_source(const Format& from, Code code, std::vector<ExplainedStep>& steps) {
    if (from.scale != nullptr) {
        explain_source(*from.value, from.value_of(code), steps);
        return explain_source(*from.scale, from.scale_of(code), steps);
    }
    steps.push_back({std::string(clause_of(Rule::value, from, from)),
                     code_text(from, code) + " of " + std::string(from.name) + " is " + meaning(from, code)});
}

} // namespace

Explanation explain(const ExplainQuestion& question) {
    check_random(question);
    check_flags(question);
    const Format& from = *question.from;
    const Format& to = *question.to;
    Explanation e;
    e.question = question;
    e.input = input_of(question);

    explain_source(from, e.input.code, e.steps);
    std::vector<exact::Step> trace;
    e.result = exact::convert(from, to, question.choices, e.input.code, question.random, &trace);
    for (const exact::Step& step : trace)
        e.steps.push_back({std::string(clause_of(step.rule, from, to, question.choices.rule)), step.text});
    e.clause = clause_of(e.result.rule, from, to, question.choices.rule);

    e.position = position_of(to, exact::decode(from, e.input.code));
    e.says = says_of(question, e.input.code, e.result);
    if (is_stochastic(question.choices.rounding)) {
        if (!e.position || question.choices.via != Via::none ||
            e.position->lower.magnitude == e.position->upper.magnitude)
            return e;
        e.own = exact::own_bits(to, question.choices.rounding, e.position->magnitude, question.random);
        e.threshold = threshold_of(question, *e.position, e.own->bits);
    } else {
        e.run = step_around(from, to, question.choices, e.input.code);
    }
    return e;
}

exact::Random parse_random(std::string_view text) {
    const auto refuse = [&](const char* reason) -> void {
        throw std::invalid_argument("--random '" + std::string(text) + "': " + reason);
    };
    exact::Random random;
    const char* const end = text.data() + text.size();
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const auto [slash, value_error] =
        std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, random.value, hexadecimal ? 16 : 10);
    if (value_error != std::errc{} || slash == end || *slash != '/')
        refuse("expected R/n, as in 3/8 or 0x3/8: R and the number of random bits");
    const auto [stop, bits_error] = std::from_chars(slash + 1, end, random.bits);
    if (bits_error != std::errc{} || stop != end || random.bits < 1 || random.bits > 32) refuse("n is 1 to 32");
    if (random.bits < 32 && (random.value >> random.bits) != 0) refuse("R must be below 2^n");
    return random;
}

} // namespace mxcert::explain

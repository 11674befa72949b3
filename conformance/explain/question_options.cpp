// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/question_options.hpp"

#include <stdexcept>

#include "reference/block.hpp"
#include "reference/conversion.hpp"

namespace mxcert::explain {
namespace {

/// Values of this format with a given scale: divided by it on the way to a narrower format, else times it.
const Format& scaled_source(const Format& value, const Format& to) {
    return value.width() > to.width() ? by_scale(value) : times_scale(value);
}

void set_choices(const QuestionOptions& options, Choices& choices) {
    for (const std::string& choice : options.choices) set_by_text(choices, choice);
}

} // namespace

ExplainQuestion question_of(const QuestionOptions& options) {
    ExplainQuestion question;
    if (options.inputs.size() != 1)
        throw std::invalid_argument("explain: one INPUT is explained, or with --block the values of a block");
    if (!options.rule.empty())
        throw std::invalid_argument("explain: --rule is that of a --block; of an amax the rule is its --rounding");
    question.input = options.inputs.front();
    question.scale = options.scale;
    question.from = &format(options.from);
    question.to = &format(options.to);
    if (!question.scale.empty()) question.from = &scaled_source(*question.from, *question.to);
    if (question.to->element != nullptr) question.choices.rule = ScaleRule::ocp_floor;
    if (!options.rounding.empty()) set(question.choices, info(rounding_or_rule(*question.to)).name, options.rounding);
    if (!options.overflow.empty()) set(question.choices, "overflow", options.overflow);
    set_choices(options, question.choices);
    if (!options.random.empty()) question.random = parse_random(options.random);
    return question;
}

BlockQuestion block_question_of(const QuestionOptions& options) {
    if (!options.scale.empty()) throw std::invalid_argument("explain: a --block has the scale of its amax: no --scale");
    if (!options.random.empty()) throw std::invalid_argument("explain: a --block is not rounded with --random bits");
    BlockQuestion question;
    question.inputs = options.inputs;
    question.format = {&format(options.from), &format(options.to)};
    BlockChoices& choices = question.choices;
    if (!options.rule.empty()) set(choices.scale, "rule", options.rule);
    if (!options.rounding.empty()) set(choices.element, "rounding", options.rounding);
    if (!options.overflow.empty())
        for (Choices* both : {&choices.scale, &choices.element}) set(*both, "overflow", options.overflow);
    set_choices(options, choices.scale);
    set_choices(options, choices.element);
    choices.element.rule = ScaleRule::none;
    return question;
}

} // namespace mxcert::explain

// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain_block.hpp"

#include <stdexcept>

#include "conformance/frames/run.hpp"
#include "reference/exact/block.hpp"
#include "reference/fast/block.hpp"

namespace mxcert::explain {
namespace {

// The same block by the other model.
QuantizedBlock by_fast_model(const BlockQuestion& q, const std::vector<Code>& values) {
    frames::Values given_values(values.size(), frames::bytes_of(*q.format.value));
    for (std::size_t i = 0; i < values.size(); ++i) given_values.set(i, values[i]);
    std::vector<std::uint8_t> elements(values.size());
    std::uint8_t scale = 0;
    fast::quantize(q.format, q.choices, {1, values.size(), values.size()}, fast::Blocks::rowwise,
                   given_values.bytes().data(), elements.data(), &scale);
    return {scale, {elements.begin(), elements.end()}};
}

Explanation explain_code(const Format& from, const Format& to, const Choices& choices, Code code) {
    ExplainQuestion question;
    question.input = code_text(from, code);
    question.from = &from;
    question.to = &to;
    question.choices = choices;
    return explain(question);
}

} // namespace

BlockExplanation explain(const BlockQuestion& question) {
    if (question.inputs.empty()) throw std::invalid_argument("a block has at least one value");
    if (question.lane && *question.lane >= question.inputs.size())
        throw std::invalid_argument("the block has no such lane");
    const Format& format = *question.format.value;
    const Format& scaled = by_scale(format);
    std::vector<Code> values;
    for (const std::string& input : question.inputs) values.push_back(parse_number(input, format).code);
    const QuantizedBlock block = exact::quantize(question.format, question.choices, values);
    if (fast::offers_block(question.format, question.choices) && by_fast_model(question, values) != block)
        throw std::logic_error("the two models quantize this block otherwise");

    BlockExplanation e{question, {}, {}, {}};
    const Code amax = exact::amax(question.format, question.choices, values);
    e.scale = explain_code(amax_of(format), scale_of(*question.format.element), question.choices.scale, amax);
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
        if ((values[lane] & format.magnitude_mask()) == amax) e.amax_lanes.push_back(lane);
        e.elements.push_back(explain_code(scaled, *question.format.element, question.choices.element,
                                          scaled.code_of(block.scale, values[lane])));
    }
    if (e.scale.result.code != block.scale) throw std::logic_error("the scale is not that of its amax");
    for (std::size_t lane = 0; lane < values.size(); ++lane)
        if (e.elements[lane].result.code != block.elements[lane])
            throw std::logic_error("an element is not that of its value");
    return e;
}

} // namespace mxcert::explain

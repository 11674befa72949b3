// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/layout/cases.hpp"

#include <algorithm>

namespace mxcert::suites {
namespace {

frames::Values values_of(const std::vector<std::uint8_t>& bytes) {
    frames::Values values(bytes.size(), 1);
    for (std::size_t i = 0; i < bytes.size(); ++i) values.set(i, bytes[i]);
    return values;
}

} // namespace

Extent tensor_of(const LayoutCase& one) {
    const Extent scales = one.map().scales();
    return {scales.rows * one.block.rows, scales.columns * one.block.columns};
}

frames::RunCase run_of(const LayoutCase& one, unsigned plane) {
    const ScaleMap map = one.map();
    frames::RunCase asked;
    asked.shape = {map.scales().rows, map.scales().columns, 0, 0};
    asked.inputs = {values_of(layout_operand(one, plane))};
    asked.outputs = {frames::Values(one.answer_size(), 1)};
    if (one.direction == LayoutDirection::arrange && !map.layout().padding) {
        asked.undefined.resize(one.answer_size());
        for (std::uint64_t i = 0; i < asked.undefined.size(); ++i) asked.undefined[i] = !map.place_of(i).has_value();
    }
    asked.row = "places";
    asked.name = one.name();
    return asked;
}

unsigned planes_of(const LayoutCase& one) { return PlaceNumbers(one.operand_size()).planes(); }

LayoutAnswer ask(observe::Subject& subject, const Operation& operation, const LayoutCase& one) {
    LayoutAnswer answer;
    const unsigned planes = planes_of(one);
    for (unsigned plane = 0; plane < planes && answer.last.status == Status::pass; ++plane) {
        answer.run = run_of(one, plane);
        answer.last = subject.run(operation, answer.run);
        // Requests that are only written down have no answers.
        if (answer.last.status == Status::pass && !answer.last.outputs.empty())
            answer.planes.push_back(std::move(answer.last.outputs[0]));
    }
    return answer;
}

std::vector<LayoutCase> layout_cases(const Layout& layout) {
    std::vector<LayoutCase> cases = mxcert::layout_cases();
    std::erase_if(
        cases, [&](const LayoutCase& one) { return one.layout != layout.layout || one.direction != layout.direction; });
    return cases;
}

LayoutCase case_of(const Layout& layout, const cases::GivenCase& given) {
    LayoutCase one = layout_cases(layout).front(); // of blocks that the layout is used with
    one.matrix = {given.sizes[0] * one.block.rows, given.sizes[1] * one.block.columns};
    return one;
}

std::vector<std::vector<std::uint8_t>> bytes_of(const std::vector<frames::Values>& planes) {
    std::vector<std::vector<std::uint8_t>> all;
    for (const frames::Values& values : planes) {
        std::vector<std::uint8_t>& bytes = all.emplace_back(values.count());
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(values.get(i));
    }
    return all;
}

} // namespace mxcert::suites

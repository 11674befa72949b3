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

Extent tensor_of(const LayoutCase& layout_case) {
    const Extent scales = layout_case.map().scales();
    return {scales.rows * layout_case.block.rows, scales.columns * layout_case.block.columns};
}

frames::RunCase run_of(const LayoutCase& layout_case, unsigned plane) {
    const ScaleMap map = layout_case.map();
    frames::RunCase run_case;
    run_case.shape = {map.scales().rows, map.scales().columns, 0, 0};
    run_case.inputs = {values_of(layout_operand(layout_case, plane))};
    run_case.outputs = {frames::Values(layout_case.answer_size(), 1)};
    if (layout_case.direction == LayoutDirection::arrange && !map.layout().padding) {
        run_case.undefined.resize(layout_case.answer_size());
        for (std::uint64_t i = 0; i < run_case.undefined.size(); ++i)
            run_case.undefined[i] = !map.place_of(i).has_value();
    }
    run_case.row = "places";
    run_case.name = layout_case.name();
    return run_case;
}

unsigned planes_of(const LayoutCase& layout_case) { return PlaceNumbers(layout_case.operand_size()).planes(); }

LayoutAnswer ask(observe::Subject& subject, const Operation& operation, const LayoutCase& layout_case) {
    LayoutAnswer answer;
    const unsigned planes = planes_of(layout_case);
    for (unsigned plane = 0; plane < planes && answer.last.status == Status::pass; ++plane) {
        answer.run = run_of(layout_case, plane);
        answer.last = subject.run(operation, answer.run);
        // Requests that are only written down have no answers.
        if (answer.last.status == Status::pass && !answer.last.outputs.empty())
            answer.planes.push_back(std::move(answer.last.outputs[0]));
    }
    return answer;
}

std::vector<LayoutCase> layout_cases(const Layout& layout) {
    std::vector<LayoutCase> cases = mxcert::layout_cases();
    std::erase_if(cases, [&](const LayoutCase& layout_case) {
        return layout_case.layout != layout.layout || layout_case.direction != layout.direction;
    });
    return cases;
}

LayoutCase case_of(const Layout& layout, const cases::GivenCase& given_case) {
    LayoutCase layout_case = layout_cases(layout).front(); // of blocks that the layout is used with
    layout_case.matrix = {given_case.sizes[0] * layout_case.block.rows,
                          given_case.sizes[1] * layout_case.block.columns};
    return layout_case;
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

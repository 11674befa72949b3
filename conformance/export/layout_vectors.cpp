// SPDX-License-Identifier: Apache-2.0
// The operation "layout": scales whose bytes tell their places, in several planes.
#include <fmt/format.h>

#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/layout/cases.hpp"
#include "conformance/suites/layout/layout_faults.hpp"

namespace mxcert::test_vectors {
namespace {

std::vector<Code> codes_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

/// A plane of a case as a test.
TestVector test_of(const LayoutCase& layout_case, unsigned plane) {
    const std::vector<std::uint8_t> operand = layout_operand(layout_case, plane);
    const std::vector<std::uint8_t> right = layout_answer(layout_case, operand);
    const frames::RunCase run = suites::run_of(layout_case, plane);
    const auto is_open = [&](std::size_t at) { return at < run.undefined.size() && run.undefined[at]; };
    TestVector test;
    test.comment = fmt::format("{}, plane {}", layout_case.name(), plane);
    test.inputs = {codes_of(operand)};
    VectorAnswer& answer = test.answers.emplace_back();
    answer.outputs = {codes_of(right)};
    for (std::size_t at = 0; at < right.size(); ++at)
        if (is_open(at)) set_value(answer, 0, at, any_value(right[at]));
    for (const suites::LayoutMaker& maker : suites::layout_makers(layout_case)) {
        if (maker.bug_class.empty()) continue;
        const std::vector<std::uint8_t> wrong = suites::made_answer(layout_case, maker, operand);
        for (std::size_t at = 0; at < right.size(); ++at)
            if (wrong[at] != right[at] && !is_open(at)) {
                add_bug(test.bugs, maker.bug_class);
                break;
            }
    }
    return test;
}

} // namespace

TestVectors layout_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& /*golden*/) {
    TestVectors head = head_of(operation, profile);
    head.origin = "computed from the digits of the layout";
    head.sizes = {"rows", "columns"};
    head.inputs = {{"scales", &formats::e8m0}};
    head.outputs = {{"arranged", &formats::e8m0}};
    const Layout layout = as_layout(operation);
    if (layout.direction != LayoutDirection::arrange) head.outputs.front().name = "restored";
    Collection collection(std::move(head));
    for (const LayoutCase& layout_case : suites::layout_cases(layout)) {
        if (std::max(layout_case.operand_size(), layout_case.answer_size()) > most_values) {
            collection.leave_out("matrices too large to be written down");
            continue;
        }
        const Extent scales = layout_case.map().scales();
        for (unsigned plane = 0; plane < suites::planes_of(layout_case); ++plane)
            collection.add("places", {scales.rows, scales.columns}, test_of(layout_case, plane));
    }
    return collection.take();
}

} // namespace mxcert::test_vectors

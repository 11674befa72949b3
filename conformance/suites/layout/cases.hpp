// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/observe/subject.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/cases/layout_cases.hpp"

namespace mxcert::suites {

/// A case of scales of a size, which was written down.
[[nodiscard]] LayoutCase case_of(const Layout& layout, const cases::GivenCase& given_case);
/// What a backend is asked for a plane of a case, and how many planes a case has.
[[nodiscard]] frames::RunCase run_of(const LayoutCase& layout_case, unsigned plane);
[[nodiscard]] unsigned planes_of(const LayoutCase& layout_case);
/// The smallest tensor with so many scales: what a backend is told of it.
[[nodiscard]] Extent tensor_of(const LayoutCase& layout_case);

/// What came of a case.
struct LayoutAnswer {
    frames::RunAnswer last; ///< of the last plane that was asked
    frames::RunCase run;    ///< that plane
    std::vector<frames::Values>
        planes; ///< of every plane, where `last` is PASS; none of a subject that only takes requests
};
[[nodiscard]] LayoutAnswer ask(observe::Subject& subject, const Operation& operation, const LayoutCase& layout_case);

/// The cases of an operation.
[[nodiscard]] std::vector<LayoutCase> layout_cases(const Layout& layout);

/// The bytes of an answer: what judge() takes.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> bytes_of(const std::vector<frames::Values>& planes);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/cases/layout_cases.hpp"

namespace mxcert {

/// Asks for the operation "layout" with matrices of scales in which every byte tells its place (layout_cases()), and
/// judges where each came out; Row::faults name what a wrong layout is. A case of a tensor that the source of every
/// profile refuses may be refused, and is named where it is answered. Profile, id and operation of the row are the
/// caller's.
[[nodiscard]] Row certify_layout(Subject& subject, const Operation& operation,
                                 const std::vector<const Profile*>& profiles, const CertifyOptions& options);

/// A case of scales of a size, which was written down.
[[nodiscard]] LayoutCase case_of(const Layout& layout, const GivenCase& given);
/// What a backend is asked for a plane of a case, and how many planes a case has.
[[nodiscard]] RunCase run_of(const LayoutCase& one, unsigned plane);
[[nodiscard]] unsigned planes_of(const LayoutCase& one);
/// Whether the sources of all of these profiles refuse the tensor of a case.
[[nodiscard]] bool refuse(const std::vector<const Profile*>& profiles, const LayoutCase& one);
/// What is wrong in the planes that came, in words; nothing if it is right.
[[nodiscard]] std::vector<std::string> faults_of(const LayoutCase& one, const std::vector<Values>& planes);

/// What came of a case.
struct LayoutAnswer {
    RunAnswer last;             ///< of the last plane that was asked
    RunCase run;                ///< that plane
    std::vector<Values> planes; ///< of every plane, where `last` is PASS; none of a subject that only takes requests
};
[[nodiscard]] LayoutAnswer ask(Subject& subject, const Operation& operation, const LayoutCase& one);

/// The cases of an operation.
[[nodiscard]] std::vector<LayoutCase> layout_cases(const Layout& layout);

/// The bytes of an answer: what judge() takes.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> bytes_of(const std::vector<Values>& planes);

} // namespace mxcert

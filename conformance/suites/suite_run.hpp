// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// An operation of a subject while its rows are made.
struct SuiteRun {
    observe::Subject& subject;
    const Operation& operation;
    const std::vector<const Profile*>& profiles; ///< that judge it
    verdict::GoldenSource& golden;
    const verdict::CertifyOptions& options;

    [[nodiscard]] std::string id(std::string_view part) const; ///< of its row: "quantize-.../blocks"
    [[nodiscard]] bool wanted(std::string_view part) const;    ///< whether --filter selects it
};

} // namespace mxcert::suites

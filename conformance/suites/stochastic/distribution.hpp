// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/frames/run.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"
#include "conformance/suites/suite_run.hpp"
#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Asks for the operation "stochastic" and judges the distribution of its answers (docs/stochastic.md): a sample. Where
/// the operation names its law the answers are held to that, without tolerance. No profile decides it: that field
/// of the row, its id and its operation are the caller's.
[[nodiscard]] verdict::Row certify_distribution(observe::Subject& subject, const Operation& operation,
                                                const verdict::CertifyOptions& options);

/// What the verdict on a tally says of a row whose runs ended with an answer: Status::pass where all came. The status,
/// the reason, what differs, and the name that it is known by.
void describe(verdict::Row& row, const stochastic::Tally& tally, const stochastic::Verdict& verdict,
              const frames::RunAnswer& answer);

/// The row of a part for each profile that judges: no profile decides a distribution.
[[nodiscard]] std::vector<verdict::Row> rows_of_all(const SuiteRun& run, std::string_view part,
                                                    const verdict::Row& of_all);

} // namespace mxcert::suites

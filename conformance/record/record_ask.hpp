// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/record/recorded_run.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/options.hpp"

// The questions of a record, offer by offer: take_record() asks all of them, a part of a divided record
// (docs/shards.md) its share. Of the options the filters, seed, samples, level and stop flag count.
namespace mxcert::record {

/// Why an offer is in no record: its answers are random. "" for every other offer.
[[nodiscard]] std::string why_never(const Conversion& conversion);
[[nodiscard]] std::string why_never(const Operation& operation);

/// The offers that the filters select, in the order of the backend; an operation if they select any of its rows.
[[nodiscard]] std::vector<Conversion> selected_conversions(const observe::BackendInfo& info,
                                                           const std::vector<std::string>& filters);
[[nodiscard]] std::vector<Operation> selected_operations(const observe::BackendInfo& info,
                                                         const std::vector<std::string>& filters);

/// The selected offers without those of why_never(), as a plan that no profile judges. 64-bit sources have the
/// boundaries of the exact model's table and of what each profile permits, +-2 ulp, and samples. Throws
/// std::runtime_error for broken golden files. The plan refers to `golden`.
[[nodiscard]] certify::Plan plan_record(const observe::Subject& subject, const verdict::CertifyOptions& options,
                                        verdict::GoldenSource& golden);

/// Asks its points if the subject is asked chosen inputs of it (Subject::holds_points()), else every input.
[[nodiscard]] observe::Observation ask_conversion(observe::Subject& subject, const suites::PlannedConversion& planned);

/// The answers of an operation, and how asking it ended.
struct TakenOperation {
    RecordedOperation recorded;
    Status status = Status::pass; ///< not pass: it is not recorded, and `reason` says why
    std::string reason;
};

/// Asks every run of its suite, in a worker that ran no other operation and is ended then: what a backend remembers
/// from one operation to the next is in no record. Precondition: why_never() is "".
[[nodiscard]] TakenOperation take_operation(observe::Subject& subject, const Operation& operation,
                                            const verdict::CertifyOptions& options, verdict::GoldenSource& golden);

} // namespace mxcert::record

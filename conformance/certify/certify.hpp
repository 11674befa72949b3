// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/conversion/plan_conversion.hpp"
#include "conformance/suites/given_bits/certify_random.hpp"
#include "conformance/verdict/options.hpp"

namespace mxcert::certify {

/// The profiles a backend is held to when none is named: those it was asked for or claims, where there are any; else
/// ocp if it offers both overflow modes, ocp-sat or ocp-nosat if it offers one.
[[nodiscard]] std::vector<std::string> default_profiles(const observe::BackendInfo& info);

/// An operation that is going to be asked for.
struct PlannedOperation {
    Operation operation;
    bool required = false;
};

/// What a run is going to do.
struct Plan {
    std::vector<const Profile*> profiles;
    std::vector<suites::PlannedConversion> conversions;
    std::vector<suites::GivenBits> given_bits;
    std::vector<PlannedOperation> operations;
    verdict::GoldenSource* golden = nullptr; ///< what operations are judged by
    std::vector<std::string> outside;        ///< offered, and judged by none of the profiles
    std::vector<std::string> left_out;       ///< offered, and named by `--leave-out`
    std::vector<verdict::Row> fixed;         ///< rows that are decided already: required offers that cannot be judged

    [[nodiscard]] std::uint64_t inputs() const;
};

/// Throws std::invalid_argument for an unknown profile, a pattern that no conversion or operation can match, or a row
/// to reproduce that the operation does not have, std::runtime_error for broken golden files. The plan refers to
/// `golden`.
[[nodiscard]] Plan make_plan(const observe::Subject& subject, const verdict::CertifyOptions& options,
                             verdict::GoldenSource& golden);

/// Called while a plan runs, `started` from several threads; each may be empty.
struct CertifyEvents {
    /// A conversion, or an operation, is going to be asked. `inputs`: how many; 0 where that is not known before.
    std::function<void(const std::string& name, std::uint64_t inputs)> started;
    /// One whose inputs were not known before has been asked. Called from several threads.
    std::function<void(const std::string& name)> ended;
    /// The rows of one conversion or operation, or of the provisions, and the seconds that these took.
    std::function<void(const std::vector<verdict::Row>&, double seconds)> judged;
    /// What came of asking conversions and operations in turn. `untested`: there were no turns.
    std::function<void(const observe::TurnsSeen&)> turned{};
    /// Asked before each conversion and operation, from several threads: true leaves it out, without a row.
    std::function<bool()> is_enough;
};

/// The row of a worker that did not serve its operations to the end, which says why; INCOMPLETE if the run was stopped,
/// as then it was not given the time.
[[nodiscard]] verdict::Row row_of_end(const std::string& reason, bool stopped);

/// The row of turns that did not pass.
[[nodiscard]] verdict::Row row_of_turns(const observe::TurnsSeen& seen);

/// Runs a plan: a row for every planned conversion and profile, for every provision, and the fixed ones. Never throws
/// for what the backend does.
[[nodiscard]] std::vector<verdict::Row> certify(observe::Subject& subject, const Plan& plan,
                                                const verdict::CertifyOptions& wanted, const CertifyEvents& events);

} // namespace mxcert::certify

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/reproduce.hpp"
#include "conformance/level.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/verdict.hpp"

namespace mxcert {

struct CertifyOptions {
    std::vector<std::string> profiles;     ///< names; none: default_profiles()
    std::vector<std::string> filters;      ///< globs over row ids; none: all
    std::vector<std::string> leave_out;    ///< globs over conversions and operations that are not asked
    std::vector<std::string> required;     ///< globs over conversions and operations that must be offered
    std::optional<Reproduction> reproduce; ///< this input or case alone
    unsigned samples_per_step = 64;        ///< 64-bit sources
    std::size_t max_failures = 5;          ///< differences a row keeps
    std::uint64_t seed = 1;
    Level level = default_level;       ///< which inputs and cases of operations are asked
    bool shrink = false;               ///< of operations: a case that fails is made smaller (Row::smallest)
    stochastic::Parameters stochastic; ///< of the test of random bits of a backend's own
    const std::atomic<bool>* stop = nullptr;
    bool recorded = false; ///< of operations: the runs that a record has, which do not depend on the profiles
    bool judged = true;    ///< false: operations are asked for, and nothing is judged

    /// Of the row of an operation that is asked: the input or the case that alone is wanted.
    [[nodiscard]] std::optional<std::uint64_t> only() const {
        return reproduce && reproduce->operation ? reproduce->number : std::nullopt;
    }
    /// The case that is asked instead of those of the row; "": none.
    [[nodiscard]] std::string_view given() const { return reproduce ? std::string_view(reproduce->given) : ""; }
    /// Whether a case of this subject that fails can be made smaller, and should be.
    [[nodiscard]] bool shrinks(const Subject& subject) const {
        return shrink && given().empty() && !subject.is_record();
    }
    [[nodiscard]] bool stopped() const { return stop != nullptr && stop->load(); }
};

/// The profiles a backend is held to when none is named: those it was asked for or claims, where there are any; else
/// ocp if it offers both overflow modes, ocp-sat or ocp-nosat if it offers one.
[[nodiscard]] std::vector<std::string> default_profiles(const BackendInfo& info);

/// One profile's view of a conversion.
struct Judge {
    const Profile* profile = nullptr;
    PermitTable permitted;
    const GoldenUsed* golden = nullptr;
};

/// The judges of a conversion: those of the profiles that cover it.
[[nodiscard]] std::vector<Judge> judges_of(const Conversion& conversion, const std::vector<const Profile*>& profiles,
                                           GoldenSource& golden);
/// The first inputs of the steps of all judges, ascending: a profile that is stricter has more of them.
[[nodiscard]] std::vector<Code> boundaries(const std::vector<Judge>& judges);
/// Those of the exact model for a conversion and of what each of the profiles permits: what is asked so can be held to
/// any of them.
[[nodiscard]] std::vector<Code> all_boundaries(const Conversion& conversion,
                                               const std::vector<const Profile*>& profiles, GoldenSource& golden);
/// The verdict of one judge. A comparison that cannot be trusted is UNTESTED.
[[nodiscard]] Row judge_by(const Judge& by, const Observation& seen, const CertifyOptions& options);

/// A conversion that is going to be observed once, and judged by every profile that covers it.
struct Planned {
    Conversion conversion;
    std::vector<Judge> judges; ///< at least one
    PermitTable permitted;     ///< what any of the judges permits: the harness picks poison by it
    PermitTable agreed;        ///< what all of them permit; where they agree on nothing it permits nothing
    std::vector<Point> points; ///< the inputs of a 64-bit source, or the one of a reproduction; empty: every input
    std::size_t unasked = 0;   ///< boundaries +-2 ulp of what is permitted to which stored answers have none
    bool required = false;

    [[nodiscard]] std::uint64_t inputs() const {
        return points.empty() ? conversion.from->last_code() + 1 : points.size();
    }
};

/// A stochastic rounding whose random bits are given: a function of the input and of them.
struct GivenBits {
    Conversion conversion;
    std::vector<const Profile*> profiles; ///< that judge it; at least one
    bool required = false;
    std::vector<Point> points{}; ///< the input and random bits of a reproduction; empty: random_points()
};

/// An operation that is going to be asked for.
struct PlannedOperation {
    Operation operation;
    bool required = false;
};

/// Why nothing was compared in a row of an operation that has so many cases.
[[nodiscard]] std::string nothing_compared(const CertifyOptions& options, std::uint64_t cases);

/// What a run is going to do.
struct Plan {
    std::vector<const Profile*> profiles;
    std::vector<Planned> conversions;
    std::vector<GivenBits> given_bits;
    std::vector<PlannedOperation> operations;
    GoldenSource* golden = nullptr;    ///< what operations are judged by
    std::vector<std::string> outside;  ///< offered, and judged by none of the profiles
    std::vector<std::string> left_out; ///< offered, and named by `--leave-out`
    std::vector<Row> fixed;            ///< rows that are decided already: required offers that cannot be judged

    [[nodiscard]] std::uint64_t inputs() const;
};

/// Throws std::invalid_argument for an unknown profile, a pattern that no conversion or operation can match, or a row
/// to reproduce that the operation does not have, std::runtime_error for broken golden files. The plan refers to
/// `golden`.
[[nodiscard]] Plan make_plan(const Subject& subject, const CertifyOptions& options, GoldenSource& golden);

/// Called while a plan runs, `started` from several threads; each may be empty.
struct CertifyEvents {
    /// A conversion, or an operation, is going to be asked. `inputs`: how many; 0 where that is not known before.
    std::function<void(const std::string& name, std::uint64_t inputs)> started;
    std::function<void(const std::vector<Row>&)> judged; ///< the rows of one conversion, or of the provisions
};

/// Runs a plan: a row for every planned conversion and profile, for every provision, and the fixed ones. Never throws
/// for what the backend does.
[[nodiscard]] std::vector<Row> certify(Subject& subject, const Plan& plan, const CertifyOptions& wanted,
                                       const CertifyEvents& events);

} // namespace mxcert

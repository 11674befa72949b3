// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/golden_source.hpp"
#include "conformance/reproduce.hpp"
#include "conformance/subject.hpp"
#include "conformance/verdict.hpp"

namespace mxcert {

struct CertifyOptions {
    std::vector<std::string> profiles;     ///< names; none: default_profiles()
    std::vector<std::string> filters;      ///< globs over row ids; none: all
    std::vector<std::string> required;     ///< globs over conversions that must be offered
    std::optional<Reproduction> reproduce; ///< this input alone
    unsigned samples_per_step = 64;        ///< 64-bit sources
    std::size_t max_failures = 5;          ///< differences a row keeps
    std::uint64_t seed = 1;
    const std::atomic<bool>* stop = nullptr;
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

/// A conversion that is going to be observed once, and judged by every profile that covers it.
struct Planned {
    Conversion conversion;
    std::vector<Judge> judges; ///< at least one
    PermitTable permitted;     ///< what any of the judges permits: the harness picks poison by it
    std::vector<Point> points; ///< the inputs of a 64-bit source, or the one of a reproduction; empty: every input
    std::size_t unasked = 0;   ///< boundaries +-2 ulp of what is permitted to which stored answers have none
    bool required = false;

    [[nodiscard]] std::uint64_t inputs() const {
        return points.empty() ? conversion.from->last_code() + 1 : points.size();
    }
};

/// The first inputs of the steps of all judges, ascending: a profile that is stricter has more of them.
[[nodiscard]] std::vector<Code> boundaries(const Planned& planned);

/// What a run is going to do.
struct Plan {
    std::vector<const Profile*> profiles;
    std::vector<Planned> conversions;
    std::vector<Operation> operations;
    GoldenSource* golden = nullptr;   ///< what operations are judged by
    std::vector<std::string> outside; ///< offered, and judged by none of the profiles
    std::vector<Row> fixed;           ///< rows that are decided already: required conversions that cannot be judged

    [[nodiscard]] std::uint64_t inputs() const;
};

/// Throws std::invalid_argument for an unknown profile or a pattern that no conversion can match, std::runtime_error
/// for broken golden files. The plan refers to `golden`.
[[nodiscard]] Plan make_plan(const Subject& subject, const CertifyOptions& options, GoldenSource& golden);

/// Called while a plan runs; each may be empty.
struct CertifyEvents {
    std::function<void(const Planned&)> started;
    std::function<void(const Operation&)> operating;
    std::function<void(const std::vector<Row>&)> judged; ///< the rows of one conversion, or of the provisions
};

/// Runs a plan: a row for every planned conversion and profile, for every provision, and the fixed ones. Never throws
/// for what the backend does.
[[nodiscard]] std::vector<Row> certify(Subject& subject, const Plan& plan, const CertifyOptions& options,
                                       const CertifyEvents& events);

} // namespace mxcert

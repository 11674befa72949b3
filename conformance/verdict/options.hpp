// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/reproduce.hpp"
#include "conformance/level.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/samples.hpp"
#include "conformance/verdict/stochastic_parameters.hpp"

namespace mxcert::verdict {

/// The options of a run.
struct CertifyOptions {
    std::vector<std::string> profiles;            ///< names; none: default_profiles()
    std::vector<std::string> filters;             ///< globs over row ids; none: all
    std::vector<std::string> leave_out;           ///< globs over conversions and operations that are not asked
    std::vector<std::string> required;            ///< globs over conversions and operations that must be offered
    std::optional<cases::Reproduction> reproduce; ///< this input or case alone
    unsigned samples_per_step = default_samples_per_step; ///< 64-bit sources
    std::size_t max_failures = 5;                         ///< differences a row keeps
    std::uint64_t seed = 1;
    Level level = default_level;     ///< which inputs and cases of operations are asked
    bool shrink = false;             ///< of operations: a case that fails is made smaller (Row::smallest)
    StochasticParameters stochastic; ///< of the test of random bits of a backend's own
    const std::atomic<bool>* stop = nullptr;
    bool map = false;            ///< rows of tables get TableFindings::map
    bool sampled_scales = false; ///< of a quantizer: those by which elements are asked are found by a sample of amaxes
    bool recorded = false;       ///< of operations: the runs that a record has, which do not depend on the profiles

    /// Of the row of an operation that is asked: the input or the case that alone is wanted.
    [[nodiscard]] std::optional<std::uint64_t> only() const {
        return reproduce && reproduce->operation ? reproduce->number : std::nullopt;
    }
    /// The case that is asked instead of those of the row; "": none.
    [[nodiscard]] std::string_view given() const { return reproduce ? std::string_view(reproduce->given) : ""; }
    /// Whether a case of this subject that fails can be made smaller, and should be.
    [[nodiscard]] bool shrinks(const observe::Subject& subject) const {
        return shrink && given().empty() && !subject.is_record();
    }
    [[nodiscard]] bool stopped() const { return stop != nullptr && stop->load(); }
};

/// Why nothing was compared in a row of an operation that has so many cases.
[[nodiscard]] std::string nothing_compared(const CertifyOptions& options, std::uint64_t cases);

} // namespace mxcert::verdict

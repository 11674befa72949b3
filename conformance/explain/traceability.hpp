// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/faults/planted.hpp"
#include "vectors/golden_store/manifest.hpp"

// From a clause to what proves that breaking it is seen (docs/traceability.md). All of it is found out, nothing listed.
namespace mxcert::explain {

/// A planted fault that breaks a clause, and is caught by it.
struct CaughtFault {
    std::string_view bug_class; ///< id; "" where a provision is broken
    std::string how;            ///< "rounding=nearest_away", the words of a fault, or what is not offered
    std::string conversion;     ///< that it was planted in; "" where a provision is broken
    std::string_view profile;   ///< that it was held to
    std::uint64_t inputs = 0;   ///< wrong inputs that the clause decides; 0 where a provision is broken
};

/// The chain of one clause.
struct ClauseTrace {
    const Clause* clause = nullptr;
    std::vector<std::string> suites;          ///< as suites_of()
    std::vector<const ManifestEntry*> golden; ///< the files behind them, of the manifest that was given
    std::vector<CaughtFault> faults;          ///< in the order of the conversions they were planted in
};

/// A conversion that faults are planted in for clauses, and the profile that decides there.
struct TracedConversion {
    std::string_view conversion;
    std::string_view profile;
};
/// As few and as narrow as show a fault of every clause that decides something; conversions of a value with its scale
/// are planted under a few scales.
[[nodiscard]] std::span<const TracedConversion> traced_conversions();

/// Whether some planted fault must be caught by it: a clause that decides something.
[[nodiscard]] bool needs_fault(const Clause& clause);

/// Plants in the conversions given and in the provisions of every profile. One trace a clause, in the order of
/// all_clauses(). `jobs`: threads, 0: one a core. Throws as GoldenSource::get().
[[nodiscard]] std::vector<ClauseTrace> trace_clauses(const Manifest& manifest,
                                                     std::span<const TracedConversion> conversions, unsigned jobs);

/// Whether a clause caught wrong answers to a conversion, by the name of the choice that was planted ("" for a fault
/// that no choice expresses): wrong inputs that it decides. Of a clause without rows of its own those lie in the rows
/// it names, and where these meet, at the border.
[[nodiscard]] std::uint64_t caught_by(const Clause& clause, const Conversion& conversion, std::string_view choice,
                                      const std::vector<Difference>& wrong, const PermitTable& permitted);

/// One line a clause that decides something, then the others.
[[nodiscard]] std::string trace_table(const std::vector<ClauseTrace>& traces);
/// One clause with its golden files and every fault.
[[nodiscard]] std::string trace_text(const ClauseTrace& trace);

} // namespace mxcert::explain

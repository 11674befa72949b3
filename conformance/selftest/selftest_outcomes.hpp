// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "conformance/selftest/planted_backend.hpp"
#include "conformance/selftest/selftest.hpp"

namespace mxcert::selftest {

/// The outcomes of all planted bugs.
struct Outcomes {
    std::vector<SelftestResult> tables;
    std::vector<PlantedBackendResult> backends;
};

/// A bug that escaped, or was given a wrong name.
[[nodiscard]] bool is_bad(PlantOutcome outcome);
[[nodiscard]] bool is_any_bad(const Outcomes& outcomes);

/// The class of a planted backend's bug; nullptr of none.
[[nodiscard]] const BugClass* class_of(const PlantedBackendResult& result);

/// The outcomes in the order of the matrix.
inline constexpr std::array outcome_columns{PlantOutcome::equivalent, PlantOutcome::named,    PlantOutcome::alike,
                                            PlantOutcome::unnamed,    PlantOutcome::misnamed, PlantOutcome::escaped};

/// How many bugs had which outcome.
struct OutcomeCounts {
    std::map<PlantOutcome, std::size_t> counts;
    std::size_t all = 0;

    void add(PlantOutcome outcome) {
        ++counts[outcome];
        ++all;
    }
    [[nodiscard]] std::size_t operator[](PlantOutcome outcome) const {
        const auto at = counts.find(outcome);
        return at == counts.end() ? 0 : at->second;
    }
};

/// The counts of each class, nullptr: of none, and of all.
struct Tally {
    std::map<const BugClass*, OutcomeCounts> classes;
    OutcomeCounts all;

    explicit Tally(const Outcomes& outcomes);
};

/// The fault matrix: a row of counts for each class.
struct MatrixRow {
    std::string name; ///< id of the class, "of no class" or "all"
    OutcomeCounts counts;
};
[[nodiscard]] std::vector<MatrixRow> matrix_rows(const Tally& tally);
/// The matrix for people.
[[nodiscard]] std::string matrix_text(const Tally& tally);
/// A line for each bug that escaped or was given a wrong name.
[[nodiscard]] std::string bad_text(const Outcomes& outcomes);
/// How many were planted, caught and named: one sentence.
[[nodiscard]] std::string verdict_text(const Tally& tally);
/// A planted bug, and what came of it.
[[nodiscard]] nlohmann::ordered_json json_of(const SelftestResult& result);
[[nodiscard]] nlohmann::ordered_json json_of(const PlantedBackendResult& result);
/// Every planted bug, a list.
[[nodiscard]] nlohmann::ordered_json outcomes_json(const Outcomes& outcomes);

} // namespace mxcert::selftest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/faults/planted.hpp"
#include "conformance/verdict/judge.hpp"

// Whether the suite finds what it is for: bugs are planted, and each must be caught and named.
namespace mxcert::selftest {

/// What came of it.
enum class PlantOutcome : std::uint8_t {
    equivalent, ///< every answer is permitted: nothing can tell it from an implementation that conforms
    named,      ///< caught, and all that is wrong is explained, by its class; others only where they explain it all too
    alike,      ///< caught, and all that is wrong is explained by another bug that gives the same wrong answers
    unnamed,    ///< caught, and nothing is named: there is no class of it
    misnamed,   ///< caught, and something is not explained
    escaped,    ///< PASS though an answer is not permitted
};
[[nodiscard]] std::string_view to_string(PlantOutcome outcome);

struct SelftestResult {
    faults::Planted planted;
    PlantOutcome outcome = PlantOutcome::escaped;
    std::vector<std::string_view> named; ///< ids of the classes that the verdict named
    std::uint64_t differing = 0;         ///< inputs with an answer that is not permitted
};

/// A conversion that bugs are planted in by default, and what judges it.
struct SelftestConversion {
    std::string_view name;
    std::string_view profile; ///< "": the first that judges it
};

/// Of every kind one or more: to elements and back, to scales, by the common rules, with a given scale.
[[nodiscard]] std::span<const SelftestConversion> selftest_conversions();

/// What judges it. Throws std::invalid_argument if no profile does.
[[nodiscard]] const Profile& profile_of(const SelftestConversion& planted);

/// Judges one, by the verdict that every observation gets.
[[nodiscard]] SelftestResult plant(const faults::Planted& planted, const verdict::Judge& judge);

/// Judges all on so many threads (0: one a core), in their order. `done` is called with the number of those done, from
/// any thread, one at a time.
[[nodiscard]] std::vector<SelftestResult> selftest(const std::vector<faults::Planted>& all,
                                                   verdict::GoldenSource& golden, unsigned jobs,
                                                   const std::function<void(std::size_t)>& done);

} // namespace mxcert::selftest

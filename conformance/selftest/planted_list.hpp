// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/selftest/planted_backend.hpp"
#include "conformance/selftest/selftest.hpp"
#include "conformance/selftest/selftest_outcomes.hpp"

namespace mxcert::selftest {

/// Which bugs are planted.
struct Selection {
    std::vector<std::string> filters;  ///< globs over conversions and rows; none: all
    std::vector<std::string> profiles; ///< that judge; none: of a conversion the first that does
    bool every_profile = false;        ///< every one that does
};

/// The profiles a conversion is held to: those named, all that judge it, or the first that does.
[[nodiscard]] std::vector<const Profile*> profiles_of(const Selection& selection, const SelftestConversion& planted);

/// Bugs in the order of the results.
struct PlantedList {
    std::vector<faults::Planted> tables;
    std::vector<const PlantedBackend*> backends;
    std::filesystem::path folder; ///< with their plugins
    std::string not_run;          ///< a line: why there are no backends although some were selected

    [[nodiscard]] std::size_t size() const { return tables.size() + backends.size(); }
};

/// The backends that are selected, and wanted.
[[nodiscard]] PlantedList backends_of(const Selection& selection,
                                      const std::function<bool(const PlantedBackend&)>& is_wanted);

/// Every bug that is selected. Throws std::invalid_argument if there is no such profile.
[[nodiscard]] PlantedList planted_of(const Selection& selection);

/// The part that plants the bug of this index. Neighbours in the list cost about the same.
[[nodiscard]] inline std::uint64_t dealt_to(std::size_t index, std::uint64_t parts) { return index % parts; }

/// Those bugs of a list, in its order, for whose index this is true.
[[nodiscard]] PlantedList picked(const PlantedList& list, const std::function<bool(std::size_t)>& is_wanted);

/// Plants all on so many threads (0: one a core). `done` is called with the number of those done, from any thread, one
/// at a time.
[[nodiscard]] Outcomes plant_all(const PlantedList& list, unsigned jobs, const std::function<void(std::size_t)>& done);

} // namespace mxcert::selftest

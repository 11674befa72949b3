// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/level.hpp"
#include "conformance/selftest/planted_backend.hpp"

// Which levels of certify see bugs of places in a call, from which sources, and bugs of sizes (docs/suites.md).
namespace mxcert::selftest {

/// Levels that are shown side by side.
inline constexpr std::array place_levels{Level::smoke, Level::quick, Level::standard};

/// A bug of places or sizes, held to one row at each of place_levels.
struct PlaceFault {
    std::string_view about; ///< "lane", "word" of given random bits, or "size"
    PlantedBackend planted; ///< `level`: the first that is to show it
};

/// Each bug of lanes in conversions from several sources, each bug of the places of given random words, and each bug of
/// sizes in conversions and in blocks.
[[nodiscard]] const std::vector<PlaceFault>& place_faults();

struct PlaceResult {
    std::array<std::string, place_levels.size()>
        seen;                ///< the class that was named, FAIL or the like, or "-": it passed, or is not asked
    std::size_t escaped = 0; ///< levels that are to show it and do not
};

/// Certifies one at each level. Throws std::runtime_error as planted_folder() does, or if its row is not there.
[[nodiscard]] PlaceResult run_place_fault(const PlaceFault& fault, const std::filesystem::path& folder);

} // namespace mxcert::selftest

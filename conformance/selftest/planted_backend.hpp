// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/selftest/selftest.hpp"

// Wrong backends that are run as any other is, in a process of their own: bugs of operations, and bugs of time and
// place, which are no table of a conversion.
namespace mxcert::selftest {

/// A backend of conformance/planted with a bug, and where the bug shows.
struct PlantedBackend {
    std::string_view plugin;       ///< in lib/mxcert-planted: "quantizer"
    std::string_view option;       ///< that it is given: "scales transposed"
    std::string_view profile;      ///< that it is held to
    std::string_view row;          ///< the only one that is asked for: "layout-swizzle_128x4-arrange/places"; or a
                                   ///< pattern of several that pass, and what fails is the row of their turns
    std::string_view bug_class;    ///< id of the class that must be named; "": none is known, and none may be named
    Status verdict = Status::fail; ///< that its row must have
    bool may_be_unnamed = false;   ///< the verdict need not name the class yet, and may name no other
    Level level = Level::quick;    ///< the first that shows it, of those that ask every input
};

/// Every one, those of an operation beside each other.
[[nodiscard]] std::span<const PlantedBackend> planted_backends();

/// Where the plugins are: lib/mxcert-planted beside the program. Throws std::runtime_error, with what to do, if there
/// are none: a program that stands alone has none.
[[nodiscard]] std::filesystem::path planted_folder();

struct PlantedBackendResult {
    const PlantedBackend* planted = nullptr;
    PlantOutcome outcome = PlantOutcome::escaped; ///< `unnamed` where none is known and none was named
    Status status = Status::untested;             ///< of the row, if it was judged
    std::uint64_t compared = 0;                   ///< values
    std::vector<std::string_view> named;          ///< ids of the classes that the verdict named
    std::string reason;                           ///< of the row, or why there is none
};

/// Runs one and judges it, with the inputs and cases of its level, or of the one that is given.
[[nodiscard]] PlantedBackendResult run_planted(const PlantedBackend& planted, const std::filesystem::path& folder,
                                               std::optional<Level> level = {});

} // namespace mxcert::selftest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/golden_store/golden_all.hpp"
#include "vectors/golden_store/golden_partition.hpp"

namespace mxcert {

/// Layout of manifest.json. A reader that does not know the number must not go on.
inline constexpr int manifest_schema = 2;
/// Version of the vectors themselves. A changed answer raises the major number, new files the minor one, and stands in
/// the CHANGELOG.
inline constexpr std::string_view vectors_version = "4.5.0";
/// The day of that version, which exports name: they do not depend on the clock.
inline constexpr std::string_view vectors_date = "2026-11-26";
/// Version of what writes them; raised when the same answers are written as other bytes.
inline constexpr std::string_view generator_version = "1.1.0";

/// One golden file as the manifest describes it.
struct ManifestEntry {
    std::string file; ///< "fp32-e4m3.csv", beside the manifest
    std::string from;
    std::string to;
    std::uint64_t bits = 0;           ///< of an input: the rows that a selection leaves hold each of 2^bits once
    std::uint64_t rows = 0;           ///< without the header
    std::uint64_t bytes = 0;          ///< of the file
    std::string sha256;               ///< of the file, 64 lower-case digits
    std::vector<std::string> clauses; ///< ids that its rows name, sorted
    std::vector<NamedChoice> choices; ///< what a selection fixes: one value of each
    friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

struct Manifest {
    std::string vectors;   ///< vectors_version when it was written
    std::string generator; ///< generator_version when it was written
    std::vector<ManifestEntry> files;
};

/// The entry of a file with these bytes.
[[nodiscard]] ManifestEntry describe(const GoldenText& golden);

/// The manifest of these files, for this version.
[[nodiscard]] Manifest describe(const std::vector<GoldenText>& all);

/// JSON text, two spaces of indentation, keys in a fixed order, LF at the end. The same manifest gives the same bytes.
[[nodiscard]] std::string write_manifest(const Manifest& manifest);

/// The reverse. Throws std::runtime_error that names `name` and the member on anything that is missing, of another type
/// or unknown, a schema that is not manifest_schema, a file name with a folder in it, or a file or pair named twice.
[[nodiscard]] Manifest parse_manifest(std::string_view text, std::string_view name);

} // namespace mxcert

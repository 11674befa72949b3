// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "vectors/export/test_vectors.hpp"

namespace mxcert {

/// The license of everything that is exported.
inline constexpr std::string_view vectors_license = "Apache-2.0";

/// What writes an export.
struct Provenance {
    std::string tool;     ///< version of the program
    std::string homepage; ///< address of the project; "" if it has none
};

/// One file of an export.
struct ExportedFile {
    std::string name; ///< without a folder
    std::string text;
};

/// The members with which every JSON of an export begins: schema, tool, vectors, date, license, homepage.
[[nodiscard]] nlohmann::ordered_json header_json(std::string_view schema, const Provenance& provenance);

/// The same, and what is tested: name, kind, attributes, profile, choices, fields.
[[nodiscard]] nlohmann::ordered_json subject_json(const TestVectors& vectors);

/// One line for comments: "quantize-..., profile ocp-sat, vectors 4.3.0, license Apache-2.0".
[[nodiscard]] std::string note_of(const TestVectors& vectors);

/// manifest.json of an export in several files: header, subject, and each file with its SHA-256.
[[nodiscard]] ExportedFile manifest_of(const TestVectors& vectors, const Provenance& provenance,
                                       const std::vector<ExportedFile>& files);

} // namespace mxcert

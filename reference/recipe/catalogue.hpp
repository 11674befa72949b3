// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/clause.hpp"

// Every recipe with all its parameters, as text for people and programs.
namespace mxcert::recipe {

/// Parameters of a recipe, in order: {"element", "e4m3"}. Numbers of binary32 and binary64 are bit patterns.
struct ParameterGroup {
    std::string of; ///< "forward", "fprop"; "": of the recipe as a whole
    std::vector<std::pair<std::string, std::string>> values;
};

struct CatalogueEntry {
    std::string name;
    std::string_view kind;      ///< one of catalogue_kinds()
    std::string_view operation; ///< the operation a backend offers under this recipe; "": none
    std::string_view based_on;  ///< the preset it is, but for what its name says; "": it is one of its own
    Grade grade;
    std::string_view source;
    std::vector<ParameterGroup> parameters; ///< never empty
};

struct CatalogueKind {
    std::string_view name;
    std::string_view what; ///< one line
};

[[nodiscard]] std::span<const CatalogueKind> catalogue_kinds();

/// Every recipe there is, in the order of the kinds. Names are unique.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const CatalogueEntry& catalogue_entry(std::string_view name);

} // namespace mxcert::recipe

// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/catalogue.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "catch.hpp"

using namespace mxcert::recipe;

namespace {

/// The value of a parameter of a recipe, in its group.
std::string value_of(std::string_view recipe, std::string_view group, std::string_view parameter) {
    for (const ParameterGroup& of : catalogue_entry(recipe).parameters) {
        if (of.of != group) continue;
        for (const auto& [name, value] : of.values)
            if (name == parameter) return value;
    }
    return "none";
}

} // namespace

TEST_CASE("every recipe has a name, a kind, a source and parameters", "[recipe]") {
    std::set<std::string> names;
    std::set<std::string_view> kinds;
    for (const CatalogueEntry& entry : catalogue()) {
        CAPTURE(entry.name);
        CHECK(names.insert(entry.name).second);
        kinds.insert(entry.kind);
        CHECK(&catalogue_entry(entry.name) == &entry);
        CHECK_FALSE(entry.source.empty());
        REQUIRE_FALSE(entry.parameters.empty());
        for (const ParameterGroup& group : entry.parameters) {
            CHECK_FALSE(group.values.empty());
            for (const auto& [name, value] : group.values) {
                CHECK_FALSE(name.empty());
                CHECK_FALSE(value.empty());
            }
        }
        if (!entry.based_on.empty()) CHECK_NOTHROW(catalogue_entry(entry.based_on));
    }
    CHECK(kinds.size() == catalogue_kinds().size());
    CHECK_THROWS_WITH(catalogue_entry("te_nvfp5"), Catch::Contains("did you mean te_nvfp4"));
}

TEST_CASE("parameters of recipes are those of their records", "[recipe]") {
    CHECK(value_of("te_nvfp4", "", "element") != "none");
    CHECK(value_of("te_nvfp4", "", "zero_sign") == "kept");
    CHECK(catalogue_entry("te_nvfp4").operation == "quantize_nvfp4");
    CHECK(catalogue_entry("deepgemm").operation == "quantize_float");
    CHECK(value_of("deepgemm", "", "block_of_activations") == "1x128");
    CHECK(value_of("deepgemm", "", "block_of_weights") == "128x128");
    CHECK(catalogue_entry("te_current").operation == "scaling");
    CHECK(value_of("te_current", "forward", "element") == "e4m3");
    CHECK(value_of("te_current", "sideways", "element") == "none");
}

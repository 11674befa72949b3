// SPDX-License-Identifier: Apache-2.0
// `mxcert recipes`, and what `profiles` and `explain` say of overflow, as a user runs them.
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/program.hpp"
#include "reference/profile/profile.hpp"
#include "reference/recipe/catalogue.hpp"
#include "reference/recipe/float_block.hpp"
#include "reference/recipe/mxfp8.hpp"
#include "reference/recipe/nvfp4.hpp"
#include "reference/recipe/percentile.hpp"
#include "reference/recipe/preset.hpp"
#include "reference/recipe/tensor_recipe.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

test::Result mxcert_run(const std::string& arguments) {
    const TemporaryFolder folder;
    return test::shell(folder.path(), "mxcert " + arguments);
}

} // namespace

TEST_CASE("the catalogue has every recipe, once, with all its parameters", "[recipes]") {
    std::set<std::string> names;
    for (const recipe::CatalogueEntry& entry : recipe::catalogue()) {
        CAPTURE(entry.name);
        CHECK(names.insert(entry.name).second);
        CHECK_FALSE(entry.source.empty());
        REQUIRE_FALSE(entry.parameters.empty());
        for (const recipe::ParameterGroup& group : entry.parameters) {
            CHECK_FALSE(group.values.empty());
            for (const auto& [name, value] : group.values) CHECK((!name.empty() && !value.empty()));
        }
    }
    const auto has = [&](const auto& table) {
        for (const auto& row : table) {
            CAPTURE(row.name);
            CHECK(names.contains(std::string(row.name)));
        }
    };
    has(recipe::tensor_presets());
    has(recipe::tensor_recipes());
    has(recipe::element_recipes());
    has(recipe::float_block_presets());
    has(recipe::mx_recipes());
    has(recipe::nvfp4_presets());
}

TEST_CASE("mxcert recipes as a user runs it", "[recipes][cli][programs]") {
    test::Result result = mxcert_run("recipes");
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("te_mxfp8_hybrid") && Contains("element_percentile_9999"));
    result = mxcert_run("recipes factor_maximum_4_interval_2_remember_3");
    CHECK(result.code == 0);
    CHECK_THAT(result.out,
               Contains("interval           2\nremember_interval  3\n") && Contains("based on: factor_maximum"));
    result = mxcert_run("recipes te_delayd");
    CHECK(result.code == 2);
    CHECK(result.err == "mxcert: unknown recipe 'te_delayd'; did you mean te_delayed?\n");
    CHECK(mxcert_run("recipes te_current te_delayed").code == 2);
    const auto json = nlohmann::json::parse(mxcert_run("recipes --json -").out);
    CHECK(json.size() == recipe::catalogue().size());
    const auto this_json = nlohmann::json::parse(mxcert_run("recipes te_delayed --json -").out);
    CHECK(this_json["parameters"][0]["of"] == "forward");
    CHECK(this_json["parameters"][0]["values"]["length"] == "1024");
    CHECK(this_json["parameters"][1]["values"]["element"] == "e5m2");
    CHECK_THAT(mxcert_run("completion bash").out, Contains("'recipes 0'"));
    CHECK_THAT(mxcert_run("man").out, Contains("mxcert recipes"));
}

TEST_CASE("mxcert profiles says in which overflow mode each target is judged", "[profiles][cli]") {
    const test::Result result = mxcert_run("profiles nvidia-te");
    CHECK_THAT(result.out, Contains("overflow modes judged to e8m0_for_e4m3 e8m0_for_e5m2 e4m3 e5m2: sat\n") &&
                               Contains("overflow modes judged to fp32 fp16 bf16: sat nosat sat_finite\n"));
    const auto json = nlohmann::json::parse(mxcert_run("profiles nvidia-te --json -").out);
    CHECK(json["judged_overflow"]["e4m3"] == "sat");
    CHECK(json["judged_overflow"]["fp32"] == "sat nosat sat_finite");
    // What is printed is what is judged.
    const Profile& te = find_profile("nvidia-te");
    const auto judged = [&](const char* id) { return covers(te, parse_conversion(id)); };
    CHECK(judged("e4m3_times_e8m0-fp32-nearest_even-nosat"));
    CHECK(judged("e4m3_times_e8m0-fp32-nearest_even-sat"));
    CHECK(judged("fp32_by_e8m0-e4m3-nearest_even-sat"));
    CHECK_FALSE(judged("fp32_by_e8m0-e4m3-nearest_even-nosat"));
    // Modes of some conversions alone stand with them.
    const std::string amd = mxcert_run("profiles amd-gfx1250-ovfl1").out;
    CHECK_THAT(amd, Contains(" to fp16, rounded nearest_even, overflow sat_finite\n") &&
                        Contains("overflow modes judged to e4m3 e5m2 e3m2 e2m3 e2m1 ue5m3: sat\n") &&
                        !Contains("judged to fp16"));
    const auto scopes = nlohmann::json::parse(mxcert_run("profiles amd-gfx1250-ovfl1 --json -").out)["scopes"];
    CHECK(scopes[0]["overflow"] == "");
    CHECK(scopes[4]["overflow"] == "sat_finite");
}

TEST_CASE("mxcert explain calls what an infinity becomes exact, in text and JSON", "[explain][cli]") {
    CHECK_THAT(mxcert_run("explain inf").out, Contains("result    0x7E  0|1111|110  448\n"));
    const auto inf = nlohmann::json::parse(mxcert_run("explain inf --json -").out);
    CHECK(inf["result"]["inexact"] == false);
    CHECK(inf["result"]["overflow"] == false);
    CHECK_THAT(mxcert_run("explain 500").out, Contains("448, inexact, overflow\n"));
    const auto finite = nlohmann::json::parse(mxcert_run("explain 500 --json -").out);
    CHECK(finite["result"]["inexact"] == true);
    CHECK(finite["result"]["overflow"] == true);
}

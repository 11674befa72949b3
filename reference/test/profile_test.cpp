// SPDX-License-Identifier: Apache-2.0
#include "reference/profile/profile.hpp"

#include <algorithm>
#include <catch.hpp>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/clause.hpp"

using namespace mxcert;

namespace {

bool allowed(std::string_view profile, std::string_view conversion, Choice choice, std::string_view value) {
    return permits(find_profile(profile), parse_conversion(conversion), choice, value);
}

bool covered(std::string_view profile, std::string_view conversion) {
    return covers(find_profile(profile), parse_conversion(conversion));
}

std::vector<std::string> words(std::string_view list) {
    std::istringstream stream{std::string(list)};
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Every word of a list is the name of a format.
bool names_formats(std::string_view list) {
    const std::vector<std::string> names = words(list);
    return std::all_of(names.begin(), names.end(),
                       [](const std::string& name) { return find_format(name) != nullptr; });
}

} // namespace

TEST_CASE("profiles name choices, values, formats and clauses that exist", "[profile]") {
    for (const Profile& profile : all_profiles()) {
        CAPTURE(profile.name);
        CHECK(&find_profile(profile.name) == &profile);
        CHECK(!profile.title.empty());
        CHECK(!profile.source.empty());
        CHECK((!profile.scopes.empty() || !profile.recipes.empty() || !profile.float_scopes.empty() ||
               profile.products || !profile.nvfp4_recipes.empty()));
        for (const std::string& name : words(profile.nvfp4_recipes)) CHECK_NOTHROW(recipe::nvfp4_preset(name));
        for (const std::string& name : words(profile.recipes)) CHECK_NOTHROW(recipe::tensor_recipe(name));
        for (const FloatScope& scope : profile.float_scopes) {
            CHECK(names_formats(scope.sources));
            CHECK(names_formats(scope.scales));
            for (const std::string& name : words(scope.recipes)) CHECK_NOTHROW(recipe::float_block_preset(name));
            for (const std::string& block : words(scope.blocks))
                CHECK(text(parse_block_shape(block, largest_block)) == block);
        }
        for (const Scope& scope : profile.scopes) {
            CHECK((!scope.sources.empty() && names_formats(scope.sources)));
            CHECK((!scope.targets.empty() && names_formats(scope.targets)));
            for (const std::string& mode : words(scope.overflow)) {
                Choices choices;
                CHECK_NOTHROW(set(choices, "overflow", mode));
            }
        }
        for (const PermittedChoice& entry : profile.permitted) {
            CAPTURE(info(entry.choice).name);
            CHECK(!entry.values.empty());
            CHECK(entry.choice != Choice::rounding);
            CHECK(entry.choice != Choice::overflow);
            CHECK(names_formats(entry.targets));
            CHECK(names_formats(entry.sources));
            const auto known = info(entry.choice).values;
            for (const std::string_view value : entry.values) {
                const bool nan_choice = entry.choice == Choice::nan || entry.choice == Choice::overflow_nan;
                CHECK(((nan_choice && value == "any") || std::find(known.begin(), known.end(), value) != known.end()));
            }
        }
        for (const Provision& provision : profile.provisions) {
            const Clause* clause = find_clause(provision.clause);
            REQUIRE(clause != nullptr);
            CHECK(clause->kind == ClauseKind::provision);
            CHECK(names_formats(provision.targets));
            Choices choices;
            if (!provision.rounding.empty()) CHECK_NOTHROW(set(choices, "rounding", provision.rounding));
            if (!provision.overflow.empty()) CHECK_NOTHROW(set(choices, "overflow", provision.overflow));
        }
    }
    CHECK_THROWS_AS(find_profile("ocp-set"), std::invalid_argument);
}

TEST_CASE("every provision clause is stated by a profile", "[profile]") {
    for (const Clause& clause : all_clauses()) {
        if (clause.kind != ClauseKind::provision) continue;
        CAPTURE(clause.id);
        CHECK(std::any_of(all_profiles().begin(), all_profiles().end(), [&](const Profile& profile) {
            return std::any_of(profile.provisions.begin(), profile.provisions.end(),
                               [&](const Provision& provision) { return provision.clause == clause.id; });
        }));
    }
}

TEST_CASE("rounding and overflow are permitted as named", "[profile]") {
    std::size_t judging = 0;
    for (const Profile& profile : all_profiles()) {
        const Conversion conversion = parse_conversion("fp32-e4m3-up-nosat");
        CHECK(permits(profile, conversion, Choice::rounding, "up"));
        CHECK_FALSE(permits(profile, conversion, Choice::rounding, "nearest_even"));
        CHECK(permits(profile, conversion, Choice::overflow, "nosat"));
        CHECK_FALSE(permits(profile, conversion, Choice::overflow, "sat"));
        // Those that state a deviation judge no rounding but to nearest.
        if (!covers(profile, conversion)) continue;
        ++judging;
        CHECK_FALSE(permits(profile, conversion, Choice::overflow_test, "before_rounding"));
        CHECK_FALSE(permits(profile, conversion, Choice::via, "fp16_nearest_even"));
        CHECK_FALSE(permits(profile, conversion, Choice::zero_sign, "dropped"));
        CHECK_FALSE(permits(profile, conversion, Choice::flush, "input"));
    }
    CHECK(judging >= 5);
}

TEST_CASE("OCP leaves NaN codes and the scale's special cases open", "[profile]") {
    for (const char* profile : {"ocp-sat", "ocp-nosat", "ocp"}) {
        for (const char* value : {"any", "canonical", "sign", "payload_sign"})
            CHECK(allowed(profile, "fp32-e5m2-nearest_even-sat", Choice::nan, value));
        CHECK_FALSE(allowed(profile, "fp32-e5m2-nearest_even-sat", Choice::nan, "max"));
        CHECK_FALSE(allowed(profile, "fp32-e5m2-nearest_even-sat", Choice::nan, "zero"));
        CHECK(allowed(profile, "fp32-e4m3-nearest_even-nosat", Choice::overflow_nan, "any"));
        CHECK(allowed(profile, "fp32-e4m3-up-nosat", Choice::directed_overflow, "special"));
        CHECK(allowed(profile, "fp32-e4m3-up-nosat", Choice::directed_overflow, "max"));
        CHECK_FALSE(allowed(profile, "e8m0-fp16-down-nosat", Choice::directed_overflow, "special"));
        CHECK(allowed(profile, "e8m0-fp16-down-nosat", Choice::directed_overflow, "max"));
        for (const char* value : {"magnitude", "zero", "nan"})
            CHECK(allowed(profile, "fp32-e8m0-up-sat", Choice::negative, value));
        CHECK(allowed(profile, "fp32-e8m0-up-sat", Choice::zero, "nan"));
        CHECK(allowed(profile, "fp32-e8m0-up-sat", Choice::lowest_binade, "up_nonzero"));
    }
}

TEST_CASE("nvidia-cuda-host fixes every choice it can", "[profile]") {
    const char* host = "nvidia-cuda-host";
    CHECK(allowed(host, "fp32-e5m2-nearest_even-sat", Choice::nan, "canonical"));
    CHECK_FALSE(allowed(host, "fp32-e5m2-nearest_even-sat", Choice::nan, "any"));
    CHECK_FALSE(allowed(host, "fp32-e5m2-nearest_even-sat", Choice::nan, "payload_sign"));
    CHECK(allowed(host, "fp64-e5m2-nearest_even-sat", Choice::nan, "payload_sign"));
    CHECK_FALSE(allowed(host, "fp64-e5m2-nearest_even-sat", Choice::nan, "canonical"));
    CHECK(allowed(host, "fp64-e4m3-nearest_even-sat", Choice::nan, "sign"));
    CHECK_FALSE(allowed(host, "fp64-e4m3-nearest_even-sat", Choice::nan, "canonical"));
    CHECK(allowed(host, "fp64-e8m0-up-sat", Choice::nan, "canonical"));
    CHECK(allowed(host, "e5m2-fp16-nearest_even-nosat", Choice::nan, "canonical"));
    CHECK_FALSE(allowed(host, "e5m2-fp16-nearest_even-nosat", Choice::nan, "any"));
    CHECK(allowed(host, "e8m0-fp32-nearest_even-nosat", Choice::nan, "any"));
    CHECK(allowed(host, "fp32-e4m3-nearest_even-nosat", Choice::overflow_nan, "sign"));
    CHECK_FALSE(allowed(host, "fp32-e4m3-nearest_even-nosat", Choice::overflow_nan, "any"));
    CHECK(allowed(host, "fp64-e8m0-toward_zero-nosat", Choice::directed_overflow, "max"));
    CHECK_FALSE(allowed(host, "fp64-e8m0-toward_zero-nosat", Choice::directed_overflow, "special"));
    CHECK_FALSE(allowed(host, "fp32-e8m0-up-sat", Choice::negative, "nan"));
    CHECK_FALSE(allowed(host, "fp32-e8m0-up-sat", Choice::lowest_binade, "up_nonzero"));
}

TEST_CASE("the profiles of libraries fix what these libraries choose", "[profile]") {
    CHECK(allowed("llvm", "fp32-e5m2-nearest_even-nosat", Choice::nan, "payload_sign"));
    CHECK_FALSE(allowed("llvm", "fp32-e5m2-nearest_even-nosat", Choice::nan, "quiet_sign"));
    CHECK(allowed("llvm", "fp32-e4m3-toward_zero-nosat", Choice::directed_overflow, "max"));
    CHECK_FALSE(allowed("llvm", "fp32-e4m3-toward_zero-nosat", Choice::directed_overflow, "special"));
    CHECK(allowed("ml_dtypes", "fp32-e5m2-nearest_even-nosat", Choice::nan, "quiet_sign"));
    CHECK_FALSE(allowed("ml_dtypes", "fp32-e5m2-nearest_even-nosat", Choice::nan, "canonical"));
    CHECK(allowed("ml_dtypes", "fp32-e8m0-nearest_even-nosat", Choice::zero, "nan"));
    CHECK_FALSE(allowed("ml_dtypes", "fp32-e8m0-nearest_even-nosat", Choice::zero, "smallest"));
    CHECK_FALSE(allowed("ml_dtypes", "fp32-e8m0-nearest_even-nosat", Choice::negative, "magnitude"));
    CHECK_FALSE(allowed("ml_dtypes", "fp32-e8m0-nearest_even-nosat", Choice::lowest_binade, "by_value"));
    CHECK(allowed("gfloat", "fp32-e5m2-nearest_even-nosat", Choice::nan, "any"));
    CHECK_FALSE(allowed("gfloat", "fp32-e5m2-nearest_even-nosat", Choice::nan, "max"));
    CHECK_FALSE(allowed("gfloat", "fp32-e8m0-nearest_even-nosat", Choice::lowest_binade, "up_above_smallest"));
}

TEST_CASE("a profile covers its own formats", "[profile]") {
    for (const char* profile : {"llvm", "ml_dtypes"}) {
        CHECK(covered(profile, "fp32-e4m3fnuz-nearest_even-nosat"));
        CHECK(covered(profile, "e5m2fnuz-bf16-nearest_even-nosat"));
        CHECK_FALSE(covered(profile, "fp32-e4m3fnuz-nearest_even-sat"));
        CHECK_FALSE(covered(profile, "fp32-e4m3-nearest_even-sat"));
    }
    CHECK_FALSE(covered("gfloat", "fp32-e4m3fnuz-nearest_even-nosat"));
    CHECK(covered("gfloat", "fp32-e4m3-nearest_even-sat"));
}

TEST_CASE("Transformer Engine refuses tensors that are not whole blocks on both sides", "[profile]") {
    CHECK(refuses(find_profile("nvidia-te"), {1000, 512}));
    CHECK(refuses(find_profile("nvidia-te"), {1024, 500}));
    CHECK_FALSE(refuses(find_profile("nvidia-te"), {1024, 512}));
    CHECK_FALSE(refuses(find_profile("ocp-floor"), {1000, 512}));
}

TEST_CASE("a profile covers MX formats and its own overflow modes", "[profile]") {
    CHECK(covered("ocp-sat", "fp32-e4m3-nearest_even-sat"));
    CHECK_FALSE(covered("ocp-sat", "fp32-e4m3-nearest_even-nosat"));
    CHECK_FALSE(covered("ocp-nosat", "fp32-e4m3-nearest_even-sat"));
    CHECK(covered("ocp", "fp32-e4m3-nearest_even-sat"));
    CHECK(covered("ocp", "fp64-e5m2-toward_zero-nosat"));
    CHECK_FALSE(covered("ocp", "fp32-e4m3-nearest_even-sat_finite"));
    CHECK(covered("ocp", "fp32-e8m0-nearest_even-sat_finite"));
    CHECK(covered("ocp-sat", "e8m0-fp16-nearest_even-sat_finite"));
    CHECK(covered("onnx-sat", "fp32-e8m0-up-sat_finite")); // the reference gives 0xFF for Inf
    CHECK(covered("ocp-sat-finite", "fp32-e4m3-nearest_even-sat_finite"));
    CHECK(covered("ocp-sat-finite", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat_finite"));
    CHECK_FALSE(covered("ocp-sat-finite", "fp32-e4m3-nearest_even-sat"));
    CHECK(covered("ocp-sat", "fp32-e8m0-up-nosat")); // MX has no overflow modes
    CHECK(covered("ocp-sat", "e4m3-fp16-nearest_even-nosat"));
    CHECK(covered("ocp", "e4m3-e5m2-nearest_even-sat"));
    CHECK_FALSE(covered("ocp", "e4m3-e4m3-nearest_even-sat"));
    CHECK_FALSE(covered("ocp", "fp32-fp16-nearest_even-nosat"));
    CHECK(covered("ocp-nosat", "fp32-e2m1-nearest_even-sat")); // FP6 and FP4 saturate, in every profile
    CHECK_FALSE(covered("ocp", "fp32-e2m1-nearest_even-nosat"));
    CHECK(covered("ocp", "e2m3-bf16-nearest_even-nosat"));
    CHECK_FALSE(covered("ocp", "fp32-e4m3fnuz-nearest_even-sat"));
    CHECK(covered("ocp", "fp32-e4m3-stochastic_a8-sat"));
    CHECK_FALSE(covered("ocp-nosat", "fp32-e4m3-stochastic_a8-sat"));
    CHECK_FALSE(covered("nvidia-te", "fp32_by_e8m0-e4m3-stochastic_a8-sat")); // it names its roundings
}

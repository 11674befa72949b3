// SPDX-License-Identifier: Apache-2.0
#include "reference/dot/accumulator_change.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/bound.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using test::Case;

namespace {

const AccumulatorParameter& parameter_named(std::string_view name) {
    const auto all = accumulator_parameters();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& parameter) { return parameter.name == name; });
    REQUIRE(found != all.end());
    return *found;
}

std::vector<std::string> texts_of(std::string_view parameter, const Accumulator& model) {
    const AccumulatorParameter& found = parameter_named(parameter);
    std::vector<std::string> texts;
    for (const Accumulator& changed : found.values(model)) texts.push_back(found.text(changed));
    return texts;
}

/// The formats of an accumulator, with scales where it needs them.
DotFormat format_of(const Accumulator& model) {
    const bool scaled = !model.scales.empty() && model.scale_use != ScaleUse::factors;
    return dot_format(model, *model.operands.front(), *model.operands.back(), scaled ? model.scales.front() : nullptr);
}

} // namespace

TEST_CASE("each value of a parameter is another accumulator, which both models compute", "[accumulator][values]") {
    SplitMix64 random(41);
    std::set<std::string> said;
    for (const Accumulator& model : accumulators())
        for (const AccumulatorParameter& parameter : accumulator_parameters()) {
            if (!parameter.says(model)) continue;
            said.emplace(parameter.name);
            std::set<std::string> texts;
            const std::vector<Accumulator> changes = parameter.values(model);
            for (const Accumulator& changed : changes) {
                texts.insert(parameter.text(changed));
                CAPTURE(model.name, parameter.name, parameter.text(changed));
                REQUIRE(changed.name == model.name);
                DotFormat format = format_of(changed);
                if (!takes(changed, format)) format.b = format.a;
                const test::Kind kind = test::all_kinds[random.below(std::size(test::all_kinds))];
                const Case dot_case = make_case(format, kind, 1 + random.below(80),
                                                std::max<std::size_t>(32, least_block(changed)), random);
                const Code answer = exact::accumulate(changed, format, dot_case.operands());
                REQUIRE(fast::accumulate(changed, format, dot_case.operands()) == answer);
                const auto bound = exact::bound(changed, format, dot_case.operands());
                if (!bound || !changed.result->is_finite(answer)) continue;
                const exact::Value value = exact::decode(*changed.result, answer);
                const exact::Rational given = value.negative ? -value.magnitude : value.magnitude;
                REQUIRE(abs(given - bound->sum) <= bound->error);
            }
            CAPTURE(model.name, parameter.name);
            REQUIRE_FALSE(changes.empty());
            REQUIRE(texts.size() == changes.size());
        }
    CHECK(said.size() == accumulator_parameters().size());
}

TEST_CASE("a changed accumulator has parameters of its own", "[accumulator]") {
    for (const char* const name : {"sum", "group", "products of a group"}) {
        const AccumulatorParameter& first = parameter_named(name);
        for (const Accumulator& model : accumulators()) {
            if (!first.says(model)) continue;
            for (const Accumulator& changed : first.values(model))
                for (const AccumulatorParameter& second : accumulator_parameters()) {
                    CAPTURE(model.name, name, first.text(changed), second.name);
                    if (second.says(changed)) REQUIRE_FALSE(second.values(changed).empty());
                }
        }
    }
}

TEST_CASE("the values of a parameter are those of the accumulator's kind", "[accumulator]") {
    using Texts = std::vector<std::string>;
    CHECK(texts_of("group", accumulator("fp32_fma")) == Texts{"all", "1", "2", "4", "8", "16", "32", "64", "128"});
    CHECK(texts_of("group", accumulator("hopper_fp8_f32")) == Texts{"1", "2", "4", "8", "16", "32", "64", "128"});
    CHECK(texts_of("group", accumulator("blackwell_mxf4nvf4")) == Texts{"16", "32", "64", "128"});
    CHECK(texts_of("promoted every", accumulator("hopper_fp8_f32")) == Texts{"never", "32", "64", "128"});
    CHECK(texts_of("promoted every", accumulator("deepgemm_hopper_fp8")) == Texts{"32", "64", "128"});
    CHECK(texts_of("sum", accumulator("exact")) == Texts{"exact with c in_group"});
    CHECK(texts_of("sum", accumulator("arm_fdot_f32")) == Texts{"exact with c in_group", "exact with c rounded"});
    CHECK(texts_of("sum", accumulator("fp32_fma")).size() == 6);
    const std::vector<Accumulator> sums = parameter_named("sum").values(accumulator("hopper_fp8_f32"));
    CHECK(sums[1].addend == Addend::aligned_down);
    CHECK(sums[1].sum_fraction == 13); // as many bits as the terms
    // Two of four products make a group of an instruction with two.
    Accumulator halves = accumulator("hopper_fp8_f32");
    halves.grouping = Grouping::two_of_four;
    CHECK(texts_of("group", halves) == Texts{"2", "4", "8", "16", "32", "64"});
    CHECK(texts_of("products of a group", halves) == Texts{"in order", "two of four"});
    CHECK_FALSE(parameter_named("products of a group").says(accumulator("blackwell_mxf8f6f4")));
    Accumulator odd = accumulator("hopper_fp8_f32");
    odd.group = 3;
    CHECK_FALSE(parameter_named("products of a group").says(odd));
}

TEST_CASE("an accumulator takes its own formats and whole blocks", "[accumulator]") {
    const Accumulator& hopper = accumulator("hopper_fp8_f32");
    const DotFormat format = dot_format(hopper, e4m3, e5m2);
    CHECK(takes(hopper, format));
    const auto with = [&](auto member, const Format* other) {
        DotFormat changed = format;
        changed.*member = other;
        return takes(hopper, changed);
    };
    CHECK_FALSE(with(&DotFormat::a, nullptr));
    CHECK_FALSE(with(&DotFormat::b, nullptr));
    CHECK_FALSE(with(&DotFormat::a, &bf16));
    CHECK_FALSE(with(&DotFormat::b, &bf16));
    CHECK_FALSE(with(&DotFormat::c, nullptr));
    CHECK_FALSE(with(&DotFormat::c, &fp16));
    CHECK_FALSE(with(&DotFormat::to, nullptr));
    CHECK_FALSE(with(&DotFormat::to, &fp16));
    CHECK_FALSE(takes(accumulator("hopper_f16_f32"), dot_format(accumulator("hopper_f16_f32"), fp16, bf16)));

    const Accumulator& scaled = accumulator("blackwell_mxf4nvf4");
    DotFormat with_scales = dot_format(scaled, e2m1, e2m1, &ue4m3);
    CHECK(takes(scaled, with_scales));
    with_scales.scale_b = &e8m0;
    CHECK_FALSE(takes(scaled, with_scales)); // both are of one format
    with_scales.scale_b = nullptr;
    CHECK_FALSE(takes(scaled, with_scales));
    with_scales.scale_a = nullptr;
    with_scales.scale_b = &ue4m3;
    CHECK_FALSE(takes(scaled, with_scales));
    CHECK_FALSE(takes(scaled, dot_format(scaled, e2m1, e2m1, &fp32)));
    CHECK(takes_blocks(scaled, 16, 32));
    CHECK_FALSE(takes_blocks(scaled, 8, 16));
    CHECK_FALSE(takes_blocks(scaled, 16, 8));
}

TEST_CASE("an accumulator without products has nothing to add", "[accumulator][bound]") {
    const Accumulator& hopper = accumulator("hopper_fp8_f32");
    const DotFormat format = dot_format(hopper, e4m3, e4m3);
    CHECK_THROWS_WITH(exact::accumulate(hopper, format, DotOperands{}), "an accumulator has products to add");
    CHECK_THROWS_WITH(fast::accumulate(hopper, format, DotOperands{}), "an accumulator has products to add");
    CHECK_THROWS_WITH(exact::bound(hopper, format, DotOperands{}), "an accumulator has products to add");
    // Terms are cut by some roundings only.
    Accumulator up = hopper;
    up.align = Rounding::up;
    const std::array<Code, 2> one{e4m3.one_code(), e4m3.one_code()};
    DotOperands operands;
    operands.a = operands.b = one;
    CHECK_THROWS_AS(exact::accumulate(up, format, operands), std::logic_error);
}

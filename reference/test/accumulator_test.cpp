// SPDX-License-Identifier: Apache-2.0
// Accumulators: both models on every row and pair of formats.
#include "reference/dot/accumulator.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using test::Case;

namespace {

/// Every combination of formats that an accumulator takes.
std::vector<DotFormat> formats_of(const Accumulator& model) {
    std::vector<const Format*> scales(model.scales.begin(), model.scales.end());
    if (model.scale_use == ScaleUse::factors || scales.empty()) scales.push_back(nullptr);
    std::vector<DotFormat> all;
    for (const Format* a : model.operands)
        for (const Format* b : model.operands)
            for (const Format* scale : scales) {
                const DotFormat format = dot_format(model, *a, *b, scale);
                if (takes(model, format)) all.push_back(format);
            }
    return all;
}

} // namespace

TEST_CASE("both models of every accumulator agree", "[values][accumulator]") {
    SplitMix64 random(21);
    for (const Accumulator& model : accumulators()) {
        CAPTURE(model.name);
        const std::vector<DotFormat> all = formats_of(model);
        REQUIRE_FALSE(all.empty());
        const bool many = all.size() > 50; // the software forms, by arithmetic that is tested by itself
        for (const DotFormat& format : all) {
            CAPTURE(format.a->name, format.b->name, format.scale_a == nullptr ? "none" : format.scale_a->name);
            for (const test::Kind kind : test::all_kinds)
                for (const std::size_t n :
                     {std::size_t{1}, std::size_t{16}, std::size_t{33}, std::size_t{64}, std::size_t{160}}) {
                    if (many && (n > 33 || random.below(4) != 0)) continue;
                    for (int i = 0; i < (many ? 1 : 3); ++i) {
                        const Case dot_case = make_case(format, kind, n, 32, random);
                        CAPTURE(static_cast<int>(kind), n);
                        REQUIRE(fast::accumulate(model, format, dot_case.operands()) ==
                                exact::accumulate(model, format, dot_case.operands()));
                    }
                }
        }
    }
}

TEST_CASE("c at every distance from the products", "[values][accumulator]") {
    SplitMix64 random(23);
    for (const Accumulator& model : accumulators()) {
        if (model.evidence == Evidence::definition) continue;
        const Format* scale = model.scales.empty() ? nullptr : &e8m0;
        const Format& result = *model.result;
        const DotFormat format = dot_format(model, *model.operands[0], *model.operands[0], scale);
        for (int i = 0; i < 2; ++i) {
            Case dot_case = make_case(format, test::Kind::narrow, 16, 32, random);
            if (scale != nullptr) dot_case.scales_a = dot_case.scales_b = {127};
            if (i % 2 == 1) std::fill(dot_case.a.begin() + 1, dot_case.a.end(), 0); // one product, and its exponent
            const int from = std::max(result.emin(), -45);
            for (int e = from; e <= std::min(result.emax(), 45); ++e)
                for (const Code sign : {Code{0}, result.sign_bit()})
                    for (const Code fraction : {Code{0}, random() & result.fraction_mask()}) {
                        dot_case.c = static_cast<Code>(e + result.bias) << result.fraction_bits | fraction | sign;
                        CAPTURE(model.name, e, dot_case.c);
                        REQUIRE(fast::accumulate(model, format, dot_case.operands()) ==
                                exact::accumulate(model, format, dot_case.operands()));
                    }
        }
    }
}

TEST_CASE("a zero is aligned by its exponent of -126", "[accumulator]") {
    const Accumulator& model = accumulator("blackwell_mxf8f6f4");
    Case dot_case{dot_format(model, e4m3, e4m3, &e8m0),
                  std::vector<Code>(32, 0),
                  std::vector<Code>(32, 0x7E),
                  {127},
                  {127},
                  0,
                  0x3F800000};
    const auto result = [&](Code scale) {
        dot_case.scales_a = dot_case.scales_b = {scale};
        const Code code = exact::accumulate(model, dot_case.format, dot_case.operands());
        CHECK(fast::accumulate(model, dot_case.format, dot_case.operands()) == code);
        return code;
    };
    // -126 + 8 + 71 + 71 is 24: of c one bit is left, and beyond 2^25 none.
    CHECK(result(127 + 71) == 0x3F800000);
    CHECK(result(127 + 73) == 0);
    dot_case.c = 0x40400000;
    CHECK(result(127 + 72) == 0x40000000);
    CHECK(result(127 + 71) == 0x40400000);
}

TEST_CASE("two of each four products are in one group, two in the other", "[accumulator]") {
    Accumulator model = accumulator("hopper_mma_fp8_f32");
    model.fraction = 10; // each 2^-11 is lost beside 1; where two are added before, they stay
    const auto sum_with = [&](std::size_t at, std::size_t n) {
        Case dot_case{dot_format(model, e4m3, e4m3), std::vector<Code>(n, 0), std::vector<Code>(n, 0x38), {}, {}, 0, 0};
        dot_case.a[2] = 0x38;
        for (const std::size_t i : {std::size_t{0}, at}) {
            dot_case.a[i] = 0x01; // 2^-9, times
            dot_case.b[i] = 0x28; // 2^-2
        }
        const Code code = exact::accumulate(model, dot_case.format, dot_case.operands());
        CHECK(fast::accumulate(model, dot_case.format, dot_case.operands()) == code);
        return code;
    };
    constexpr Code one = 0x3F800000;
    for (const std::size_t n : {std::size_t{32}, std::size_t{31}, std::size_t{37}})
        for (std::size_t at = 1; at < n; ++at) {
            if (at == 2) continue;
            CAPTURE(n, at);
            const Code small = at >= 32 ? 1U << 12U : at % 4 < 2 ? 1U << 13U : 0U;
            CHECK(sum_with(at, n) == one + small);
        }
}

TEST_CASE("records that no row has, in both models", "[accumulator][values]") {
    SplitMix64 random(22);
    for (const std::string_view name : {"hopper_fp8_f32", "hopper_mma_fp8_f32", "hopper_mma_fp8_f16",
                                        "blackwell_mxf8f6f4", "cdna3_fp8", "cdna3_f16", "fp32_blocks_32"})
        for (const Rounding align : {Rounding::toward_zero, Rounding::down, Rounding::nearest_even})
            for (const Rounding rounding : {Rounding::toward_zero, Rounding::nearest_even, Rounding::down})
                for (const bool flush : {false, true}) {
                    Accumulator model = accumulator(name);
                    model.align = align;
                    model.rounding = rounding;
                    model.flush = flush;
                    model.zero_exponent = -1000;
                    model.promote = random.below(2) * 64;
                    model.fraction += static_cast<int>(random.below(4));
                    const Format* scale = model.scale_use == ScaleUse::exponents ? &e8m0 : nullptr;
                    const DotFormat format = dot_format(model, *model.operands[0], *model.operands[0], scale);
                    for (const test::Kind kind : test::all_kinds) {
                        const Case dot_case = make_case(format, kind, 100, 32, random);
                        CAPTURE(name, static_cast<int>(kind), flush);
                        REQUIRE(fast::accumulate(model, format, dot_case.operands()) ==
                                exact::accumulate(model, format, dot_case.operands()));
                    }
                }
}

TEST_CASE("the table of docs/matmul.md is that of the accumulators", "[accumulator]") {
    std::ostringstream table;
    table << "| name | summary | sum | group | F | result | evidence |\n|---|---|---|---|---|---|---|\n";
    for (const Accumulator& model : accumulators()) {
        const bool aligned =
            model.sum == GroupSum::aligned || model.sum == GroupSum::even_odd || model.sum == GroupSum::scaled_terms;
        table << "| `" << model.name << "` | " << model.summary << " | " << to_string(model.sum) << ", c "
              << to_string(model.addend) << " | " << (model.group == 0 ? "all" : std::to_string(model.group)) << " | "
              << (aligned ? std::to_string(model.fraction) : "") << " | " << model.result->name
              << (model.result_fraction == model.result->fraction_bits ? "" : " (e8m13)") << ", "
              << to_string(model.rounding) << " | " << to_string(model.evidence) << " |\n";
    }
    std::ifstream in(MXCERT_TEST_SOURCE "/docs/matmul.md");
    std::stringstream page;
    page << in.rdbuf();
    INFO(table.str());
    CHECK(page.str().find("<!-- accumulators -->\n" + table.str() + "<!-- end -->") != std::string::npos);
}

TEST_CASE("names of accumulators are their own", "[accumulator]") {
    std::set<std::string_view> names;
    for (const Accumulator& model : accumulators()) {
        CHECK(names.insert(model.name).second);
        CHECK(&accumulator(model.name) == &model);
        CHECK_FALSE(model.summary.empty());
        CHECK((model.evidence == Evidence::definition) == (model.scale_use == ScaleUse::factors));
    }
    CHECK(names.size() == 33);
    CHECK_THROWS_AS(accumulator("hopper_fp8"), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
// Accumulators: both models on every row and pair of formats.
#include "reference/dot/accumulator.hpp"

#include <array>
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
        const bool many = all.size() >= 50; // the software forms, by arithmetic that is tested by itself
        for (const DotFormat& format : all) {
            CAPTURE(format.a->name, format.b->name, format.scale_a == nullptr ? "none" : format.scale_a->name);
            for (const test::Kind kind : test::all_kinds)
                for (const std::size_t n :
                     {std::size_t{1}, std::size_t{16}, std::size_t{33}, std::size_t{64}, std::size_t{160}}) {
                    if (many && (n > 33 || random.below(4) != 0)) continue;
                    for (int i = 0; i < (many ? 1 : 3); ++i) {
                        const Case dot_case =
                            make_case(format, kind, n, std::max<std::size_t>(32, least_block(model)), random);
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
        const Format* scale = model.scales.empty() ? nullptr : model.scales.front();
        const Format& result = *model.result;
        const DotFormat format = dot_format(model, *model.operands[0], *model.operands[0], scale);
        for (int i = 0; i < 2; ++i) {
            Case dot_case = make_case(format, test::Kind::narrow, 16, 0, random);
            if (scale != nullptr) dot_case.scales_a = dot_case.scales_b = {scale->one_code()};
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

TEST_CASE("a tensor core would add operands of any format of eight bits or fewer", "[accumulator]") {
    // Formats whose NaN is -0, of whole numbers, without sign, without zero and without NaN.
    Accumulator model = accumulator("blackwell_fp8_f32");
    for (const Format* operand : {&e4m3fnuz, &e5m2fnuz, &int8, &ue4m3, &e8m0, &e2m1}) {
        const std::array operands{operand};
        model.operands = operands;
        const DotFormat format = dot_format(model, *operand, *operand);
        CAPTURE(operand->name);
        for (Code code = 0; code <= operand->last_code(); ++code) {
            const std::vector<Code> a{code, operand->one_code()};
            const std::vector<Code> b{operand->one_code(), code};
            CAPTURE(code);
            REQUIRE(fast::accumulate(model, format, {a, b, {}, {}, 0, 0, 0}) ==
                    exact::accumulate(model, format, {a, b, {}, {}, 0, 0, 0}));
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

namespace {

/// The result of both models, which agree.
Code sum_of(const Accumulator& model, const Case& dot_case) {
    const Code code = exact::accumulate(model, dot_case.format, dot_case.operands());
    CHECK(fast::accumulate(model, dot_case.format, dot_case.operands()) == code);
    return code;
}

} // namespace

TEST_CASE("AMX-FP8: two running sums of pairs, and subnormals of E5M2 alone are zeros", "[accumulator]") {
    const Accumulator& model = accumulator("amx_fp8");
    const auto sum = [&](const Format& format, const std::vector<Code>& a, const std::vector<Code>& b, Code c) {
        return sum_of(model, {dot_format(model, format, format), a, b, {}, {}, 0, c});
    };
    // The smallest subnormal of E4M3 is a normal number of FP16, that of E5M2 is not.
    CHECK(sum(e4m3, {0x01}, {0x38}, 0) == 0x3B000000);
    CHECK(sum(e5m2, {0x03}, {0x3C}, 0) == 0);
    CHECK(sum(e5m2, {0x04}, {0x3C}, 0) == 0x38800000);
    CHECK(sum(e4m3, {0}, {0}, 0x80000001) == 0); // a subnormal c
    // 2^30 + 2 in one pair loses the 2, which the third place keeps until 2^30 has cancelled.
    const Code huge = 0x77; // 2^14 x 1.75
    CHECK(sum(e5m2, {huge, 0x40, huge | 0x80, 0}, {huge, 0x3C, huge, 0}, 0) == 0);
    CHECK(sum(e5m2, {huge, 0, 0x40, 0, huge | 0x80}, {huge, 0, 0x3C, 0, huge}, 0) == 0x40000000);
}

TEST_CASE("CDNA4: the sum of a block, its scales, then c", "[accumulator]") {
    const DotFormat format = dot_format(accumulator("cdna4_f8f6f4"), e5m2, e2m1, &e8m0);
    const auto sum = [&](std::string_view name, const Case& dot_case) { return sum_of(accumulator(name), dot_case); };
    // 2^15 + 2^-14 of one block is exact until c comes; rounded before, the small one is lost.
    Case dot_case{format, std::vector<Code>(33, 0), std::vector<Code>(33, 0x2), {127}, {127}, 0, 0xC7000000};
    dot_case.a[0] = 0x78;
    dot_case.a[31] = 0x04;
    CHECK(sum("cdna4_f8f6f4", dot_case) == 0x38800000);
    CHECK(sum("cdna4_f8f6f4_rounded", dot_case) == 0);
    // In the next block it comes after that has cancelled.
    std::swap(dot_case.a[31], dot_case.a[32]);
    CHECK(sum("cdna4_f8f6f4_rounded", dot_case) == 0x38800000);
    dot_case.c = 0;
    CHECK(sum("cdna4_f8f6f4", dot_case) == 0x47000000);
    dot_case.a.resize(65);
    dot_case.b.resize(65, 0x2);
    dot_case.a[64] = 0xF8;
    CHECK(sum("cdna4_f8f6f4", dot_case) == 0);
    Accumulator at_once = accumulator("cdna4_f8f6f4"); // as no row has it
    at_once.group = 128;
    CHECK(sum_of(at_once, dot_case) == 0x38800000);
    // Scales of a block, and the largest sum of FP32 that they do not pass together with c.
    dot_case = {format, {0x3C}, {0x2}, {254}, {128}, 0, 0xFF000000};
    CHECK(sum("cdna4_f8f6f4", dot_case) == 0x7F000000);
    CHECK(sum("cdna4_f8f6f4_rounded", dot_case) == 0x7F800000);
    dot_case.c = 0xFF800000;
    CHECK(sum("cdna4_f8f6f4", dot_case) == 0xFF800000);
    CHECK(sum("cdna4_f8f6f4_rounded", dot_case) == 0x7FC00000);
    dot_case.scales_b = {255};
    CHECK(sum("cdna4_f8f6f4", dot_case) == 0x7FC00000);
}

TEST_CASE("Arm: a fused sum of a few products times 2^-LSCALE", "[accumulator]") {
    const Accumulator& model = accumulator("arm_fdot_f32");
    // 2^30 + 2^-32 - 2^30 in one group of four is exact; in two it is not.
    std::vector<Code> a{0x78, 0x01, 0xF8, 0, 0};
    std::vector<Code> b{0x78, 0x01, 0x78, 0, 0};
    const DotFormat format = dot_format(model, e5m2, e5m2);
    CHECK(sum_of(model, {format, a, b, {}, {}, 0, 0}) == 0x2F800000);
    std::swap(a[2], a[4]);
    std::swap(b[2], b[4]);
    CHECK(sum_of(model, {format, a, b, {}, {}, 0, 0}) == 0);
    CHECK(sum_of(accumulator("arm_fmmla_f32"), {format, a, b, {}, {}, 0, 0}) == 0x2F800000);
    const DotFormat scaled = dot_format(model, e5m2, e5m2, &e8m0);
    CHECK(sum_of(model, {scaled, {0x3C}, {0x3C}, {127 - 5}, {127}, 0, 0x3F800000}) == 0x3F840000); // LSCALE = 5
}

TEST_CASE("Arm: a sum beyond FP16 saturates with OSM, an Inf does not", "[accumulator]") {
    const auto sum = [](std::string_view name, Code x, Code c) {
        const Accumulator& model = accumulator(name);
        return sum_of(model, {dot_format(model, e5m2, e5m2), {x}, {0x7B}, {}, {}, 0, c});
    };
    CHECK(sum("arm_fdot_f16", 0x7B, 0) == 0x7C00);
    CHECK(sum("arm_fdot_f16_sat", 0x7B, 0) == 0x7BFF);
    CHECK(sum("arm_fdot_f16_sat", 0xFB, 0) == 0xFBFF);
    CHECK(sum("arm_fdot_f16_sat", 0x7C, 0) == 0x7C00);
    CHECK(sum("arm_fmmla_f16_sat", 0x3C, 0x7C00) == 0x7C00);
    CHECK(sum("arm_fmmla_f16_sat", 0xFC, 0x7C00) == 0x7E00);
}

TEST_CASE("RISC-V: aligned with sticky bits, then to odd twice", "[accumulator]") {
    const Accumulator& model = accumulator("riscv_fp8_dot_16");
    const DotFormat format = dot_format(model, e5m2, e5m2);
    // 2^30 and 2^-4 are 34 bits apart: of the small one a sticky bit of 2^3 stays, and so the sum is odd.
    CHECK(sum_of(model, {format, {0x78, 0x34}, {0x78, 0x34}, {}, {}, 0, 0}) == 0x4E800001);
    CHECK(sum_of(model, {format, {0x78, 0x34, 0xF8}, {0x78, 0x34, 0x78}, {}, {}, 0, 0}) == 0x41000000);
    CHECK(sum_of(model, {format, {0x3C}, {0x3C}, {}, {}, 0, 0x4F000000}) == 0x4F000001); // 2^31 + 1
    CHECK(sum_of(model, {format, {0x80}, {0x3C}, {}, {}, 0, 0x80000000}) == 0);          // -0 + -0
    CHECK(sum_of(model, {format, {0x7B}, {0x7B}, {}, {}, 0, 0x7F7FFFFF}) == 0x7F7FFFFF);
}

TEST_CASE("scales come to a sum when it is promoted", "[accumulator]") {
    const DotFormat format = dot_format(accumulator("deepgemm_hopper_fp8"), e4m3, e4m3, &fp32);
    const auto sum = [&](std::string_view name, std::vector<Code> scales_a, std::vector<Code> scales_b) {
        Case dot_case{format, std::vector<Code>(256, 0), std::vector<Code>(256, 0), {}, {}, 128, 0};
        dot_case.a[0] = dot_case.b[0] = dot_case.a[200] = dot_case.b[200] = 0x38;
        dot_case.a[201] = 0x01; // 2^-9, times
        dot_case.b[201] = 0x20; // 2^-3: more than 13 bits below
        dot_case.scales_a = std::move(scales_a);
        dot_case.scales_b = std::move(scales_b);
        return sum_of(accumulator(name), dot_case);
    };
    const std::vector<Code> one(2, 0x3F800000);
    CHECK(sum("deepgemm_hopper_fp8", one, one) == 0x40000000 + 0x400); // 2^-12 is the last of the 13 bits
    // (1 + 2^-23)(1 + 2^-23) is rounded to 1 + 2^-22.
    CHECK(sum("fp32_scaled_128", {0x3F800001, 0}, {0x3F800001, 0x3F800000}) == 0x3F800002);
    // 1 - (1 + 2^-12) (1 + 2^-23): the product is rounded, or it is not.
    const std::vector<Code> near_one{0xBF800000, 0x3F800001};
    CHECK(sum("deepgemm_hopper_fp8", near_one, one) == 0x39801001);
    CHECK(sum("fp32_scaled_128", near_one, one) == 0x39801000);
    const Accumulator& model = accumulator("fp32_scaled_128");
    const std::vector<Code> ones(64, 0x38);
    const Case small{format, ones, ones, one, one, 32, 0};
    CHECK_THROWS_AS(exact::accumulate(model, small.format, small.operands()), std::invalid_argument);
    CHECK_FALSE(takes(model, dot_format(model, e4m3, e4m3)));
}

TEST_CASE("records that no row has, in both models", "[accumulator][values]") {
    SplitMix64 random(22);
    for (const std::string_view name :
         {"hopper_fp8_f32", "hopper_mma_fp8_f32", "hopper_mma_fp8_f16", "blackwell_mxf8f6f4", "cdna3_fp8", "cdna3_f16",
          "fp32_blocks_32", "amx_fp8", "riscv_fp8_dot_16", "cdna4_f8f6f4_rounded"})
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

TEST_CASE("the table of docs/accumulators.md is that of the accumulators", "[accumulator]") {
    std::ostringstream table;
    table << "| name | summary | sum | group | F | result | evidence |\n|---|---|---|---|---|---|---|\n";
    for (const Accumulator& model : accumulators()) {
        table << "| `" << model.name << "` | " << model.summary << " | " << to_string(model.sum) << ", c "
              << to_string(model.addend) << " | " << (model.group == 0 ? "all" : std::to_string(model.group)) << " | "
              << (is_aligned(model) ? std::to_string(model.fraction) : "") << " | " << model.result->name
              << (model.result_fraction == model.result->fraction_bits ? "" : " (e8m13)") << ", "
              << to_string(model.rounding) << " | " << to_string(model.evidence) << " |\n";
    }
    std::ifstream in(MXCERT_TEST_SOURCE "/docs/accumulators.md");
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
        CHECK((model.evidence == Evidence::definition) == (model.source == accumulator("exact").source));
    }
    CHECK(names.size() == 47);
    CHECK_THROWS_AS(accumulator("hopper_fp8"), std::invalid_argument);
}

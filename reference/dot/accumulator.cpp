// SPDX-License-Identifier: Apache-2.0
// The table of accumulators: one row each.
#include "reference/dot/accumulator.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

using namespace formats;

constexpr std::array fp8{&e4m3, &e5m2};
constexpr std::array fp8_fnuz{&e4m3fnuz, &e5m2fnuz};
constexpr std::array fp4{&e2m1};
constexpr std::array fp8_to_fp4{&e4m3, &e5m2, &e2m3, &e3m2, &e2m1};
constexpr std::array half{&fp16, &bf16};
constexpr std::array only_fp16{&fp16};
constexpr std::array only_bf16{&bf16};
constexpr std::array only_fp32{&fp32};
constexpr std::array only_e4m3{&e4m3};
constexpr std::array any{&e4m3, &e5m2, &e3m2, &e2m3, &e2m1, &int8, &e4m3fnuz, &e5m2fnuz, &fp16, &bf16, &fp32};
constexpr std::array mx_scale{&e8m0};
constexpr std::array fp4_scales{&e8m0, &e4m3, &ue4m3};
constexpr std::array any_scale{&e8m0, &e4m3, &ue4m3, &fp16, &bf16, &fp32};

constexpr std::string_view mma_sim = "MMA-Sim c785138 (arXiv 2511.10909)";
constexpr std::string_view on_h100 = "MMA-Sim c785138 (arXiv 2511.10909); an H100, docs/results/h100";
constexpr std::string_view by_definition = "this project: the form as it is described";

using Formats = std::span<const Format* const>;

/// A tensor core: one sum of n products and c, cut at F bits, the result cut as well.
constexpr Accumulator nvidia(std::string_view name, std::string_view summary, Formats operands, std::size_t group,
                             int fraction) {
    Accumulator row{.name = name, .summary = summary, .source = mma_sim, .operands = operands};
    row.group = group;
    row.fraction = fraction;
    return row;
}
constexpr Accumulator mixed(Accumulator row) {
    row.mixed = true;
    return row;
}
constexpr Accumulator in_halves(Accumulator row) {
    row.grouping = Grouping::halves;
    return row;
}
constexpr Accumulator measured(std::string_view source, Accumulator row) {
    row.source = source;
    row.evidence = Evidence::measured;
    return row;
}
constexpr Accumulator to_e8m13(Accumulator row) {
    row.result_fraction = 13;
    return row;
}
constexpr Accumulator to_fp16(Accumulator row) {
    row.result = &fp16;
    row.result_fraction = fp16.fraction_bits;
    row.rounding = Rounding::nearest_even;
    return row;
}
constexpr Accumulator with_scales(Accumulator row, ScaleUse use, Formats scales) {
    row.scale_use = use;
    row.scales = scales;
    return row;
}
constexpr Accumulator mxf4nvf4() {
    Accumulator row =
        with_scales(nvidia("blackwell_mxf4nvf4", "mxf4nvf4, k=64: FP4, E8M0 or UE4M3 scales for 16 or 32", fp4, 64, 35),
                    ScaleUse::terms, fp4_scales);
    row.sum = GroupSum::scaled_terms;
    return row;
}
constexpr Accumulator promoted() {
    Accumulator row = mixed(to_e8m13(nvidia(
        "hopper_fp8_promote_128", "as hopper_fp8_f32, added to FP32 every 128 products (DeepSeek-V3)", fp8, 32, 13)));
    row.promote = 128;
    return measured("MMA-Sim c785138; arXiv 2412.19437, 3.3.2; cuBLASLt on an H100, docs/results/h100", row);
}

/// FP8 operands made FP16, two instructions of FP16 from zero, and an addition to c: ptxas of CUDA 13.0 makes that of
/// mma.
constexpr Accumulator by_fp16(Accumulator row) {
    row.grouping = Grouping::two_of_four;
    row.promote = 32;
    return measured(
        "MMA-Sim c785138; what ptxas 13.0.88 makes of mma for sm_90a and sm_100a; an H100, docs/results/h100", row);
}

/// IEEE arithmetic: every rounding to nearest even, signs of zeros and NaN as it has them.
constexpr Accumulator ieee(std::string_view name, std::string_view summary, Formats operands, GroupSum sum,
                           std::size_t group, Addend addend) {
    Accumulator row{.name = name, .summary = summary, .source = mma_sim, .operands = operands};
    row.sum = sum;
    row.group = group;
    row.addend = addend;
    row.rounding = Rounding::nearest_even;
    row.zero_sign = ZeroSign::kept;
    row.nan = NanRule::quiet;
    return row;
}
constexpr Accumulator flushing(Accumulator row) {
    row.flush = true;
    return row;
}
constexpr Accumulator cdna3(std::string_view name, std::string_view summary, Formats operands, GroupSum sum,
                            std::size_t group, int window) {
    Accumulator row = ieee(name, summary, operands, sum, group, Addend::aligned_down);
    row.fraction = 24;
    row.sum_fraction = 31;
    row.addend_fraction = 24;
    row.addend_window = window;
    row.large_is_inf = true;
    return row;
}
constexpr Accumulator software(std::string_view name, std::string_view summary, GroupSum sum, std::size_t group,
                               Addend addend) {
    Accumulator row = with_scales(mixed(ieee(name, summary, any, sum, group, addend)), ScaleUse::factors, any_scale);
    row.source = by_definition;
    row.evidence = Evidence::definition;
    return row;
}
constexpr Accumulator in(const Format& arithmetic, Accumulator row) {
    row.arithmetic = &arithmetic;
    return row;
}
constexpr Accumulator from(std::string_view source, Accumulator row) {
    row.source = source;
    return row;
}
constexpr Accumulator saturating(Accumulator row) {
    row.overflow = Overflow::sat_finite;
    return row;
}

/// Intel's tile instructions: an instruction takes 64 products. Operands become FP16 on the way, in which subnormals of
/// E5M2 are subnormal and those of E4M3 are not.
constexpr Accumulator amx() {
    Accumulator row = ieee("amx_fp8", "Intel AMX-FP8: two running FP32 sums of pairs, subnormals flushed", fp8,
                           GroupSum::pairs, 64, Addend::rounded);
    row.flush = true;
    row.flushed_as = &fp16;
    return from("Bochs 783b58f, bochs/cpu/avx/amx.cc and hf8.h", mixed(row));
}

/// A fused sum of a few products and c. The scales stand for FPMR.LSCALE: their product is 2^-LSCALE.
constexpr Accumulator arm(std::string_view name, std::string_view summary, std::size_t group, const Format& result) {
    Accumulator row = with_scales(mixed(ieee(name, summary, fp8, GroupSum::exact, group, Addend::in_group)),
                                  ScaleUse::factors, mx_scale);
    row.result = &result;
    row.result_fraction = result.fraction_bits;
    return from("Arm A-profile A1.5.5, C7.2.116, C7.2.154; QEMU 0e81c21, target/arm/tcg/fp8_helper.c", row);
}

/// Products of blocks of 32, whose scales come to their sum before c does. How a sum is rounded before that, and
/// whether the blocks of an instruction are added at once, the ISA does not say. Without scales all are 1 (ABID[0] =
/// 0).
constexpr Accumulator cdna4(std::string_view name, std::string_view summary, Addend addend) {
    Accumulator row =
        with_scales(mixed(ieee(name, summary, fp8_to_fp4, GroupSum::exact, 32, addend)), ScaleUse::factors, mx_scale);
    row.evidence = Evidence::reading;
    return from("AMD CDNA4 ISA (2025-08-05), 7.1.5 and 7.2", row);
}

/// The products of a whole instruction aligned with sticky bits, rounded to odd, and added to c to odd. A zero product
/// is aligned below all others.
constexpr Accumulator riscv(std::string_view name, std::string_view summary, std::size_t group, int guard_bits) {
    Accumulator row = ieee(name, summary, fp8, GroupSum::aligned, group, Addend::rounded);
    row.fraction = fp32.fraction_bits + guard_bits;
    row.align = row.arithmetic_rounding = row.rounding = Rounding::to_odd;
    row.zero_exponent = -1000;
    return from("Spike 55b4658, riscv/bulknormdot.h and zvbdot.h", mixed(row));
}

/// Scales of blocks multiply the sum of 128 products in FP32.
constexpr Accumulator scaled_at_promotion(Accumulator row, bool fma) {
    row.promote = 128;
    row.promote_fma = fma;
    return with_scales(row, ScaleUse::promotion, only_fp32);
}

constexpr auto in_group = Addend::in_group;
constexpr auto rounded = Addend::rounded;

// The texts are one line each however long they are: they are data.
// clang-format off
constexpr std::array accumulator_table{
    in_halves(mixed(to_e8m13(nvidia("ada_fp8_f32", "Ada (sm_89) mma, FP8, groups of 16, 13 bits of FP32", fp8, 16, 13)))),
    in_halves(mixed(to_fp16(nvidia("ada_fp8_f16", "Ada (sm_89) mma, FP8, groups of 16, FP16", fp8, 16, 13)))),
    measured(on_h100, mixed(to_e8m13(nvidia("hopper_fp8_f32", "Hopper (sm_90) wgmma, FP8, groups of 32, 13 bits of FP32", fp8, 32, 13)))),
    measured(on_h100, mixed(to_fp16(nvidia("hopper_fp8_f16", "Hopper (sm_90) wgmma, FP8, groups of 32, FP16", fp8, 32, 13)))),
    promoted(),
    by_fp16(mixed(nvidia("hopper_mma_fp8_f32", "Hopper, sm_100 mma, as FP16, added to FP32 every 32 products", fp8, 16, 25))),
    by_fp16(mixed(to_fp16(nvidia("hopper_mma_fp8_f16", "Hopper, sm_100 mma, as FP16, added to FP16 every 32 products", fp8, 16, 25)))),
    nvidia("hopper_f16_f32", "Hopper (sm_90) wgmma and mma, Blackwell (sm_100), FP16 or BF16, FP32", half, 16, 25),
    to_fp16(nvidia("hopper_f16_f16", "Hopper (sm_90) wgmma and mma, Blackwell (sm_100), FP16 to FP16", only_fp16, 16, 25)),
    mixed(nvidia("blackwell_fp8_f32", "Blackwell (sm_100 tcgen05, sm_120 mma), FP8, groups of 32, FP32", fp8, 32, 25)),
    mixed(to_fp16(nvidia("blackwell_fp8_f16", "Blackwell (sm_100 tcgen05, sm_120 mma), FP8, groups of 32, FP16", fp8, 32, 25))),
    mixed(nvidia("sm120_k16_fp8_f32", "Blackwell (sm_120) mma with k=16, FP8, groups of 16, FP32", fp8, 16, 25)),
    mixed(to_fp16(nvidia("sm120_k16_fp8_f16", "Blackwell (sm_120) mma with k=16, FP8, groups of 16, FP16", fp8, 16, 25))),
    with_scales(mixed(nvidia("blackwell_mxf8f6f4", "Blackwell mxf8f6f4: FP8, E8M0 scales of 32, groups of 32, FP32", fp8, 32, 25)), ScaleUse::exponents, mx_scale),
    mxf4nvf4(),
    nvidia("volta_f16_f32", "Volta (sm_70) mma, FP16, groups of 4, FP32", only_fp16, 4, 23),
    to_fp16(nvidia("volta_f16_f16", "Volta (sm_70) mma, FP16, groups of 4, FP16", only_fp16, 4, 23)),
    nvidia("ampere_f16_f32", "Turing (FP16 only), Ampere, Ada mma, FP16 or BF16, FP32", half, 8, 24),
    to_fp16(nvidia("ampere_f16_f16", "Turing, Ampere, Ada mma, FP16, groups of 8, FP16", only_fp16, 8, 24)),
    ieee("cdna1_f16", "CDNA1 (MI100), FP16, groups of 4, a tree of FP32 sums", only_fp16, GroupSum::tree, 4, rounded),
    ieee("cdna1_bf16", "CDNA1 (MI100), BF16, groups of 2", only_bf16, GroupSum::tree, 2, rounded),
    flushing(ieee("cdna2_f16", "CDNA2 (MI200), FP16, as cdna1_f16, subnormals flushed", only_fp16, GroupSum::tree, 4, rounded)),
    flushing(ieee("cdna2_bf16", "CDNA2 (MI200), BF16, old instructions, groups of 2, subnormals flushed", only_bf16, GroupSum::tree, 2, rounded)),
    flushing(ieee("cdna2_bf16_1k", "CDNA2 (MI200), BF16, _1k instructions, groups of 4, subnormals flushed", only_bf16, GroupSum::tree, 4, rounded)),
    cdna3("cdna3_f16", "CDNA3 (MI300), FP16 or BF16, groups of 8, then rounded down", half, GroupSum::aligned, 8, 0),
    mixed(cdna3("cdna3_fp8", "CDNA3 (MI300), FP8 FNUZ, even and odd apart, then rounded down", fp8_fnuz, GroupSum::even_odd, 16, 25)),
    cdna4("cdna4_f8f6f4", "CDNA4 (MI350) f8f6f4: exact sum of a scaled block and c", in_group),
    cdna4("cdna4_f8f6f4_rounded", "as cdna4_f8f6f4, scaled sums rounded to FP32 before c is added", rounded),
    amx(),
    arm("arm_fdot_f32", "Arm FDOT (4-way), FP8: exact sum times 2^-LSCALE and c, FP32", 4, fp32),
    arm("arm_fdot_f16", "Arm FDOT (2-way), FP8: exact sum times 2^-LSCALE and c, FP16", 2, fp16),
    saturating(arm("arm_fdot_f16_sat", "as arm_fdot_f16, saturating (FPMR.OSM=1)", 2, fp16)),
    arm("arm_fmmla_f32", "Arm FMMLA, FP8: exact sum times 2^-LSCALE and c, FP32", 8, fp32),
    arm("arm_fmmla_f16", "Arm FMMLA, FP8: exact sum times 2^-LSCALE and c, FP16", 4, fp16),
    saturating(arm("arm_fmmla_f16_sat", "as arm_fmmla_f16, saturating (FPMR.OSM=1)", 4, fp16)),
    riscv("riscv_fp8_dot_16", "RISC-V Zvfqldot8f, Zvfqbdot8f, FP8, registers of 16 elements, to odd", 16, 4),
    riscv("riscv_fp8_dot_32", "RISC-V Zvfqldot8f, Zvfqbdot8f, FP8, registers of 32 elements, to odd", 32, 5),
    riscv("riscv_fp8_dot_64", "RISC-V Zvfqldot8f, Zvfqbdot8f, FP8, registers of 64 elements, to odd", 64, 6),
    from("DeepGEMM's fp8_gemm for sm_90, as NVIDIA/TensorRT-LLM has it (deep_gemm/fp8_gemm_impl.cuh); MMA-Sim c785138", scaled_at_promotion(to_e8m13(nvidia("deepgemm_hopper_fp8", "as hopper_fp8_f32, E4M3, DeepGEMM's FP32 scales every 128 products, fused", only_e4m3, 32, 13)), true)),
    software("fp32_multiply_add", "one after the other in FP32, product and sum each rounded", GroupSum::multiply_add, 0, in_group),
    software("fp32_fma", "one after the other in FP32, one rounding each", GroupSum::fma, 0, in_group),
    software("fp32_pairwise", "products rounded to FP32, halves added as a tree, then c", GroupSum::tree, 0, rounded),
    software("fp32_blocks_32", "32 products in FP32 from zero, then added to the sum", GroupSum::multiply_add, 32, rounded),
    scaled_at_promotion(software("fp32_scaled_128", "128 products in FP32 from zero, times FP32 scales, then added", GroupSum::multiply_add, 128, in_group), false),
    in(fp16, to_fp16(software("fp16_fma", "one after the other in FP16, one rounding each", GroupSum::fma, 0, in_group))),
    in(fp64, software("fp64_fma", "one after the other in FP64, rounded once each, to FP32", GroupSum::fma, 0, in_group)),
    software("exact", "the definition: the exact sum, rounded once to FP32", GroupSum::exact, 0, in_group),
};
// clang-format on

bool holds(Formats list, const Format* format) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Format* this_format) { return this_format->name == format->name; });
}

} // namespace

std::span<const Accumulator> accumulators() { return accumulator_table; }

const Accumulator& accumulator(std::string_view name) { return find_named("accumulator", name, accumulators()); }

bool takes(const Accumulator& accumulator, const DotFormat& format) {
    if (format.a == nullptr || format.b == nullptr || !holds(accumulator.operands, format.a) ||
        !holds(accumulator.operands, format.b) || (!accumulator.mixed && format.a->name != format.b->name))
        return false;
    const bool scaled = format.scale_a != nullptr && format.scale_b != nullptr;
    const bool none = format.scale_a == nullptr && format.scale_b == nullptr;
    if (scaled && (!holds(accumulator.scales, format.scale_a) || format.scale_a->name != format.scale_b->name))
        return false;
    const bool optional = accumulator.scale_use == ScaleUse::factors;
    const bool fits = none ? accumulator.scales.empty() || optional : scaled;
    return fits && format.c != nullptr && format.to != nullptr && format.c->name == accumulator.result->name &&
           format.to->name == accumulator.result->name;
}

std::size_t least_block(const Accumulator& accumulator) {
    if (accumulator.scale_use == ScaleUse::promotion) return accumulator.promote;
    return accumulator.sum == GroupSum::scaled_terms ? scaled_term_size : 1;
}

bool takes_blocks(const Accumulator& accumulator, std::size_t block_a, std::size_t block_b) {
    const std::size_t least = least_block(accumulator);
    return block_a % least == 0 && block_b % least == 0;
}

void check(const Accumulator& accumulator, const DotFormat& format, std::size_t block_a, std::size_t block_b) {
    if (!takes(accumulator, format))
        throw std::invalid_argument("the accumulator " + std::string(accumulator.name) +
                                    " does not take these formats");
    if (format.scale_a != nullptr && !takes_blocks(accumulator, block_a, block_b))
        throw std::invalid_argument("blocks of " + std::string(accumulator.name) + " are multiples of " +
                                    std::to_string(least_block(accumulator)));
}

void check(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands) {
    check(accumulator, format, operands.block_a, operands.block_b);
    check(format, operands);
}

std::string_view to_string(GroupSum value) {
    constexpr std::array<std::string_view, 8> names{"aligned",      "even_odd", "scaled_terms", "tree",
                                                    "multiply_add", "fma",      "pairs",        "exact"};
    return names.at(static_cast<std::size_t>(value));
}
std::string_view to_string(Grouping value) {
    constexpr std::array<std::string_view, 3> names{"in order", "in order", "two of four"};
    return names.at(static_cast<std::size_t>(value));
}
std::string_view to_string(Addend value) {
    constexpr std::array<std::string_view, 3> names{"in_group", "aligned_down", "rounded"};
    return names.at(static_cast<std::size_t>(value));
}
std::string_view to_string(ScaleUse value) {
    constexpr std::array<std::string_view, 5> names{"none", "exponents", "terms", "factors", "promotion"};
    return names.at(static_cast<std::size_t>(value));
}
std::string_view to_string(Evidence value) {
    constexpr std::array<std::string_view, 4> names{"claimed", "measured", "definition", "reading"};
    return names.at(static_cast<std::size_t>(value));
}

} // namespace mxcert

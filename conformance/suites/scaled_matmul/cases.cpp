// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaled_matmul/cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "conformance/suites/matmul/large_cases.hpp"
#include "conformance/suites/scaled_matmul/epilogue_maker.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/arithmetic.hpp"
#include "reference/exact/epilogue.hpp"

namespace mxcert::suites {
namespace {

/// Sums that lie between two values of D: of its normal numbers, of its subnormals, and beyond its largest. False if
/// the call returned false.
bool for_each_tie_of_output(const EpilogueMaker& maker, const TakeScaledCase& take) {
    const ScaledMatmul& scaled = maker.scaled();
    const Format& output = *scaled.output;
    const Format& a = *scaled.matmul.format.a;
    const Format& b = *scaled.matmul.format.b;
    constexpr std::size_t bits = 13; // of a sum: products of powers of two that both operands, or their scales, have
    const bool by_blocks = scaled.has_blocks();
    const std::size_t stride = by_blocks ? scaled.matmul.a_scale.along : 1; // from one product to the next
    if (output.fraction_bits + 2 >= static_cast<int>(bits)) return true;
    const std::uint64_t normal = std::uint64_t{1} << static_cast<unsigned>(output.fraction_bits + 1);
    const std::uint64_t sums[] = {normal + 1, normal + 3, normal + 5, 2 * normal - 1, 2 * normal - 3, 1, 3, 5};
    const int step = output.fraction_bits + 1;
    for (const int exponent : {0, output.emax() - step, output.emin() - step, output.emin() - step + 1, -3}) {
        ScaledCase scaled_case = maker.ones(fmt::format("sums between two values of D, times 2^{}", exponent),
                                            std::size(sums), 4, (bits - 1) * stride + 1);
        const MatmulShape& shape = scaled_case.shape;
        std::fill(scaled_case.a.begin(), scaled_case.a.end(), 0);
        for (std::size_t bit = 0; bit < bits; ++bit) {
            const std::size_t l = bit * stride;
            const int of_a = 1 << bit / 2;
            const int of_b = 1 << (bit - bit / 2);
            for (std::size_t row = 0; row < std::size(sums); ++row) {
                scaled_case.a[shape.a_at(row, l)] =
                    (sums[row] >> bit & 1U) != 0 ? EpilogueMaker::code(a, by_blocks ? 1 : of_a) : 0;
                if (by_blocks)
                    scaled_case.block_scales_a[shape.a_scale_at(row, bit)] =
                        EpilogueMaker::code(*scaled.matmul.format.scale_a, of_a);
            }
            for (std::size_t column = 0; column < 4; ++column) {
                scaled_case.b[shape.b_at(l, column)] =
                    b.with_sign(EpilogueMaker::code(b, by_blocks ? 1 : of_b), column % 2 != 0);
                if (by_blocks)
                    scaled_case.block_scales_b[shape.b_scale_at(bit, column)] =
                        EpilogueMaker::code(*scaled.matmul.format.scale_b, of_b);
            }
        }
        const Code scale = exact::encode(formats::fp32, exact::power_of_two(exponent));
        for (Code& code : scaled_case.scales_b) code = scale;
        if (!take(scaled_case)) return false;
    }
    return true;
}

constexpr std::size_t sizes[][3] = {{1, 1, 1},      {1, 2, 3},     {3, 2, 33},    {16, 16, 32},   {17, 19, 32},
                                    {64, 48, 64},   {129, 3, 16},  {3, 130, 95},  {3, 2, 129},    {2, 3, 1041},
                                    {17, 2, 4099},  {2, 17, 4099}, {1030, 72, 5}, {1030, 5, 40},  {5, 1030, 40},
                                    {144, 160, 32}, {1, 300, 64},  {300, 1, 64},  {2, 3, 16'421}, {4, 272, 1100}};

} // namespace

void for_each_scaled_place_case(const ScaledMatmul& scaled, const TakeScaledCase& take) {
    const EpilogueMaker maker(scaled);
    std::uint64_t seed = 100;
    for (const auto& [m, n, k] : sizes) {
        ScaledCase scaled_case = maker.ones(fmt::format("whole numbers, {}x{}x{}", m, n, k), m, n, k);
        maker.whole_numbers(scaled_case, seed);
        maker.seeded(scaled_case, seed + 2, 2);
        seed += 7;
        if (!take(scaled_case)) return;
    }
    // The largest in each place of a small product, and at the ends of larger ones: a row of A by a column of B, all
    // else less.
    struct Place {
        std::size_t m, n, row, column;
    };
    std::vector<Place> places;
    for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t column = 0; column < 4; ++column) places.push_back({5, 4, row, column});
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{129, 3}, {3, 130}, {257, 5}, {5, 300}})
        for (const std::size_t row : {std::size_t{0}, m / 2, m - 1})
            for (const std::size_t column : {std::size_t{0}, n / 2, n - 1}) places.push_back({m, n, row, column});
    constexpr std::size_t k = 16;
    const Format& a = *scaled.matmul.format.a;
    const Format& b = *scaled.matmul.format.b;
    for (const auto& [m, n, row, column] : places)
        for (const bool negative : {false, true}) {
            ScaledCase scaled_case = maker.ones(fmt::format("the largest {} in {},{} of {}x{}",
                                                            negative ? "negative value" : "value", row, column, m, n),
                                                m, n, k);
            maker.seeded(scaled_case, seed++, 0);
            for (Code& code : scaled_case.bias) code = maker.bias(fp32_one);
            const Code of_a = EpilogueMaker::code(a, scaled.has_blocks() ? 6 : 12) | (negative ? a.sign_bit() : 0);
            for (std::size_t l = 0; l < k; ++l) scaled_case.a[scaled_case.shape.a_at(row, l)] = of_a;
            const Code of_b = EpilogueMaker::code(b, scaled.has_blocks() ? 4 : 8);
            for (std::size_t l = 0; l < k; ++l) scaled_case.b[scaled_case.shape.b_at(l, column)] = of_b;
            if (!take(scaled_case)) return;
        }
}

void for_each_scaled_large_case(const ScaledMatmul& scaled, Level level, const TakeScaledCase& take) {
    const EpilogueMaker maker(scaled);
    std::uint64_t seed = 5000;
    bool goes_on = true;
    for_each_large_case(scaled.matmul, level, [&](const MatmulCase& product) {
        const MatmulShape& shape = product.shape;
        ScaledCase scaled_case = with_product(maker.ones(product.name, shape.m, shape.n, shape.k), product);
        maker.seeded(scaled_case, seed++, 2);
        return goes_on = take(scaled_case);
    });
    // Beside a NaN nothing is said of an amax.
    if (!scaled.has_amax || !goes_on || large_products(level).empty()) return;
    const auto& [m, n, k] = large_products(level).front();
    ScaledCase scaled_case = maker.ones(fmt::format("whole numbers, {}x{}x{}", m, n, k), m, n, k);
    maker.whole_numbers(scaled_case, seed);
    maker.seeded(scaled_case, seed + 2, 2);
    take(scaled_case);
}

void for_each_scaled_special_case(const ScaledMatmul& scaled, const TakeScaledCase& take) {
    const EpilogueMaker maker(scaled);
    bool more = true;
    std::uint64_t seed = 900;
    const auto take_with = [&](const std::string& name, const auto& change) {
        if (!more) return;
        ScaledCase scaled_case = maker.ones(name, 3, 4, 40);
        maker.whole_numbers(scaled_case, seed);
        maker.seeded(scaled_case, seed + 2, 1);
        seed += 5;
        change(scaled_case);
        more = take(scaled_case);
    };
    const struct {
        const char* name;
        Code code;
    } numbers[] = {{"NaN", 0x7FC00000},
                   {"Inf", 0x7F800000},
                   {"zero", 0},
                   {"-0", 0x80000000},
                   {"a negative number", 0xBFC00001},
                   {"the smallest number", 1},
                   {"a subnormal", 0x00345678},
                   {"the largest number", 0x7F7FFFFF}};
    for (const auto& number : numbers) {
        for (std::size_t at = 0; at < 2; ++at) {
            take_with(fmt::format("{} as a scale of A ({})", number.name, at), [&](ScaledCase& scaled_case) {
                scaled_case.scales_a[at % scaled_case.scales_a.size()] = number.code;
            });
            take_with(fmt::format("{} as a scale of B ({})", number.name, at), [&](ScaledCase& scaled_case) {
                scaled_case.scales_b[at % scaled_case.scales_b.size()] = number.code;
            });
        }
        if (scaled.bias != nullptr)
            take_with(fmt::format("{} as a bias", number.name),
                      [&](ScaledCase& scaled_case) { scaled_case.bias[1] = maker.bias(number.code); });
        if (scaled.has_d_scale)
            take_with(fmt::format("{} as the scale of D", number.name),
                      [&](ScaledCase& scaled_case) { scaled_case.d_scale = number.code; });
    }
    const Format& a = *scaled.matmul.format.a;
    const Format& b = *scaled.matmul.format.b;
    for (const std::size_t l : {std::size_t{0}, std::size_t{2}, std::size_t{17}, std::size_t{39}}) {
        const auto at_a = [&, l](Code code) {
            return [&, l, code](ScaledCase& scaled_case) { scaled_case.a[scaled_case.shape.a_at(1, l)] = code; };
        };
        const auto at_b = [&, l](Code code) {
            return [&, l, code](ScaledCase& scaled_case) { scaled_case.b[scaled_case.shape.b_at(l, 2)] = code; };
        };
        for (const bool negative : {false, true}) {
            const char* const sign = negative ? "-" : "";
            if (a.has_nan())
                take_with(fmt::format("{}NaN in A at {}", sign, l), at_a(a.with_sign(a.magnitude_mask(), negative)));
            if (b.has_nan())
                take_with(fmt::format("{}NaN in B at {}", sign, l), at_b(b.with_sign(b.magnitude_mask(), negative)));
            if (a.has_inf())
                take_with(fmt::format("{}Inf in A at {}", sign, l), at_a(a.with_sign(a.inf_code(), negative)));
            if (b.has_inf())
                take_with(fmt::format("{}Inf in B at {}", sign, l), at_b(b.with_sign(b.inf_code(), negative)));
        }
        if (!a.has_inf()) continue;
        take_with(fmt::format("Inf in A times zero at {}", l), [&, l](ScaledCase& scaled_case) {
            scaled_case.a[scaled_case.shape.a_at(1, l)] = a.inf_code();
            scaled_case.b[scaled_case.shape.b_at(l, 2)] = 0;
        });
        take_with(fmt::format("Inf minus Inf at {}", l), [&, l](ScaledCase& scaled_case) {
            for (const std::size_t place : {l, (l + 1) % 40}) {
                scaled_case.a[scaled_case.shape.a_at(1, place)] = a.with_sign(a.inf_code(), place != l);
                for (std::size_t column = 0; column < 4; ++column)
                    scaled_case.b[scaled_case.shape.b_at(place, column)] = EpilogueMaker::code(b, 1);
            }
        });
    }
    if (scaled.has_blocks()) {
        const Format& scale = *scaled.matmul.format.scale_a;
        const std::pair<const char*, Code> of_blocks[] = {{"NaN", scale.magnitude_mask()},
                                                          {"zero", 0},
                                                          {"the smallest number", 1},
                                                          {"the largest subnormal", scale.fraction_mask()},
                                                          {"the largest number", scale.max_code()}};
        for (const auto& [text, code] : of_blocks)
            for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{8}}) {
                take_with(fmt::format("{} as scale {} of the blocks of A", text, at),
                          [at, code = code](ScaledCase& scaled_case) { scaled_case.block_scales_a[at] = code; });
                take_with(fmt::format("{} as scale {} of the blocks of B", text, at),
                          [at, code = code](ScaledCase& scaled_case) { scaled_case.block_scales_b[at] = code; });
            }
    }
    if (more) more = for_each_tie_of_output(maker, take);
    take_with("-0 in A everywhere",
              [&](ScaledCase& scaled_case) { std::fill(scaled_case.a.begin(), scaled_case.a.end(), a.sign_bit()); });
    take_with("scales whose product is subnormal", [](ScaledCase& scaled_case) {
        for (Code& scale : scaled_case.scales_a) scale = 0x1F812345; // 2^-64
        for (Code& scale : scaled_case.scales_b) scale = 0x1FC54321;
    });
    take_with("scales whose product is beyond FP32", [](ScaledCase& scaled_case) {
        for (Code& scale : scaled_case.scales_a) scale = 0x60012345; // 2^65
        for (Code& scale : scaled_case.scales_b) scale = 0x5FC54321;
    });
    for (const bool in_a : {true, false}) {
        const auto zeros = [in_a](ScaledCase& scaled_case, std::size_t first, std::size_t last) {
            const MatmulShape& shape = scaled_case.shape;
            for (std::size_t l = first; l < last; ++l)
                for (std::size_t line = 0; line < (in_a ? shape.m : shape.n); ++line)
                    (in_a ? scaled_case.a[shape.a_at(line, l)] : scaled_case.b[shape.b_at(l, line)]) = 0;
        };
        const char* const name = in_a ? "A" : "B";
        const Format& other = in_a ? b : a;
        for (const auto& [what, code] :
             {std::pair{"NaN", other.magnitude_mask()}, std::pair{"Inf", other.inf_code()}}) {
            if (!(other.is_nan(code) || (other.has_inf() && other.is_inf(code)))) continue;
            for (const std::size_t l : {std::size_t{2}, std::size_t{39}})
                for (const bool all : {false, true})
                    take_with(fmt::format("{} times {} in {} at {}", what, all ? "nothing but zeros" : "zero", name, l),
                              [&, l, all, code = code](ScaledCase& scaled_case) {
                                  all ? zeros(scaled_case, 0, scaled_case.shape.k) : zeros(scaled_case, l, l + 1);
                                  const MatmulShape& shape = scaled_case.shape;
                                  (in_a ? scaled_case.b[shape.b_at(l, 2)] : scaled_case.a[shape.a_at(1, l)]) = code;
                              });
        }
        for (const Code code : {Code{0x7FC00000}, Code{0x7F800000}})
            for (const bool of_a : {true, false})
                take_with(fmt::format("{} as a scale of {}, and nothing but zeros in {}",
                                      formats::fp32.is_nan(code) ? "NaN" : "Inf", of_a ? "A" : "B", name),
                          [&, code, of_a](ScaledCase& scaled_case) {
                              zeros(scaled_case, 0, scaled_case.shape.k);
                              (of_a ? scaled_case.scales_a : scaled_case.scales_b)[0] = code;
                          });
        if (!scaled.has_blocks()) continue;
        for (const bool of_a : {true, false})
            take_with(
                fmt::format("NaN as a scale of the blocks of {}, and nothing but zeros in {}", of_a ? "A" : "B", name),
                [&, of_a](ScaledCase& scaled_case) {
                    zeros(scaled_case, 0, scaled_case.shape.k);
                    (of_a ? scaled_case.block_scales_a : scaled_case.block_scales_b)[0] =
                        scaled.matmul.format.scale_a->magnitude_mask();
                });
    }
    if (scaled.bias == nullptr) return;
    // 40 x 0.2, where 0.2 is not exact, rounds to 8: a bias of -8 leaves nothing, or what was not rounded.
    for (std::vector<Code> ScaledCase::*const scales : {&ScaledCase::scales_a, &ScaledCase::scales_b}) {
        ScaledCase scaled_case = maker.ones("a bias that cancels a rounded product", 3, 4, 40);
        constexpr Code fifth = 0x3E4CCCCD;
        for (Code& scale : scaled_case.*scales) scale = fifth;
        for (Code& code : scaled_case.bias) code = maker.bias(0xC1000000);
        if (more) more = take(scaled_case);
    }
    // All sums are 40: what the bias leaves of it is what was rounded.
    for (std::uint64_t number = 0; number < 8 && more; ++number) {
        ScaledCase scaled_case = maker.ones(fmt::format("a bias that cancels, number {}", number), 3, 4, 40);
        maker.seeded(scaled_case, 700 + number, 1);
        for (std::size_t column = 0; column < 4; ++column) {
            const Code scale_b = scaled_case.scales_b[column % scaled_case.scales_b.size()];
            const Code value =
                exact::after_sum(*scaled.epilogue, {0x42200000, scaled_case.scales_a[0], scale_b, std::nullopt});
            scaled_case.bias[column] = maker.bias(value ^ formats::fp32.sign_bit());
        }
        more = take(scaled_case);
    }
}

void for_each_scaled_value_case(const ScaledMatmul& scaled, unsigned samples, std::uint64_t seed,
                                const TakeScaledCase& take) {
    const EpilogueMaker maker(scaled);
    for (unsigned sample = 0; sample < std::max(4U, samples); ++sample)
        for (const int spread : {0, 3, 12, 40}) {
            // Sums of one group of an accumulator, and of several.
            const std::size_t k = sample % 4 < 2 ? 32 : 160;
            ScaledCase scaled_case =
                maker.ones(fmt::format("seeded, number {}, {} binades", sample, 2 * spread + 1), 16, 16, k);
            maker.whole_numbers(scaled_case, seed + sample);
            maker.seeded(scaled_case, seed + sample + static_cast<std::uint64_t>(spread), spread);
            if (sample % 2 == 1) { // any finite operands, or subnormal ones
                SplitMix64 random(seed + sample);
                const auto any = [&](const Format& format) {
                    const Code most = spread == 3 ? format.fraction_mask() : format.max_code();
                    const Code magnitude = random.below(most + 1);
                    return format.with_sign(magnitude, random.below(2) == 0);
                };
                for (Code& code : scaled_case.a) code = any(*scaled.matmul.format.a);
                for (Code& code : scaled_case.b) code = any(*scaled.matmul.format.b);
                for (Code& code : scaled_case.block_scales_a) code = any(*scaled.matmul.format.scale_a);
                for (Code& code : scaled_case.block_scales_b) code = any(*scaled.matmul.format.scale_b);
            }
            if (!take(scaled_case)) return;
        }
}

frames::RunCase run_of(const ScaledMatmul& scaled, const ScaledCase& scaled_case) {
    const MatmulShape& shape = scaled_case.shape;
    frames::RunCase run;
    run.shape = {shape.m, shape.n, shape.k, 0};
    run.product = {shape.m, shape.n, shape.k};
    run.inputs = {frames::values_of(scaled_case.a, *scaled.matmul.format.a),
                  frames::values_of(scaled_case.b, *scaled.matmul.format.b)};
    if (scaled.has_blocks()) {
        run.inputs.push_back(frames::values_of(scaled_case.block_scales_a, *scaled.matmul.format.scale_a));
        run.inputs.push_back(frames::values_of(scaled_case.block_scales_b, *scaled.matmul.format.scale_b));
    }
    run.inputs.push_back(frames::values_of(scaled_case.scales_a, formats::fp32));
    run.inputs.push_back(frames::values_of(scaled_case.scales_b, formats::fp32));
    if (scaled.bias != nullptr) run.inputs.push_back(frames::values_of(scaled_case.bias, *scaled.bias));
    if (scaled.has_d_scale) run.inputs.push_back(frames::values_of({scaled_case.d_scale}, formats::fp32));
    run.outputs = {frames::Values(shape.m * shape.n, frames::bytes_of(*scaled.output))};
    if (scaled.has_amax) run.outputs.emplace_back(1, frames::bytes_of(formats::fp32));
    return run;
}

MatmulCase product_of(const ScaledCase& scaled_case) {
    MatmulCase product;
    product.name = scaled_case.name;
    product.shape = scaled_case.shape;
    product.a = scaled_case.a;
    product.b = scaled_case.b;
    product.scales_a = scaled_case.block_scales_a;
    product.scales_b = scaled_case.block_scales_b;
    product.c.assign(product.shape.m * product.shape.n, 0);
    return product;
}

ScaledCase with_product(ScaledCase scaled_case, const MatmulCase& product) {
    scaled_case.a = product.a;
    scaled_case.b = product.b;
    scaled_case.block_scales_a = product.scales_a;
    scaled_case.block_scales_b = product.scales_b;
    return scaled_case;
}

ScaledCase filled(const ScaledMatmul& scaled, const ScaledCase& scaled_case) {
    const MatmulCase product = filled(scaled.matmul, product_of(scaled_case));
    ScaledCase whole = with_product(scaled_case, product);
    whole.name = product.name;
    whole.shape = product.shape;
    whole.scales_a.resize(scaled.scales_a(whole.shape), fp32_one);
    whole.scales_b.resize(scaled.scales_b(whole.shape), fp32_one);
    if (scaled.bias != nullptr) whole.bias.resize(whole.shape.n, 0);
    return whole;
}

ScaledCase case_of(const ScaledMatmul& scaled, const cases::GivenCase& given_case) {
    ScaledCase scaled_case;
    scaled_case.name = "this case";
    scaled_case.shape = scaled.matmul.shape(given_case.sizes[0], given_case.sizes[1], given_case.sizes[2]);
    auto input = given_case.tensors.begin();
    scaled_case.a = *input++;
    scaled_case.b = *input++;
    if (scaled.has_blocks()) {
        scaled_case.block_scales_a = *input++;
        scaled_case.block_scales_b = *input++;
    }
    scaled_case.scales_a = *input++;
    scaled_case.scales_b = *input++;
    if (scaled.bias != nullptr) scaled_case.bias = *input++;
    scaled_case.d_scale = scaled.has_d_scale ? input->front() : fp32_one;
    return scaled_case;
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/cases.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::suites {

Code code_of(const Format& format, double value) {
    constexpr int bits = 52;
    constexpr int bias = 1023;
    const auto code = std::bit_cast<Code>(value);
    const bool negative = code >> 63U != 0;
    const Code magnitude = code & ~(Code{1} << 63U);
    if (magnitude == 0) return format.with_sign(0, negative);
    const int exponent = static_cast<int>(magnitude >> bits) - bias;
    const Code significand = (magnitude & ((Code{1} << bits) - 1)) | Code{1} << bits;
    // Below the smallest normal number the first bit is not hidden.
    const int below = std::max(format.emin() - exponent, 0);
    const Code kept = significand >> std::min(bits - format.fraction_bits + below, 63);
    const int binade = std::max(exponent, format.emin()) - format.emin() + (format.has_subnormals ? 1 : 0);
    const Code hidden = Code{1} << static_cast<unsigned>(format.fraction_bits);
    return format.with_sign(static_cast<Code>(binade) * hidden + kept - hidden, negative);
}

MatmulCase zero_case(const Matmul& matmul, std::size_t m, std::size_t n, std::size_t k) {
    MatmulCase matmul_case;
    matmul_case.shape = matmul.shape(m, n, k);
    matmul_case.a.assign(m * k, code_of(*matmul.format.a, 0));
    matmul_case.b.assign(k * n, code_of(*matmul.format.b, 0));
    matmul_case.c.assign(m * n, code_of(*matmul.format.c, 0));
    if (matmul.format.scale_a != nullptr) {
        matmul_case.scales_a.assign(matmul_case.shape.a_scales(), code_of(*matmul.format.scale_a, 1));
        matmul_case.scales_b.assign(matmul_case.shape.b_scales(), code_of(*matmul.format.scale_b, 1));
    }
    return matmul_case;
}

namespace {

/// Makes the cases of an operation.
class ProductMaker {
  public:
    explicit ProductMaker(const Matmul& matmul) : matmul_(matmul) {}

    [[nodiscard]] MatmulCase zeros(std::size_t m, std::size_t n, std::size_t k) const {
        return zero_case(matmul_, m, n, k);
    }

    /// Powers of two from 2^-3 to 2^3; the neighbours of each differ, along the sum and across it.
    void spread_scales(MatmulCase& matmul_case, std::uint64_t seed) const {
        if (matmul_case.scales_a.empty()) return;
        const auto spread = [&](std::vector<Code>& scales, const Format& format, std::uint64_t start) {
            for (std::size_t i = 0; i < scales.size(); ++i)
                scales[i] = code_of(format, std::bit_cast<double>((SplitMix64::at(seed + start, i) % 7 + 1020) << 52U));
        };
        spread(matmul_case.scales_a, *matmul_.format.scale_a, 11);
        spread(matmul_case.scales_b, *matmul_.format.scale_b, 12);
    }

    /// Numbers of up to three bits from 1 to 7/4, of either sign.
    [[nodiscard]] static double short_number(std::uint64_t random) {
        const double magnitude = 1 + static_cast<double>(random % 4) / 4;
        return (random & 4U) != 0 ? -magnitude : magnitude;
    }
    /// The same, where the format has but one fraction bit.
    [[nodiscard]] static Code short_code(const Format& format, std::uint64_t random) {
        return code_of(format, format.fraction_bits < 2 ? short_number(random & 6U) : short_number(random));
    }

    [[nodiscard]] const Matmul& matmul() const { return matmul_; }

  private:
    const Matmul& matmul_;
};

/// Products of a sum beyond what is added in one go: many blocks and groups, and no multiple of either.
constexpr std::size_t long_sum = 1100;
constexpr std::size_t longest_sum = 4099;
constexpr std::size_t split_sum = 16'421; ///< a sum that is split among groups where D is small
constexpr std::size_t many_lines = 1030;  ///< rows or columns beyond what one group of threads takes
/// D of more elements is asked but twice: each element is judged.
constexpr std::size_t large_d = 1U << 14U;
constexpr std::size_t many_products = 1U << 20U; ///< more of them are asked but twice

struct Sizes {
    std::size_t m;
    std::size_t n;
    std::size_t k;
};

/// Sizes about those of blocks, groups and tiles, and about no size at all.
std::vector<Sizes> sizes_of(const Matmul& matmul) {
    const std::size_t block = std::max({matmul.a_scale.along, matmul.b_scale.along, matmul.accumulator->group,
                                        matmul.accumulator->promote, std::size_t{32}});
    std::vector<Sizes> sizes{{1, 1, 1},          {1, 1, 2},           {1, 1, 31},           {3, 2, 33},
                             {16, 16, 32},       {17, 19, 32},        {8, 16, 7},           {33, 31, 1},
                             {5, 7, block + 1},  {64, 48, 2 * block}, {129, 3, block / 2},  {3, 130, 3 * block - 1},
                             {20, 3, long_sum},  {3, 20, long_sum},   {17, 2, longest_sum}, {2, 17, longest_sum},
                             {2, many_lines, 5}, {many_lines, 2, 5}};
    // Several tiles of 128x128 both ways, of sides that nobody refuses; one row or one column, which have kernels of
    // their own; and a long sum for a small D.
    sizes.push_back({144, 160, block});
    sizes.push_back({1, 300, 2 * block});
    sizes.push_back({300, 1, 2 * block});
    sizes.push_back({2, 3, split_sum});
    sizes.push_back({4, 272, long_sum});
    sizes.push_back({many_lines, 72, 5}); // more elements of D than 16 bits count; those of A and B are above
    // Scales that several lines share: more than two of them.
    if (matmul.a_scale.across > 1) sizes.push_back({2 * matmul.a_scale.across + 4, 2, block});
    if (matmul.b_scale.across > 1) sizes.push_back({2, 2 * matmul.b_scale.across + 4, block});
    return sizes;
}

/// A selects rows of B: a(i, l) is 1 where l = (i + shift) mod k; or B columns of A, the same way.
void select(const ProductMaker& maker, const Sizes& size, std::size_t shift, bool by_a, std::uint64_t seed,
            const TakeMatmulCase& take, bool& more) {
    const auto& [m, n, k] = size;
    MatmulCase matmul_case = maker.zeros(m, n, k);
    matmul_case.name = fmt::format("{} selects {}, {}x{}x{}, shift {}", by_a ? "A" : "B",
                                   by_a ? "rows of B" : "columns of A", m, n, k, shift);
    const Format& a = *maker.matmul().format.a;
    const Format& b = *maker.matmul().format.b;
    const std::size_t lines = by_a ? m : n;
    for (std::size_t line = 0; line < lines; ++line) {
        const std::size_t l = (line + shift) % k;
        if (by_a)
            matmul_case.a[matmul_case.shape.a_at(line, l)] = code_of(a, 1);
        else
            matmul_case.b[matmul_case.shape.b_at(l, line)] = code_of(b, 1);
    }
    for (std::size_t l = 0; l < k; ++l) {
        if (by_a)
            for (std::size_t j = 0; j < n; ++j)
                matmul_case.b[matmul_case.shape.b_at(l, j)] =
                    ProductMaker::short_code(b, SplitMix64::at(seed, l * n + j));
        else
            for (std::size_t i = 0; i < m; ++i)
                matmul_case.a[matmul_case.shape.a_at(i, l)] =
                    ProductMaker::short_code(a, SplitMix64::at(seed, i * k + l));
    }
    maker.spread_scales(matmul_case, seed);
    matmul_case.exact = true;
    more = take(matmul_case);
}

/// -1, 0 and 1 in A, -1 and 1 in B, c up to 100: sums of up to 1024 products of 1, and no bit below 1.
void whole_numbers(const ProductMaker& maker, const Sizes& size, std::uint64_t seed, const TakeMatmulCase& take,
                   bool& more) {
    const auto& [m, n, k] = size;
    MatmulCase matmul_case = maker.zeros(m, n, k);
    matmul_case.name = fmt::format("whole numbers, {}x{}x{}", m, n, k);
    for (std::size_t i = 0; i < matmul_case.a.size(); ++i)
        matmul_case.a[i] = code_of(*maker.matmul().format.a, static_cast<double>(SplitMix64::at(seed + 1, i) % 3) - 1);
    for (std::size_t i = 0; i < matmul_case.b.size(); ++i)
        matmul_case.b[i] = code_of(*maker.matmul().format.b, SplitMix64::at(seed + 2, i) % 2 == 0 ? -1 : 1);
    if (maker.matmul().has_c)
        for (std::size_t i = 0; i < matmul_case.c.size(); ++i)
            matmul_case.c[i] =
                code_of(*maker.matmul().format.c, static_cast<double>(SplitMix64::at(seed + 3, i) % 201) - 100);
    matmul_case.exact = true;
    more = take(matmul_case);
}

} // namespace

void for_each_place_case(const Matmul& matmul, const TakeMatmulCase& take) {
    const ProductMaker maker(matmul);
    constexpr std::size_t largest_sum = 900; // with c below 1024
    bool more = true;
    std::uint64_t seed = 1;
    for (const Sizes& size : sizes_of(matmul)) {
        const bool is_large = size.m * size.n * size.k > many_products;
        for (const bool by_a : {true, false}) {
            if (!by_a && size.m * size.n > large_d) continue;
            // The side with more lines selects more of a long sum.
            if (is_large && by_a != (size.m >= size.n)) continue;
            // Every l is selected, if a few shifts are enough for that; else as many as there are, from the first to
            // the last.
            const std::size_t lines = by_a ? size.m : size.n;
            const std::size_t needed = (size.k + lines - 1) / lines;
            const std::size_t most_shifts = is_large ? 2 : 8;
            const std::size_t shifts = std::min(most_shifts, needed);
            for (std::size_t i = 0; i < shifts && more; ++i) {
                const std::size_t shift = shifts == needed ? i * lines : i * (size.k - lines) / (shifts - 1);
                select(maker, size, shift, by_a, seed++, take, more);
            }
        }
        if (more && size.k <= largest_sum) whole_numbers(maker, size, seed++, take, more);
        if (!more) return;
    }
}

void for_each_special_case(const Matmul& matmul, const TakeMatmulCase& take) {
    const ProductMaker maker(matmul);
    const std::size_t k = std::max({matmul.a_scale.along, matmul.b_scale.along, std::size_t{32}}) + 5;
    constexpr std::size_t m = 3;
    constexpr std::size_t n = 2;
    MatmulCase base = maker.zeros(m, n, k);
    const auto fill = [](std::vector<Code>& codes, const Format& format) {
        for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = code_of(format, i % 3 == 0 ? -1 : 1);
    };
    fill(base.a, *matmul.format.a);
    fill(base.b, *matmul.format.b);
    bool more = true;
    const auto take_with = [&](const std::string& name, auto change) {
        if (!more) return;
        MatmulCase matmul_case = base;
        matmul_case.name = name;
        change(matmul_case);
        more = take(matmul_case);
    };
    const Format& a = *matmul.format.a;
    const Format& b = *matmul.format.b;
    for (std::size_t l = 0; l < k; ++l) {
        const auto at_a = [&](Code code) {
            return [&, l, code](MatmulCase& matmul_case) { matmul_case.a[matmul_case.shape.a_at(l % m, l)] = code; };
        };
        const auto at_b = [&](Code code) {
            return [&, l, code](MatmulCase& matmul_case) { matmul_case.b[matmul_case.shape.b_at(l, l % n)] = code; };
        };
        // Of either sign, where there are two.
        const auto nan_at = [&](const Format& format, bool negative) {
            const Code negated = nan_of(format) | format.sign_bit();
            return negative && format.is_nan(negated) ? negated : nan_of(format);
        };
        if (a.has_nan()) take_with(fmt::format("NaN in A at {}", l), at_a(nan_at(a, l % 2 != 0)));
        if (b.has_nan()) take_with(fmt::format("NaN in B at {}", l), at_b(nan_at(b, l % 2 == 0)));
        if (a.has_inf()) {
            take_with(fmt::format("Inf in A at {}", l), at_a(a.inf_code()));
            take_with(fmt::format("Inf in A times zero at {}", l), [&, l](MatmulCase& matmul_case) {
                matmul_case.a[matmul_case.shape.a_at(l % m, l)] = a.inf_code();
                matmul_case.b[matmul_case.shape.b_at(l, 0)] = code_of(b, 0);
            });
            take_with(fmt::format("Inf minus Inf in A at {}", l), [&, l](MatmulCase& matmul_case) {
                for (std::size_t i = 0; i < m; ++i) {
                    matmul_case.a[matmul_case.shape.a_at(i, l)] = a.inf_code();
                    matmul_case.a[matmul_case.shape.a_at(i, (l + 1) % k)] = a.inf_code() | a.sign_bit();
                }
            });
        }
        if (b.has_inf()) take_with(fmt::format("-Inf in B at {}", l), at_b(b.inf_code() | b.sign_bit()));
    }
    if (a.has_minus_zero())
        take_with("-0 in A everywhere", [&](MatmulCase& matmul_case) {
            std::fill(matmul_case.a.begin(), matmul_case.a.end(), a.sign_bit());
            // The products have both signs, so a c of -0 gives +0 too.
            if (matmul.has_c)
                for (std::size_t i = 0; i < matmul_case.c.size(); i += 2)
                    matmul_case.c[i] = matmul.format.c->sign_bit();
        });
    for (std::size_t t = 0; t < base.scales_a.size(); ++t)
        if (matmul.format.scale_a->has_nan())
            take_with(fmt::format("NaN as scale {} of A", t),
                      [&, t](MatmulCase& matmul_case) { matmul_case.scales_a[t] = nan_of(*matmul.format.scale_a); });
    for (std::size_t t = 0; t < base.scales_b.size(); ++t)
        if (matmul.format.scale_b->has_nan())
            take_with(fmt::format("NaN as scale {} of B", t),
                      [&, t](MatmulCase& matmul_case) { matmul_case.scales_b[t] = nan_of(*matmul.format.scale_b); });
    // What a scale of binary32 may be besides.
    const std::pair<const char*, Code> odd_scales[] = {{"zero", 0},
                                                       {"-0", formats::fp32.sign_bit()},
                                                       {"a negative number", 0xBFC00001},
                                                       {"the smallest number", 1},
                                                       {"a subnormal", 0x00345678},
                                                       {"the largest number", formats::fp32.max_code()},
                                                       {"Inf", formats::fp32.inf_code()}};
    if (matmul.format.scale_a == &formats::fp32)
        for (const auto& [name, code] : odd_scales) {
            take_with(fmt::format("{} as the last scale of A", name),
                      [&, code = code](MatmulCase& matmul_case) { matmul_case.scales_a.back() = code; });
            take_with(fmt::format("{} as the first scale of B", name),
                      [&, code = code](MatmulCase& matmul_case) { matmul_case.scales_b.front() = code; });
        }
    if (!matmul.has_c) return;
    const Format& c = *matmul.format.c;
    for (std::size_t i = 0; i < base.c.size(); ++i) {
        take_with(fmt::format("NaN in C at {}", i), [&, i](MatmulCase& matmul_case) { matmul_case.c[i] = nan_of(c); });
        if (c.has_inf())
            take_with(fmt::format("Inf in C at {}", i),
                      [&, i](MatmulCase& matmul_case) { matmul_case.c[i] = c.inf_code(); });
    }
}

frames::RunCase run_of(const Matmul& matmul, const MatmulCase& matmul_case) {
    frames::RunCase run;
    run.shape = {matmul_case.shape.m, matmul_case.shape.n, matmul_case.shape.k, 0};
    run.product = {matmul_case.shape.m, matmul_case.shape.n, matmul_case.shape.k};
    run.inputs = {frames::values_of(matmul_case.a, *matmul.format.a),
                  frames::values_of(matmul_case.b, *matmul.format.b)};
    if (matmul.format.scale_a != nullptr) {
        run.inputs.push_back(frames::values_of(matmul_case.scales_a, *matmul.format.scale_a));
        run.inputs.push_back(frames::values_of(matmul_case.scales_b, *matmul.format.scale_b));
    }
    if (matmul.has_c) run.inputs.push_back(frames::values_of(matmul_case.c, *matmul.format.c));
    run.outputs = {frames::Values(matmul_case.shape.m * matmul_case.shape.n, frames::bytes_of(*matmul.output))};
    return run;
}

namespace {

/// The sizes of which those of a kernel for whole tiles are multiples.
Sizes tile_of(const Matmul& matmul) {
    return {16, 16, std::max({matmul.a_scale.along, matmul.b_scale.along, std::size_t{32}})};
}

std::size_t up_to_multiple(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

} // namespace

bool may_refuse(const Matmul& matmul, const MatmulCase& matmul_case) {
    const MatmulShape& shape = matmul_case.shape;
    const Sizes tile = tile_of(matmul);
    return shape.m % tile.m != 0 || shape.n % tile.n != 0 || shape.k % tile.k != 0;
}

MatmulCase filled(const Matmul& matmul, const MatmulCase& matmul_case) {
    const MatmulShape& from = matmul_case.shape;
    const Sizes tile = tile_of(matmul);
    MatmulCase whole = zero_case(matmul, up_to_multiple(from.m, tile.m), up_to_multiple(from.n, tile.n),
                                 up_to_multiple(from.k, tile.k));
    const MatmulShape& to = whole.shape;
    whole.name = fmt::format("{}, filled up to {}x{}x{}", matmul_case.name, to.m, to.n, to.k);
    whole.exact = matmul_case.exact;
    for (std::size_t i = 0; i < from.m; ++i)
        for (std::size_t l = 0; l < from.k; ++l) whole.a[to.a_at(i, l)] = matmul_case.a[from.a_at(i, l)];
    for (std::size_t l = 0; l < from.k; ++l)
        for (std::size_t j = 0; j < from.n; ++j) whole.b[to.b_at(l, j)] = matmul_case.b[from.b_at(l, j)];
    for (std::size_t i = 0; i < from.m; ++i)
        for (std::size_t j = 0; j < from.n; ++j) whole.c[i * to.n + j] = matmul_case.c[i * from.n + j];
    if (matmul.format.scale_a == nullptr) return whole;
    for (std::size_t t = 0; t < from.a_scale.count_along(from.k); ++t)
        for (std::size_t i = 0; i < from.m; ++i)
            whole.scales_a[to.a_scale_at(i, t)] = matmul_case.scales_a[from.a_scale_at(i, t)];
    for (std::size_t t = 0; t < from.b_scale.count_along(from.k); ++t)
        for (std::size_t j = 0; j < from.n; ++j)
            whole.scales_b[to.b_scale_at(t, j)] = matmul_case.scales_b[from.b_scale_at(t, j)];
    return whole;
}

MatmulCase case_of(const Matmul& matmul, const cases::GivenCase& given_case) {
    MatmulCase matmul_case;
    matmul_case.name = "this case";
    matmul_case.shape = matmul.shape(given_case.sizes[0], given_case.sizes[1], given_case.sizes[2]);
    auto input = given_case.tensors.begin();
    matmul_case.a = *input++;
    matmul_case.b = *input++;
    if (matmul.format.scale_a != nullptr) {
        matmul_case.scales_a = *input++;
        matmul_case.scales_b = *input++;
    }
    matmul_case.c = matmul.has_c ? *input : std::vector<Code>(matmul_case.shape.m * matmul_case.shape.n, 0);
    return matmul_case;
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/matmul/kernels.hpp"

#include <algorithm>
#include <bit>

#include "reference/fast/span.hpp"

#if MXCERT_HAS_X86_LOOPS
#include <immintrin.h>
#endif

namespace mxcert::fast {
namespace {

constexpr std::size_t tile_size = tile_rows * tile_columns;

/// An integer of up to 51 bits in binary64: added to 1.5 x 2^52 it is exact, and stands in the lowest bits.
MXCERT_INLINE std::int64_t integer_of(double x) {
    constexpr double magic = 0x1.8p52;
    return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x + magic) - std::bit_cast<std::uint64_t>(magic));
}

MXCERT_INLINE void add_sums(const double* tile, std::int64_t* sums) {
    for (std::size_t i = 0; i < tile_size; ++i) sums[i] += integer_of(tile[i]);
}

MXCERT_INLINE void add_to_digits(const double* tile, const DigitOperands& operands, std::int64_t* sums) {
    constexpr std::int64_t mask = 0xFFFFFFFF;
    for (std::size_t i = 0; i < tile_rows; ++i) {
        std::int64_t units[tile_columns];
        std::int64_t shifts[tile_columns];
        for (std::size_t j = 0; j < tile_columns; ++j) {
            units[j] = integer_of(tile[i * tile_columns + j] * operands.row_unscale[i] * operands.column_unscale[j]);
            shifts[j] = operands.row_shift[i] + operands.column_shift[j];
        }
        for (std::size_t digit = 0; digit < operands.digits; ++digit) {
            std::int64_t* const to = sums + (digit * tile_rows + i) * tile_columns;
            const auto place = static_cast<std::int64_t>(32 * digit);
            const std::int64_t keep = digit + 1 < operands.digits ? mask : -1;
            for (std::size_t j = 0; j < tile_columns; ++j) {
                // The bits of units x 2^shift from this digit's place on: moved up, or down with the sign. Moved up by
                // a digit or more they are all zero; the last digit takes all there are.
                const std::int64_t up = shifts[j] - place;
                const auto left = static_cast<std::uint64_t>(std::clamp<std::int64_t>(up, 0, 63));
                const auto right = static_cast<std::uint64_t>(std::clamp<std::int64_t>(-up, 0, 63));
                const auto moved = static_cast<std::int64_t>(static_cast<std::uint64_t>(units[j] >> right) << left);
                to[j] += moved & keep;
            }
        }
    }
}

/// The sums of a tile without FMA: product and sum are both exact.
void tile_baseline(const TileOperands& operands, double* tile) {
    std::fill(tile, tile + tile_size, 0.0);
    const double* a = operands.a;
    const double* b = operands.b;
    for (std::size_t l = 0; l < operands.k; ++l, a += tile_rows, b += tile_columns)
        for (std::size_t i = 0; i < tile_rows; ++i)
            for (std::size_t j = 0; j < tile_columns; ++j) tile[i * tile_columns + j] += a[i] * b[j];
}

void add_tile_baseline(const TileOperands& operands, std::int64_t* sums) {
    double tile[tile_size];
    tile_baseline(operands, tile);
    add_sums(tile, sums);
}
void add_digits_baseline(const DigitOperands& operands, std::int64_t* sums) {
    double tile[tile_size];
    tile_baseline(operands.tile, tile);
    add_to_digits(tile, operands, sums);
}

#if MXCERT_HAS_X86_LOOPS
#define MXCERT_AVX2_FMA [[gnu::target("avx2,fma")]]

/// 4 rows and 12 columns at a time: what the sixteen registers hold.
MXCERT_AVX2_FMA void tile_avx2(const TileOperands& operands, double* tile) {
    constexpr std::size_t rows = 4;
    constexpr std::size_t vectors = 3;
    for (std::size_t row = 0; row < tile_rows; row += rows)
        for (std::size_t column = 0; column < tile_columns; column += 4 * vectors) {
            __m256d sums[rows][vectors];
            for (auto& line : sums)
                for (__m256d& sum : line) sum = _mm256_setzero_pd();
            const double* a = operands.a + row;
            const double* b = operands.b + column;
            for (std::size_t l = 0; l < operands.k; ++l, a += tile_rows, b += tile_columns) {
                __m256d of_b[vectors];
                for (std::size_t j = 0; j < vectors; ++j) of_b[j] = _mm256_loadu_pd(b + 4 * j);
                for (std::size_t i = 0; i < rows; ++i) {
                    const __m256d of_a = _mm256_broadcast_sd(a + i);
                    for (std::size_t j = 0; j < vectors; ++j) sums[i][j] = _mm256_fmadd_pd(of_a, of_b[j], sums[i][j]);
                }
            }
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < vectors; ++j)
                    _mm256_storeu_pd(tile + (row + i) * tile_columns + column + 4 * j, sums[i][j]);
        }
}
MXCERT_AVX2_FMA void add_tile_avx2(const TileOperands& operands, std::int64_t* sums) {
    double tile[tile_size];
    tile_avx2(operands, tile);
    add_sums(tile, sums);
}
MXCERT_AVX2_FMA void add_digits_avx2(const DigitOperands& operands, std::int64_t* sums) {
    double tile[tile_size];
    tile_avx2(operands.tile, tile);
    add_to_digits(tile, operands, sums);
}

MXCERT_AVX512 void tile_avx512(const TileOperands& operands, double* tile) {
    constexpr std::size_t vectors = 3;
    __m512d sums[tile_rows][vectors];
    for (auto& line : sums)
        for (__m512d& sum : line) sum = _mm512_setzero_pd();
    const double* a = operands.a;
    const double* b = operands.b;
    for (std::size_t l = 0; l < operands.k; ++l, a += tile_rows, b += tile_columns) {
        __m512d of_b[vectors];
        for (std::size_t j = 0; j < vectors; ++j) of_b[j] = _mm512_loadu_pd(b + 8 * j);
        for (std::size_t i = 0; i < tile_rows; ++i) {
            const __m512d of_a = _mm512_set1_pd(a[i]);
            for (std::size_t j = 0; j < vectors; ++j) sums[i][j] = _mm512_fmadd_pd(of_a, of_b[j], sums[i][j]);
        }
    }
    for (std::size_t i = 0; i < tile_rows; ++i)
        for (std::size_t j = 0; j < vectors; ++j) _mm512_storeu_pd(tile + i * tile_columns + 8 * j, sums[i][j]);
}
MXCERT_AVX512 void add_tile_avx512(const TileOperands& operands, std::int64_t* sums) {
    double tile[tile_size];
    tile_avx512(operands, tile);
    add_sums(tile, sums);
}
MXCERT_AVX512 void add_digits_avx512(const DigitOperands& operands, std::int64_t* sums) {
    double tile[tile_size];
    tile_avx512(operands.tile, tile);
    add_to_digits(tile, operands, sums);
}
#endif

} // namespace

TileKernels tile_kernels([[maybe_unused]] Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == Isa::avx512) return {add_tile_avx512, add_digits_avx512};
    if (isa == Isa::avx2 && __builtin_cpu_supports("fma")) return {add_tile_avx2, add_digits_avx2};
#endif
    return {add_tile_baseline, add_digits_baseline};
}

} // namespace mxcert::fast

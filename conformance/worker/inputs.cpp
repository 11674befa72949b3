// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/inputs.hpp"

#include <algorithm>

#include "conformance/frames/words.hpp"

// The backend's time is what a user wants to see, so the inputs must come at the speed of the cache. Three versions
// chosen at run time rather than target_clones, whose resolvers run before the sanitizers are ready.
#if defined(__x86_64__) && defined(__GNUC__)
#define MXCERT_WIDE_FILL 1
#endif

namespace mxcert::worker {
namespace {

template <class Word> [[gnu::always_inline]] inline void fill(std::byte* to, std::uint64_t first, std::uint64_t count) {
    auto* out = reinterpret_cast<Word*>(to);
    auto code = static_cast<Word>(first);
    for (std::uint64_t i = 0; i < count; ++i) out[i] = code++;
}

[[gnu::always_inline]] inline void fill_any(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width) {
    switch (width) {
    case 1: return fill<std::uint8_t>(to, first, count);
    case 2: return fill<std::uint16_t>(to, first, count);
    case 4: return fill<std::uint32_t>(to, first, count);
    default: return fill<std::uint64_t>(to, first, count);
    }
}

/// Whole rows, one value of each stream in them, from row `row` on. The streams are filled up to most_streams, and so
/// is each row: the next one writes over what is too much, and the loop has a length that the compiler knows.
template <class Word> [[gnu::always_inline]] inline void
fill_rows(std::byte* to, const std::uint64_t* firsts, std::uint64_t streams, std::uint64_t row, std::uint64_t rows) {
    Word starts[frames::most_streams];
    for (std::size_t k = 0; k < frames::most_streams; ++k) starts[k] = static_cast<Word>(firsts[k]);
    auto* out = reinterpret_cast<Word*>(to);
    for (std::uint64_t i = 0; i < rows; ++i, out += streams) {
        const auto on = static_cast<Word>(row + i);
        for (std::size_t k = 0; k < frames::most_streams; ++k) out[k] = static_cast<Word>(starts[k] + on);
    }
}

[[gnu::always_inline]] inline void fill_any_rows(std::byte* to, const std::uint64_t* firsts, std::uint64_t streams,
                                                 std::uint64_t row, std::uint64_t rows, unsigned width) {
    switch (width) {
    case 1: return fill_rows<std::uint8_t>(to, firsts, streams, row, rows);
    case 2: return fill_rows<std::uint16_t>(to, firsts, streams, row, rows);
    case 4: return fill_rows<std::uint32_t>(to, firsts, streams, row, rows);
    default: return fill_rows<std::uint64_t>(to, firsts, streams, row, rows);
    }
}

using Fill = void (*)(std::byte*, std::uint64_t, std::uint64_t, unsigned);

void fill_plain(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width) {
    fill_any(to, first, count, width);
}

using FillRows = void (*)(std::byte*, const std::uint64_t*, std::uint64_t, std::uint64_t, std::uint64_t, unsigned);

void rows_plain(std::byte* to, const std::uint64_t* firsts, std::uint64_t streams, std::uint64_t row,
                std::uint64_t rows, unsigned width) {
    fill_any_rows(to, firsts, streams, row, rows, width);
}

#if defined(MXCERT_WIDE_FILL)
[[gnu::target("avx2")]] void rows_avx2(std::byte* to, const std::uint64_t* firsts, std::uint64_t streams,
                                       std::uint64_t row, std::uint64_t rows, unsigned width) {
    fill_any_rows(to, firsts, streams, row, rows, width);
}

[[gnu::target("avx512f,avx512bw")]] void rows_avx512(std::byte* to, const std::uint64_t* firsts, std::uint64_t streams,
                                                     std::uint64_t row, std::uint64_t rows, unsigned width) {
    fill_any_rows(to, firsts, streams, row, rows, width);
}

[[gnu::target("avx2")]] void fill_avx2(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width) {
    fill_any(to, first, count, width);
}

[[gnu::target("avx512f,avx512bw")]] void fill_avx512(std::byte* to, std::uint64_t first, std::uint64_t count,
                                                     unsigned width) {
    fill_any(to, first, count, width);
}
#endif

Fill best_fill() {
#if defined(MXCERT_WIDE_FILL)
    if (__builtin_cpu_supports("avx512bw")) return fill_avx512;
    if (__builtin_cpu_supports("avx2")) return fill_avx2;
#endif
    return fill_plain;
}

FillRows best_rows() {
#if defined(MXCERT_WIDE_FILL)
    if (__builtin_cpu_supports("avx512bw")) return rows_avx512;
    if (__builtin_cpu_supports("avx2")) return rows_avx2;
#endif
    return rows_plain;
}

} // namespace

void fill_range(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width) {
    static const Fill chosen = best_fill();
    chosen(to, first, count, width);
}

void fill_interleaved(std::byte* to, const frames::Interleaved& streams, std::uint64_t first, std::uint64_t count,
                      unsigned width) {
    static const FillRows chosen = best_rows();
    const std::uint64_t n = streams.firsts.size();
    std::uint64_t firsts[frames::most_streams] = {};
    std::copy(streams.firsts.begin(), streams.firsts.end(), firsts);
    std::uint64_t done = 0;
    // What is left of a row that has begun.
    for (; done < count && (first + done) % n != 0; ++done)
        frames::store(to + done * width, streams.at(first + done), width);
    while (done < count) {
        const std::uint64_t row = (first + done) / n % streams.length;
        const std::uint64_t rows = std::min((count - done + n - 1) / n, streams.length - row);
        chosen(to + done * width, firsts, n, row, rows, width);
        done += std::min(rows * n, count - done);
    }
}

} // namespace mxcert::worker

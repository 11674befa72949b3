// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/inputs.hpp"

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

using Fill = void (*)(std::byte*, std::uint64_t, std::uint64_t, unsigned);

void fill_plain(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width) {
    fill_any(to, first, count, width);
}

#if defined(MXCERT_WIDE_FILL)
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

} // namespace

void fill_range(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width) {
    static const Fill chosen = best_fill();
    chosen(to, first, count, width);
}

} // namespace mxcert::worker

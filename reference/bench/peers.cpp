// SPDX-License-Identifier: Apache-2.0
#include "reference/bench/peers.hpp"

#include "reference/fast/span.hpp"

#if __has_include(<cuda_fp8.h>)
#include <cuda_fp8.h>
#define MXCERT_HAVE_CUDA 1
#else
#define MXCERT_HAVE_CUDA 0
#endif

namespace mxcert::peers {
namespace {

#if MXCERT_HAVE_CUDA
MXCERT_INLINE void cuda_loop(const float* in, std::uint8_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
}
#else
MXCERT_INLINE void cuda_loop(const float*, std::uint8_t*, std::size_t) {}
#endif

MXCERT_INLINE void move_loop(const std::uint32_t* in, std::uint8_t* out, std::size_t n) {
    std::uint32_t words[fast::lanes];
    for (std::size_t done = 0; done + fast::lanes <= n; done += fast::lanes) {
        // As our own loops do: this is the machine's limit.
        fast::prefetch<fast::lanes * sizeof *in, fast::prefetch_distance>(
            reinterpret_cast<const unsigned char*>(in + done));
        for (std::size_t i = 0; i < fast::lanes; ++i) words[i] = in[done + i] >> 24;
        for (std::size_t i = 0; i < fast::lanes; ++i) out[done + i] = static_cast<std::uint8_t>(words[i]);
    }
}

MXCERT_INLINE void spread_loop(const std::uint8_t* in, std::uint32_t* out, std::size_t n) {
    for (std::size_t done = 0; done + fast::lanes <= n; done += fast::lanes) {
        fast::prefetch<fast::lanes * sizeof *out, fast::prefetch_distance, fast::Use::write>(
            reinterpret_cast<const unsigned char*>(out + done));
        for (std::size_t i = 0; i < fast::lanes; ++i) out[done + i] = std::uint32_t{in[done + i]} << 20;
    }
}

#if MXCERT_HAS_X86_LOOPS
[[gnu::target("avx2")]] void cuda_avx2(const float* in, std::uint8_t* out, std::size_t n) { cuda_loop(in, out, n); }
MXCERT_AVX512 void cuda_avx512(const float* in, std::uint8_t* out, std::size_t n) { cuda_loop(in, out, n); }
[[gnu::target("avx2")]] void move_avx2(const std::uint32_t* in, std::uint8_t* out, std::size_t n) {
    move_loop(in, out, n);
}
MXCERT_AVX512 void move_avx512(const std::uint32_t* in, std::uint8_t* out, std::size_t n) { move_loop(in, out, n); }
[[gnu::target("avx2")]] void spread_avx2(const std::uint8_t* in, std::uint32_t* out, std::size_t n) {
    spread_loop(in, out, n);
}
MXCERT_AVX512 void spread_avx512(const std::uint8_t* in, std::uint32_t* out, std::size_t n) { spread_loop(in, out, n); }
#endif

} // namespace

bool have_cuda() { return MXCERT_HAVE_CUDA != 0; }

void cuda_fp32_to_e4m3(const float* in, std::uint8_t* out, std::size_t n, [[maybe_unused]] fast::Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == fast::Isa::avx512) return cuda_avx512(in, out, n);
    if (isa == fast::Isa::avx2) return cuda_avx2(in, out, n);
#endif
    cuda_loop(in, out, n);
}

void move(const std::uint32_t* in, std::uint8_t* out, std::size_t n, [[maybe_unused]] fast::Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == fast::Isa::avx512) return move_avx512(in, out, n);
    if (isa == fast::Isa::avx2) return move_avx2(in, out, n);
#endif
    move_loop(in, out, n);
}

void spread(const std::uint8_t* in, std::uint32_t* out, std::size_t n, [[maybe_unused]] fast::Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == fast::Isa::avx512) return spread_avx512(in, out, n);
    if (isa == fast::Isa::avx2) return spread_avx2(in, out, n);
#endif
    spread_loop(in, out, n);
}

} // namespace mxcert::peers

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#if defined(__x86_64__) && !defined(MXCERT_BASELINE_LOOPS)
#define MXCERT_HAS_X86_LOOPS 1
#if defined(__clang__)
#define MXCERT_AVX512 [[gnu::target("arch=x86-64-v4")]]
#else
// x86-64-v4 by its parts: they are added to what GCC was told to build for, where `arch=` would take its place. It
// refuses to inline what was built for more, with -march=native for example.
#define MXCERT_V4 "popcnt,bmi,bmi2,lzcnt,movbe,f16c,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
#define MXCERT_AVX512 [[gnu::target(MXCERT_V4 ",prefer-vector-width=512")]]
#endif
#else
#define MXCERT_HAS_X86_LOOPS 0
#endif

namespace mxcert::fast {

/// Instruction sets that the loops over spans are compiled for. Other machines than x86-64 have the baseline only,
/// which is what the compiler was told to build for.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };
inline constexpr std::array all_isas{Isa::baseline, Isa::avx2, Isa::avx512};
/// Whether this machine runs it.
[[nodiscard]] bool runs(Isa isa);
/// The widest that this machine runs.
[[nodiscard]] Isa best_isa();
/// Throws std::invalid_argument if this machine does not run it.
void require(Isa isa);

} // namespace mxcert::fast

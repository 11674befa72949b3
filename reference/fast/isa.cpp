// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/isa.hpp"

#include <stdexcept>

namespace mxcert::fast {

bool runs(Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    __builtin_cpu_init();
    switch (isa) {
    case Isa::avx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("fma");
    case Isa::avx2: return __builtin_cpu_supports("avx2");
    case Isa::baseline: break;
    }
#endif
    return isa == Isa::baseline;
}

Isa best_isa() {
    static const Isa best = runs(Isa::avx512) ? Isa::avx512 : runs(Isa::avx2) ? Isa::avx2 : Isa::baseline;
    return best;
}

void require(Isa isa) {
    if (isa > best_isa()) throw std::invalid_argument("this machine does not run that instruction set");
}

} // namespace mxcert::fast

// SPDX-License-Identifier: Apache-2.0
// The backend `apfloat`: LLVM's APFloat, which constants of LLVM and MLIR are folded with. The bits of a value become
// an APFloat of the source's semantics; APFloat::convert() changes it to the target's; its bits are the answer.
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/Config/llvm-config.h>

#include <cstdint>
#include <vector>

#include "conformance/backend.hpp"

namespace {

using llvm::APFloat;

using Semantics = const llvm::fltSemantics& (*)();

struct Format {
    const char* name;
    unsigned bits;
    Semantics semantics;
};
constexpr Format wide[] = {
    {"fp64", 64, APFloat::IEEEdouble},
    {"fp32", 32, APFloat::IEEEsingle},
    {"fp16", 16, APFloat::IEEEhalf},
    {"bf16", 16, APFloat::BFloat},
};
constexpr Format narrow[] = {
    {"e4m3", 8, APFloat::Float8E4M3FN},       {"e5m2", 8, APFloat::Float8E5M2},
    {"e4m3fnuz", 8, APFloat::Float8E4M3FNUZ}, {"e5m2fnuz", 8, APFloat::Float8E5M2FNUZ},
#if MXCERT_APFLOAT_E8M0
    {"e8m0", 8, APFloat::Float8E8M0FNU},
#endif
};

struct Rounding {
    const char* name;
    llvm::RoundingMode mode;
};
constexpr Rounding roundings[] = {
    {"nearest_even", APFloat::rmNearestTiesToEven},
    {"toward_zero", APFloat::rmTowardZero},
    {"up", APFloat::rmTowardPositive},
    {"down", APFloat::rmTowardNegative},
    {"nearest_away", APFloat::rmNearestTiesToAway},
};

struct Entry {
    Format source;
    Format target;
    Rounding rounding;
};

template <class In, class Out> void run(const Entry& entry, const mxcert_convert_args& args) {
    const llvm::fltSemantics& source = entry.source.semantics();
    const llvm::fltSemantics& target = entry.target.semantics();
    const auto* in = static_cast<const In*>(args.input);
    auto* out = static_cast<Out*>(args.output);
    for (std::uint64_t i = 0; i < args.count; ++i) {
        APFloat value(source, llvm::APInt(entry.source.bits, in[i]));
        bool loses_information = false; // asked for by convert(); no part of the answer
        (void)value.convert(target, entry.rounding.mode, &loses_information);
        out[i] = static_cast<Out>(value.bitcastToAPInt().getZExtValue());
    }
}

using Kernel = void (*)(const Entry& entry, const mxcert_convert_args& args);

/// The kernel for the widths of a conversion, one of which is 8.
Kernel kernel(const Entry& entry) {
    switch (entry.source.bits) {
    case 64: return run<std::uint64_t, std::uint8_t>;
    case 32: return run<std::uint32_t, std::uint8_t>;
    case 16: return run<std::uint16_t, std::uint8_t>;
    default: break;
    }
    switch (entry.target.bits) {
    case 64: return run<std::uint8_t, std::uint64_t>;
    case 32: return run<std::uint8_t, std::uint32_t>;
    default: return run<std::uint8_t, std::uint16_t>;
    }
}

mxcert::backend::Conversion offer(const Entry& entry) {
    // APFloat has no saturating mode.
    return {entry.source.name, entry.target.name, entry.rounding.name, "nosat",
            [entry, kernel = kernel(entry)](const mxcert_convert_args& args) { kernel(entry, args); }};
}

/// Every wide format to every narrow one with each rounding, and back.
std::vector<mxcert::backend::Conversion> offers() {
    std::vector<mxcert::backend::Conversion> all;
    for (const Format& source : wide)
        for (const Format& target : narrow)
            for (const Rounding& rounding : roundings) all.push_back(offer({source, target, rounding}));
    for (const Format& source : narrow)
        for (const Format& target : wide) all.push_back(offer({source, target, roundings[0]}));
    return all;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static mxcert::backend::Backend apfloat("apfloat", LLVM_VERSION_STRING, "APFloat of LLVM, in software on the host",
                                            offers());
    return apfloat.api(host_abi_major);
}

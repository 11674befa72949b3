// SPDX-License-Identifier: Apache-2.0
// The backend `apfloat`: LLVM's APFloat, which constants of LLVM and MLIR are folded with. The bits of a value become
// an APFloat of the source's semantics; APFloat::convert() changes it to the target's; its bits are the answer.
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/Config/llvm-config.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "conformance/backend.h"

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

/// Every wide format to every narrow one with each rounding, and back. APFloat has no saturating mode.
constexpr std::size_t pair_count = std::size(wide) * std::size(narrow);
constexpr std::size_t entry_count = pair_count * (std::size(roundings) + 1);
constexpr auto entries = [] {
    std::array<Entry, entry_count> all{};
    std::size_t at = 0;
    for (const Format& source : wide)
        for (const Format& target : narrow)
            for (const Rounding& rounding : roundings) all[at++] = {source, target, rounding};
    for (const Format& source : narrow)
        for (const Format& target : wide) all[at++] = {source, target, roundings[0]};
    return all;
}();

constexpr auto conversions = [] {
    std::array<mxcert_conversion, entry_count> all{};
    for (std::size_t i = 0; i < entry_count; ++i)
        all[i] = {sizeof(mxcert_conversion), 0,      entries[i].source.name, entries[i].target.name,
                  entries[i].rounding.name,  "nosat"};
    return all;
}();

template <class In, class Out> void run(const Entry& entry, const void* input, void* output, std::uint64_t count) {
    const llvm::fltSemantics& source = entry.source.semantics();
    const llvm::fltSemantics& target = entry.target.semantics();
    const auto* in = static_cast<const In*>(input);
    auto* out = static_cast<Out*>(output);
    for (std::uint64_t i = 0; i < count; ++i) {
        APFloat value(source, llvm::APInt(entry.source.bits, in[i]));
        bool loses_information = false; // asked for by convert(); no part of the answer
        (void)value.convert(target, entry.rounding.mode, &loses_information);
        out[i] = static_cast<Out>(value.bitcastToAPInt().getZExtValue());
    }
}

using Kernel = void (*)(const Entry& entry, const void* input, void* output, std::uint64_t count);

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

std::int32_t convert(const mxcert_convert_args* args) {
    if (args->conversion >= entry_count) return MXCERT_ERROR;
    const Entry& entry = entries[args->conversion];
    kernel(entry)(entry, args->input, args->output, args->count);
    return MXCERT_OK;
}

constexpr mxcert_api api = {
    sizeof(mxcert_api),
    MXCERT_ABI_MAJOR,
    MXCERT_ABI_MINOR,
    static_cast<std::uint32_t>(entry_count),
    conversions.data(),
    "apfloat",
    LLVM_VERSION_STRING,
    "APFloat of LLVM, in software on the host",
    nullptr,
    convert,
    nullptr,
    nullptr,
    0,
    0,
    nullptr,
    nullptr,
    nullptr,
    0,
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}

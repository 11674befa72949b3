// SPDX-License-Identifier: Apache-2.0
// A plugin that tells exceptions, with functions of both forms. The code of an input is its low byte, its flags are its
// high byte. The option says what is wrong.
#include "conformance/backend.hpp"

namespace {

std::string wrong;

std::uint8_t low_byte(std::uint16_t x, std::uint8_t& flags) {
    flags = static_cast<std::uint8_t>(x >> 8);
    return static_cast<std::uint8_t>(x);
}

/// The flags of a batch.
void low_bytes(const std::uint16_t* x, std::uint8_t* codes, std::size_t count, std::uint8_t& flags) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t raised = 0;
        codes[i] = low_byte(x[i], raised);
        flags |= raised;
    }
    if (wrong == "the second value" && count > 1) low_byte(x[1], flags);
    if (wrong == "more in a batch" && count == 2) flags |= MXCERT_INVALID;
    if (wrong == "other codes in a batch" && count > 1) codes[1] ^= 1U;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    static mxcert::backend::Backend flags(
        "flags", "1", "a plugin that tells exceptions",
        {
            {"fp16", "e4m3", "nearest_even", "sat", low_byte},
            {"bf16", "e4m3", "nearest_even", "sat", [](std::uint16_t x) { return static_cast<std::uint8_t>(x); }},
            {"fp16", "e8m0", "up", "sat", low_byte}, // no format has the flags of E8M0
            {"bf16", "e5m2", "nearest_even", "sat", low_bytes},
        });
    flags.on_open([](const std::string& options) { wrong = options; });
    static mxcert_api api = *flags.api(version);
    static const auto convert = api.convert;
    api.convert = [](const mxcert_convert_args* args) -> std::int32_t {
        auto* codes = static_cast<std::uint8_t*>(args->output);
        const std::int32_t status = convert(args);
        if (wrong == "other codes" && MXCERT_FLAGS(args) != nullptr) codes[0] ^= 1U;
        if (wrong == "other codes with flags of a batch" && MXCERT_FLAGS(args) != nullptr && args->count > 1)
            codes[1] ^= 1U;
        if (wrong == "beyond the flags" && MXCERT_FLAGS(args) != nullptr) MXCERT_FLAGS(args)[args->count] = 1;
        return status;
    };
    return &api;
}

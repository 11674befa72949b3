// SPDX-License-Identifier: Apache-2.0
// PTX's cvt.rs of four values with one word, as one value is rounded by it, right or with the fault that
// --backend-option names.
#include <cstdint>
#include <string>

#include "conformance/backend.hpp"
#include "reference/fast/convert.hpp"

namespace {

using namespace mxcert;

std::string fault; // NOLINT: set once, by open
bool is(const char* name) { return fault == name; }

/// The value that takes the same bits in reverse order.
Rounding mirrored(Rounding rounding) {
    switch (rounding) {
    case Rounding::ptx_rs_a: return Rounding::ptx_rs_b;
    case Rounding::ptx_rs_b: return Rounding::ptx_rs_a;
    case Rounding::ptx_rs_e: return Rounding::ptx_rs_f;
    default: return Rounding::ptx_rs_e;
    }
}

/// The value in the same place of the other pair.
Rounding other_pair(Rounding rounding) {
    switch (rounding) {
    case Rounding::ptx_rs_a: return Rounding::ptx_rs_e;
    case Rounding::ptx_rs_b: return Rounding::ptx_rs_f;
    case Rounding::ptx_rs_e: return Rounding::ptx_rs_a;
    default: return Rounding::ptx_rs_b;
    }
}

Code rounded(const Format& from, const Format& to, Choices choices, Code value, std::uint32_t word) {
    const auto by = [&](Rounding rounding, std::uint32_t random, unsigned bits) {
        choices.rounding = rounding;
        return fast::convert(from, to, choices, value, random, bits);
    };
    const Rounding right = choices.rounding;
    if (is("the bits in reverse order")) return by(mirrored(right), word, 32);
    if (is("the bits of the other pair")) return by(other_pair(right), word, 32);
    if (is("the lower bits of the word")) return by(Rounding::stochastic_a, word & 0xFFFFU, 16);
    if (is("the upper bits of the word")) return by(Rounding::stochastic_a, word >> 16U, 16);
    if (is("the bits of FP8")) return by(Rounding::stochastic_a, word & 0xFFFFU, 16); // those of f
    if (is("8 of 16 bits")) return by(Rounding::stochastic_a, word >> 24U, 8);        // of b
    if (is("to nearest")) return by(Rounding::nearest_even, 0, 0);
    if (is("subnormals cut toward zero") && (value & from.magnitude_mask()) < 0x3C800000) // 2^-6
        return by(Rounding::stochastic_a, 0, 16);
    return by(right, word, 32);
}

backend::Conversion offer(const Format& from, const Format& to, Rounding rounding) {
    Choices choices;
    choices.rounding = rounding;
    return {from.name.data(),
            to.name.data(),
            value_name(choices, Choice::rounding).data(),
            "sat",
            [&from, &to, choices](std::uint32_t value, std::uint32_t word) {
                return static_cast<std::uint8_t>(rounded(from, to, choices, value, word));
            },
            32};
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace formats;
    static backend::Backend backend("lanes_of_four", "1", "cvt.rs of four values, with a fault",
                                    {offer(fp32, e4m3, Rounding::ptx_rs_b), offer(relu_fp32, e5m2, Rounding::ptx_rs_e),
                                     offer(fp32, e2m1, Rounding::ptx_rs_f)});
    backend.on_open([](const std::string& options) { fault = options; });
    return backend.api(version);
}

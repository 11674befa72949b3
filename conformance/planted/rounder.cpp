// SPDX-License-Identifier: Apache-2.0
// A plugin that rounds stochastically with random bits of its own, right or with the fault that --backend-option names.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "conformance/planted/operations_api.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/convert.hpp"
#include "reference/format.hpp"

namespace {

using namespace mxcert;
using planted::is;

/// The random word of a lane.
std::uint32_t word_of(std::uint64_t call, std::uint64_t lane) {
    if (is("one number a call")) lane = 0;
    if (is("each call from the same")) call = 0;
    if (is("one number for two lanes")) lane /= 2;
    if (is("starts again every 256 lanes")) lane %= 256;
    return static_cast<std::uint32_t>(SplitMix64::at(call + 1, lane) >> 32U);
}

Code rounded(Code value, std::uint32_t word, bool last) {
    constexpr const Format& from = formats::fp32;
    Choices choices;
    choices.rounding = Rounding::stochastic_a;
    if (is("to nearest")) choices.rounding = Rounding::nearest_even;
    if (is("toward zero") || (is("the last lanes toward zero") && last)) choices.rounding = Rounding::toward_zero;
    // The smallest normal number of E4M3 is 2^-6.
    const bool subnormal = (value & from.magnitude_mask()) < 0x3C800000;
    if (is("subnormals to nearest") && subnormal) choices.rounding = Rounding::nearest_even;
    if (is("noise of one size")) {
        choices.rounding = Rounding::nearest_even;
        const double sum = std::bit_cast<float>(static_cast<std::uint32_t>(value)) + (word * 0x1p-32 - 0.5);
        return from.is_nan(value) || from.is_inf(value)
                   ? fast::convert(from, formats::e4m3, choices, value)
                   : fast::convert(formats::fp64, formats::e4m3, choices, std::bit_cast<Code>(sum));
    }
    if (is("2 random bits")) return fast::convert(from, formats::e4m3, choices, value, word >> 30U, 2);
    // Less than half of the words are above what they were: an eighth of them more goes one way.
    constexpr std::uint32_t eighth = 1U << 29U;
    const bool negative = (value & from.sign_bit()) != 0;
    if (is("away from zero") || (is("upward") && !negative)) word = word > ~eighth ? ~0U : word + eighth;
    if (is("upward") && negative) word = word < eighth ? 0 : word - eighth;
    return fast::convert(from, formats::e4m3, choices, value, word, 32);
}

std::int32_t run(const mxcert_run_args* args) {
    static std::uint64_t calls = 0; // before this one
    const auto* in = static_cast<const std::uint32_t*>(args->inputs[0].data);
    auto* out = static_cast<std::uint8_t*>(args->outputs[0].data);
    const std::uint64_t count = args->inputs[0].count;
    for (std::uint64_t lane = 0; lane < count; ++lane) {
        const std::uint64_t from = is("an index of 20 bits") ? lane % (1U << 20U) : lane;
        out[lane] = static_cast<std::uint8_t>(rounded(in[from], word_of(calls, lane), lane + 40 >= count));
    }
    ++calls;
    return MXCERT_OK;
}

constexpr mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "stochastic", "source=fp32 target=e4m3 law=stochastic_a32 overflow=sat"},
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static const mxcert_api api =
        planted::operations_api("rounder", "stochastic rounding with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}

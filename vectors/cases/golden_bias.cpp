// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/golden_bias.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/tables/csv_rows.hpp"

namespace mxcert {
namespace {

using formats::fp16;

constexpr unsigned bias_bits = 8;
constexpr std::uint32_t biases = 1U << bias_bits;

constexpr std::array all_instructions{
    BiasInstruction{"vcvtbiasph2hf8", &formats::e4m3, Overflow::nosat},
    BiasInstruction{"vcvtbiasph2hf8s", &formats::e4m3, Overflow::sat},
    BiasInstruction{"vcvtbiasph2bf8", &formats::e5m2, Overflow::nosat},
    BiasInstruction{"vcvtbiasph2bf8s", &formats::e5m2, Overflow::sat},
};

Code answer(const BiasInstruction& instruction, Code value, std::uint32_t bias) {
    Choices choices;
    choices.rounding = Rounding::stochastic_a;
    choices.overflow = instruction.overflow;
    choices.nan = NanRule::sign;
    const Code code = exact::convert(fp16, *instruction.to, choices, value, {bias_bits, bias}).code;
    if (fast::convert(fp16, *instruction.to, choices, value, bias, bias_bits) != code)
        throw std::logic_error("the two models differ: " + std::string(instruction.name) + " of " +
                               code_text(fp16, value));
    return code;
}

/// Whether the code follows from the instruction and both models have it: an overflow to NaN may have either sign, and
/// a NaN of E5M2 keeps bits of the payload, which one model has.
bool is_settled(const BiasInstruction& instruction, Code value, Code code) {
    return !instruction.to->is_nan(code) || (instruction.to == &formats::e4m3 && fp16.is_nan(value));
}

/// The least magnitude above a code that becomes the next code.
Code threshold(const BiasInstruction& instruction, Code below, std::uint32_t bias) {
    const auto value_of = [&](Code code) {
        return exact::encode(fp16, exact::decode(*instruction.to, code).magnitude);
    };
    Code low = value_of(below);
    Code high = value_of(below + 1);
    while (low + 1 < high) {
        const Code middle = (low + high) / 2;
        (answer(instruction, middle, bias) == below ? low : high) = middle;
    }
    return high;
}

} // namespace

std::span<const BiasInstruction> bias_instructions() { return all_instructions; }

std::vector<BiasRun> golden_bias(const BiasInstruction& instruction) {
    const Format& to = *instruction.to;
    const Code in_binade = Code{1} << static_cast<unsigned>(to.fraction_bits);
    std::vector<BiasRun> runs;
    SplitMix64 random(3);
    const auto add = [&](Code value, std::uint32_t bias) {
        const Code code = answer(instruction, value, bias);
        if (is_settled(instruction, value, code)) runs.push_back({value, bias, code});
    };
    for (std::uint32_t bias = 0; bias < biases; ++bias)
        for (Code first = 0; first < to.max_code(); first += in_binade) {
            const Code below = std::min(first + random.below(in_binade), to.max_code() - 1);
            const Code sign = random.below(2) == 0 ? 0 : fp16.sign_bit();
            const Code value = threshold(instruction, below, bias);
            add(sign | value, bias);
            add(sign | (value - 1), bias);
        }
    const Code largest = exact::encode(fp16, exact::decode(to, to.max_code()).magnitude);
    for (const std::uint32_t bias : {0U, 1U, biases / 2, biases - 1})
        for (const Code sign : {Code{0}, fp16.sign_bit()})
            for (const Code value :
                 {Code{0}, Code{1}, largest - 1, largest, largest + 1, fp16.max_code(), fp16.inf_code(),
                  fp16.inf_code() + 1, fp16.inf_code() + 0x155, fp16.inf_code() + 0x200, fp16.magnitude_mask()})
                add(sign | value, bias);
    return runs;
}

std::string write_bias(const std::vector<BiasRun>& runs, const Format& to) {
    std::string text = "a,bias,d\n";
    for (const BiasRun& run : runs)
        text += hex(run.value, fp16) + "," + hex(run.bias, to) + "," + hex(run.code, to) + "\n";
    return text;
}

} // namespace mxcert

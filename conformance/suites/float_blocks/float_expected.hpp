// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// What a quantizer with float scales must give, by both models: exact::, in rational numbers, and fast::, in those
/// of the machine. Every function throws std::logic_error where they disagree: nothing may be judged then. Answers are
/// kept, as exact ones are slow.
class FloatExpected {
  public:
    explicit FloatExpected(const QuantizeFloat& quantize) : quantize_(quantize) {}

    /// Codes of the formats that come out.
    struct Block {
        Code scale = 0;
        std::vector<Code> elements; ///< of the values, in their order
    };
    /// A block of these values. It depends on which values there are, not on where they stand or how often.
    [[nodiscard]] Block block(std::span<const Code> values);

    /// The scale alone, of an amax: a code of the source without sign.
    [[nodiscard]] Code scale_of_amax(Code amax) { return scales_of(amax).given_out; }

  private:
    struct Scale {
        recipe::Scales scales;
        Code given_out = 0;
        std::unordered_map<Code, Code> elements; ///< of values, so far
    };
    [[nodiscard]] Scale& scales_of(Code amax);
    [[nodiscard]] Code element_of(Scale& scale, Code value);

    QuantizeFloat quantize_;
    std::map<Code, Scale> by_amax_;
};

/// The same of a dequantizer: the codes of its target, of every element under a scale.
class FloatValues {
  public:
    explicit FloatValues(const DequantizeFloat& dequantize) : dequantize_(dequantize) {}
    [[nodiscard]] const std::vector<Code>& under(Code scale);

  private:
    DequantizeFloat dequantize_;
    std::unordered_map<Code, std::vector<Code>> known_;
};

/// What these must give, kept to the end of the calling thread, which alone has it: operations that differ in nothing
/// but the block have the same one.
[[nodiscard]] FloatExpected& expected_of(const QuantizeFloat& quantize);
[[nodiscard]] FloatValues& expected_of(const DequantizeFloat& dequantize);

} // namespace mxcert::suites

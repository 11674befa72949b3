// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <unordered_map>

#include "reference/operation/operation.hpp"

// Quantizing with float scales as somebody may do it, right or wrong.
namespace mxcert::suites {

/// Least amaxes that somebody uses, as binary64; the second one is the binary32.
inline constexpr Code least_1e_12 = 0x3D719799812DEA11;
inline constexpr Code least_1e_4 = 0x3F1A36E2E0000000;

/// What a quantizer does to a block: the choices that make its scale, and what becomes of that.
struct FloatWay {
    recipe::FloatBlock choices; ///< `scaling.element` says whose largest value the amax is mapped to, and no more
    bool by_unrounded = false;  ///< the elements are made by the scale before it is rounded to `scaling.kept`
    bool uses_inverse = false;  ///< the inverse scale is taken for the scale, and the reverse: by the elements
    bool gives_inverse = false; ///< and in what is given out

    friend bool operator==(const FloatWay&, const FloatWay&) = default;
};

/// What values have to do with an amax, whatever a NaN does to it.
struct AmaxOf {
    AmaxOf(const Format& format, std::span<const Code> values);

    Code numbers = 0; ///< of those that are no NaN, without sign
    Code nan = 0;     ///< one of the others; 0: there is none
    bool any_number = false;
};

/// Makes blocks in a way, by the machine's arithmetic; what an amax gives is kept.
class FloatMaker {
  public:
    FloatMaker(const QuantizeFloat& quantize, const FloatWay& way);

    struct Made {
        Code given_out = 0;  ///< a code of the format of scales
        recipe::Scales used; ///< by the elements
    };
    [[nodiscard]] Code amax_of(const AmaxOf& values) const;
    /// Of an amax, a code of the source without sign or a NaN.
    [[nodiscard]] const Made& of_amax(Code amax);
    [[nodiscard]] Code element_of(const Made& quantized, Code value) const;

  private:
    QuantizeFloat quantize_;
    FloatWay way_;
    recipe::FloatBlock to_element_;
    std::unordered_map<Code, Made> by_amax_;
};

} // namespace mxcert::suites

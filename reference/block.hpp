// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/choices.hpp"
#include "reference/format.hpp"

// A block: elements and the scale they share (MX v1.0 5.1, 6.3). Quantizing one is two conversions, of its amax to the
// scale and of each value by the scale to its element; what is chosen beside these is which values make the amax.
namespace mxcert {

/// K3. What a NaN among the values does to the amax.
enum class AmaxNan : std::uint8_t {
    ignored,    ///< it is left out; where nothing is left the amax is 0. Transformer Engine, oneDNN
    if_alone,   ///< it is left out; where nothing is left the amax is NaN. P3109
    propagated, ///< the amax is NaN. torchao, TOSA
};

/// K4. What an Inf among the values does to the amax.
enum class AmaxInf : std::uint8_t {
    counted,  ///< the amax is Inf
    left_out, ///< it is left out. P3109
};

/// The formats of the values of a block before and after. Its scale is E8M0.
struct BlockFormat {
    const Format* value = nullptr;   ///< fp32, fp16 or bf16
    const Format* element = nullptr; ///< that of a scaled format with E8M0
};

/// All choices of quantizing a block: a Behaviour of the operation "quantize". The default is that of MX 6.3, with the
/// project's choices where it is silent.
struct BlockChoices {
    AmaxNan amax_nan = AmaxNan::ignored;
    AmaxInf amax_inf = AmaxInf::counted;
    Choices scale = with_rule(ScaleRule::ocp_floor); ///< of the amax to the scale
    Choices element;                                 ///< of a value by the scale to its element

    [[nodiscard]] static constexpr Choices with_rule(ScaleRule rule) {
        Choices choices;
        choices.rule = rule;
        return choices;
    }
    friend bool operator==(const BlockChoices&, const BlockChoices&) = default;
};

/// A quantized block.
struct QuantizedBlock {
    Code scale = 0;
    std::vector<Code> elements; ///< as many as there were values

    friend bool operator==(const QuantizedBlock&, const QuantizedBlock&) = default;
};

/// The formats that a block's conversions are between: "amax_fp32" of fp32, "e8m0_for_e4m3" of e4m3, "fp32_by_e8m0" of
/// fp32 and "e4m3_times_e8m0" of e4m3. Scales are E8M0. Each throws std::invalid_argument if the format has none.
[[nodiscard]] const Format& amax_of(const Format& value);
[[nodiscard]] const Format& scale_of(const Format& element);
[[nodiscard]] const Format& by_scale(const Format& value);
[[nodiscard]] const Format& times_scale(const Format& element);

} // namespace mxcert

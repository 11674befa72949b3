// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/expected.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "conformance/suites/models_agree.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;

/// Answers of a function that are computed one by one before its steps are.
constexpr unsigned few = 32;

/// Answers that both models give though no step keeps them: the first, counted by values, and then one in so many.
constexpr std::uint64_t by_both = 1U << 14U;
constexpr std::uint64_t of_which_one = 64;
bool decides_too(std::uint64_t answers, std::uint64_t values) {
    return answers * values < by_both || answers % of_which_one == 0;
}

/// Amaxes of tensors whose answers are kept. A long run of random tensors must not fill the memory.
constexpr std::size_t most_kept = 64;

/// A code without sign as binary32, by the exact model. A NaN is one without a sign.
Code wide(const Format& source, Code code) {
    if (source.is_nan(code)) return fp32.inf_code() | Code{1} << 22U;
    Choices keeps_inf;
    keeps_inf.overflow = Overflow::nosat;
    return &source == &fp32 ? code : exact::convert(source, fp32, keeps_inf, code).code;
}

/// The same of one with a sign.
Code signed_wide(const Format& source, Code code) {
    const Code sign = (code & source.sign_bit()) != 0 ? fp32.sign_bit() : 0;
    return wide(source, code & source.magnitude_mask()) | sign;
}

/// The same of a finite code, by the other model.
Code wide_by_machine(const Format& source, Code code) { return fast::bits_of(fast::widened(source, code)); }

/// The steps of a function of the codes up to the largest finite one. From each input but zero to `end_of` it, it must
/// be monotone. `code_of` is called with inputs that decide, `checked` with both ends of every step.
template <class EndOf, class CodeOf, class Checked>
std::vector<CodeStep> steps_of(Code largest, const EndOf& end_of, const CodeOf& code_of, const Checked& checked) {
    std::vector<CodeStep> steps;
    const auto add = [&](Code first, Code last) {
        const Code code = checked(first);
        must_agree(checked(last) == code, "what lies between two inputs with the same answer");
        if (!steps.empty() && steps.back().code == code)
            steps.back().last = last;
        else
            steps.push_back({last, code});
    };
    add(0, 0);
    for (Code first = 1; first <= largest;) {
        const Code end = std::min(end_of(first), largest);
        while (first <= end) {
            const Code code = code_of(first);
            if (code_of(end) == code) {
                add(first, end);
                first = end + 1;
                break;
            }
            Code low = first; // has the code
            Code high = end + 1;
            while (high - low > 1) {
                const Code middle = low + (high - low) / 2;
                (code_of(middle) == code ? low : high) = middle;
            }
            add(first, low);
            first = low + 1;
        }
    }
    return steps;
}

Code find(const std::vector<CodeStep>& steps, Code input) {
    return std::lower_bound(steps.begin(), steps.end(), input,
                            [](const CodeStep& step, Code code) { return step.last < code; })
        ->code;
}

} // namespace

Code Nvfp4Expected::amax_of(std::span<const Code> values) const {
    const Format& source = *quantize_.source;
    const recipe::Nvfp4& choices = quantize_.recipe->choices;
    BlockChoices of_amax;
    of_amax.amax_nan = choices.amax_nan;
    // Without NaN and Inf there is nothing to choose, and the order of magnitudes is that of their bits.
    const bool is_finite =
        std::all_of(values.begin(), values.end(), [&](Code value) { return source.is_finite(value); });
    Code amax = 0;
    if (is_finite)
        for (const Code value : values) amax = std::max(amax, value & source.magnitude_mask());
    else
        amax = exact::amax({&source, &formats::e4m3}, of_amax, values);
    must_agree(same(fp32, wide(source, amax),
                    fast::tensor_amax_of(choices, source, {1, values.size(), {values.begin(), values.end()}})),
               "an amax");
    return amax;
}

Nvfp4Expected::OfTensor& Nvfp4Expected::of(Code tensor_amax) {
    const auto known = by_tensor_amax_.find(tensor_amax);
    if (known != by_tensor_amax_.end()) return known->second;
    if (by_tensor_amax_.size() >= most_kept) by_tensor_amax_.clear();
    OfTensor& tensor = by_tensor_amax_[tensor_amax];
    const Code amax = wide(*quantize_.source, tensor_amax);
    tensor.scales = exact::tensor_scales_of(quantize_.recipe->choices, amax);
    const recipe::TensorScales by_machine = fast::tensor_scales_of(quantize_.recipe->choices, amax);
    must_agree(same(fp32, tensor.scales.encode, by_machine.encode) &&
                   same(fp32, tensor.scales.decode, by_machine.decode),
               "the scale of a tensor of the amax " + code_text(*quantize_.source, tensor_amax));
    return tensor;
}

Code Nvfp4Expected::tensor_scale(Code tensor_amax) {
    return quantize_.output == Nvfp4Output::none ? 0 : quantize_.given_out(of(tensor_amax).scales);
}

Code Nvfp4Expected::checked_scale(const recipe::TensorScales& tensor, Code amax) const {
    const Code code = wide(*quantize_.source, amax);
    const Code scale = exact::block_scale_of(quantize_.recipe->choices, tensor, code);
    must_agree(
        same(*quantize_.recipe->choices.scale, scale, fast::block_scale_of(quantize_.recipe->choices, tensor, code)),
        "the scale of the amax " + code_text(*quantize_.source, amax));
    return scale;
}

const std::vector<CodeStep>& Nvfp4Expected::scale_steps(Code tensor_amax) {
    OfTensor& tensor = of(tensor_amax);
    if (tensor.scale_steps.empty())
        tensor.scale_steps = steps_of(
            quantize_.source->max_code(),
            [binade = Code{1} << static_cast<unsigned>(quantize_.source->fraction_bits)](Code first) {
                return first < binade ? 2 * std::bit_floor(first) - 1 : first / binade * binade + binade - 1;
            },
            [&](Code amax) {
                return fast::block_scale_of(quantize_.recipe->choices, tensor.scales,
                                            wide_by_machine(*quantize_.source, amax));
            },
            [&](Code amax) { return checked_scale(tensor.scales, amax); });
    return tensor.scale_steps;
}

Code Nvfp4Expected::scale(Code tensor_amax, Code amax) {
    if (!quantize_.source->is_finite(amax)) return checked_scale(of(tensor_amax).scales, amax);
    OfTensor& tensor = of(tensor_amax);
    if (tensor.scale_steps.empty() && tensor.asked++ < few) return checked_scale(tensor.scales, amax);
    return find(scale_steps(tensor_amax), amax);
}

Code Nvfp4Expected::scale_of(Code tensor_amax, std::span<const Code> values, std::uint64_t columns) {
    const Code amax = amax_of(values);
    const recipe::Nvfp4& choices = quantize_.recipe->choices;
    if (choices.four_over_six == recipe::FourOverSix::off) return scale(tensor_amax, amax);
    const recipe::TensorScales& tensor = of(tensor_amax).scales;
    std::vector<Code> numbers;
    for (const Code value : values) numbers.push_back(fast::bits_of(fast::widened(*quantize_.source, value)));
    const Code number = wide(*quantize_.source, amax);
    const bool to_4 = fast::is_mapped_to_4(choices, tensor, number, numbers, columns);
    if (decides_too(decided_++, values.size())) {
        for (std::size_t i = 0; i < values.size(); ++i) numbers[i] = signed_wide(*quantize_.source, values[i]);
        must_agree(exact::is_mapped_to_4(choices, tensor, number, numbers, columns) == to_4,
                   "what a block of the amax " + code_text(*quantize_.source, amax) + " is mapped to");
    }
    if (!to_4) return scale(tensor_amax, amax);
    const Code scale = exact::block_scale_to_4(choices, tensor, number);
    must_agree(same(*quantize_.recipe->choices.scale, scale, fast::block_scale_to_4(choices, tensor, number)),
               "the scale to 4 of the amax " + code_text(*quantize_.source, amax));
    return scale;
}

Code Nvfp4Expected::checked_element(const recipe::TensorScales& tensor, Code scale, Code value) const {
    const recipe::Nvfp4& choices = quantize_.recipe->choices;
    const Code code = signed_wide(*quantize_.source, value);
    const Code element = exact::element_of(choices, tensor, scale, code);
    must_agree(element == fast::element_of(choices, tensor, scale, code),
               "the element of " + code_text(*quantize_.source, value));
    return element;
}

Code Nvfp4Expected::single_element(const recipe::TensorScales& tensor, Code scale, Code value) {
    if (decides_too(singles_++, 1)) return checked_element(tensor, scale, value);
    return fast::element_of(quantize_.recipe->choices, tensor, scale,
                            fast::bits_of(fast::widened(*quantize_.source, value)));
}

const std::vector<CodeStep>& Nvfp4Expected::elements_of(OfTensor& tensor, Code scale, bool negative) {
    OfScale& of_scale = tensor.elements[scale];
    std::vector<CodeStep>& steps = negative ? of_scale.negative : of_scale.positive;
    if (steps.empty()) {
        const Code sign = negative ? quantize_.source->sign_bit() : 0;
        const Code wide_sign = negative ? fp32.sign_bit() : 0;
        steps = steps_of(
            quantize_.source->max_code(), [](Code) { return std::numeric_limits<Code>::max(); },
            [&](Code magnitude) {
                return fast::element_of(quantize_.recipe->choices, tensor.scales, scale,
                                        wide_by_machine(*quantize_.source, magnitude) | wide_sign);
            },
            [&](Code magnitude) { return checked_element(tensor.scales, scale, magnitude | sign); });
    }
    return steps;
}

const std::vector<CodeStep>& Nvfp4Expected::element_steps(Code tensor_amax, Code scale, bool negative) {
    return elements_of(of(tensor_amax), scale, negative);
}

Code Nvfp4Expected::element(Code tensor_amax, Code scale, Code value) {
    OfTensor& tensor = of(tensor_amax);
    const Code magnitude = value & quantize_.source->magnitude_mask();
    if (!quantize_.source->is_finite(magnitude)) return checked_element(tensor.scales, scale, value);
    OfScale& of_scale = tensor.elements[scale];
    if (of_scale.positive.empty() && of_scale.negative.empty() && of_scale.asked++ < few)
        return single_element(tensor.scales, scale, value);
    return find(elements_of(tensor, scale, magnitude != value), magnitude);
}

} // namespace mxcert::suites

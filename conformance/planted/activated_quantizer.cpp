// SPDX-License-Identifier: Apache-2.0
// A plugin that activates values and quantizes them, right or with the fault that --backend-option names: one of
// activation_faults(), or one of those below.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/activation/faults.hpp"
#include "reference/fast/activation.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "source=bf16 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=row block=32 "
    "activation=relu",
    "source=bf16 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=row block=32 "
    "activation=srelu",
    "source=fp16 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=column block=32 "
    "activation=srelu",
    "source=fp32 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=row block=32 "
    "activation=srelu",
};

const suites::ActivationFault& way() {
    for (const suites::ActivationFault& known : suites::activation_faults())
        if (fault == known.name) return known;
    return suites::right_activation;
}

/// NaN left out, as Transformer Engine does.
Code scale_of(const Format& source, const Quantize& quantize, std::vector<Code> values) {
    if (is("the amax without the last lane")) values.back() = 0;
    Code amax = 0;
    for (const Code value : values) {
        const Code magnitude = value & source.magnitude_mask();
        if (magnitude <= source.inf_code()) amax = std::max(amax, magnitude);
    }
    Choices rule = choices_of(quantize.scale);
    rule.arithmetic = Arithmetic::fp32_multiply;
    return fast::scale(amax_of(source), *quantize.format.element, rule, amax);
}

/// What the fault makes of a value, computed once for each of 16 bits.
class Activated {
  public:
    explicit Activated(const Quantize& quantize)
        : activator_(*quantize.format.value, quantize.activation), way_(way(), activator_) {
        for (Code code = 0; code <= quantize.format.element->last_code(); ++code)
            elements_.push_back(suites::activate_element(*quantize.format.element, quantize.activation, code));
    }
    [[nodiscard]] Code operator()(Code value) const {
        return way().value != nullptr ? way_(value)
                                      : fast::activate(activator_.source(), activator_.activation(), value);
    }
    [[nodiscard]] Code element(Code code) const { return elements_[code]; }

  private:
    suites::Activator activator_;
    suites::ActivationWay way_;
    std::vector<Code> elements_;
};

void quantize_block(const Quantize& quantize, const Activated& activated, const std::vector<Code>& inputs,
                    std::vector<std::uint8_t>& elements, std::uint8_t& scale) {
    const Format& source = *quantize.format.value;
    const Format& made = way().in_fp32 ? formats::fp32 : source;
    std::vector<Code> values;
    for (const Code input : inputs) values.push_back(activated(input));
    const Code code = way().amax_of_inputs ? scale_of(source, quantize, inputs) : scale_of(made, quantize, values);
    scale = static_cast<std::uint8_t>(code);
    const Format& scaled = by_scale(made);
    const Choices choices = choices_of(quantize.element);
    for (std::size_t lane = 0; lane < inputs.size(); ++lane) {
        const Code value = way().of_elements ? inputs[lane] : values[lane];
        Code element = fast::convert(scaled, *quantize.format.element, choices, scaled.code_of(code, value));
        if (way().of_elements) element = activated.element(element);
        elements[lane] = static_cast<std::uint8_t>(element);
    }
}

std::int32_t run(const mxcert_run_args* args) {
    const Quantize quantize = as_quantize(planted::operation_of("quantize", attributes[args->operation]));
    static std::array<std::unique_ptr<Activated>, std::size(attributes)> all_activated;
    std::unique_ptr<Activated>& activated = all_activated[args->operation];
    if (activated == nullptr) activated = std::make_unique<Activated>(quantize);
    const bool rows = quantize.axis == Axis::row;
    const std::uint64_t lines = args->shape[rows ? 0 : 1];
    const std::uint64_t length = args->shape[rows ? 1 : 0];
    const std::uint64_t blocks = (length + quantize.block - 1) / quantize.block;
    const std::vector<Code> all = planted::codes_of(args->inputs[0]);
    auto* const elements = static_cast<std::uint8_t*>(args->outputs[0].data);
    auto* const scales = static_cast<std::uint8_t*>(args->outputs[1].data);
    const auto place = [&](std::uint64_t line, std::uint64_t at, std::uint64_t of) {
        return rows ? line * of + at : at * lines + line;
    };
    for (std::uint64_t line = 0; line < lines; ++line)
        for (std::uint64_t block = 0; block < blocks; ++block) {
            const std::uint64_t first = block * quantize.block;
            std::vector<Code> inputs;
            for (std::uint64_t at = first; at < std::min(length, first + quantize.block); ++at)
                inputs.push_back(all[place(line, at, length)]);
            std::vector<std::uint8_t> made(inputs.size());
            quantize_block(quantize, *activated, inputs, made, scales[place(line, block, blocks)]);
            for (std::uint64_t lane = 0; lane < made.size(); ++lane)
                elements[place(line, first + lane, length)] = made[lane];
        }
    if (is("one element")) elements[args->outputs[0].count / 2] ^= 1;
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("quantize", attributes);
    static const mxcert_api api = planted::operations_api(
        "activated_quantizer", "values that are activated before they are quantized, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaled_matmul/answer.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/suites/matmul/sums.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/arithmetic.hpp"
#include "reference/exact/epilogue.hpp"
#include "reference/fast/sum/epilogue.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t exact_one_in = 16; ///< values are computed by the exact models, too

[[noreturn]] void models_disagree(const ScaledCase& scaled_case, std::size_t at) {
    throw std::logic_error(fmt::format("the two models disagree on element {},{} of {}: nothing can be judged",
                                       at / scaled_case.shape.n, at % scaled_case.shape.n, scaled_case.name));
}

bool is_nan(Code value) { return formats::fp32.is_nan(value); }

} // namespace

std::vector<Code> ScaledModel::sums(const ScaledCase& scaled_case) const {
    const Matmul& matmul = scaled_.matmul;
    const MatmulCase product = product_of(scaled_case);
    const frames::Values sums = sums_of(*matmul.accumulator, matmul.format, product);
    std::vector<Code> all;
    DotLine line;
    for (std::size_t at = 0; at < sums.count(); ++at) {
        all.push_back(sums.get(at));
        if (at % exact_one_in != 0) continue;
        gather(product.shape, product.operands(), at / product.shape.n, at % product.shape.n, line);
        if (!same(formats::fp32, exact::accumulate(*matmul.accumulator, matmul.format, line.operands(product.shape, 0)),
                  all.back()))
            models_disagree(scaled_case, at);
    }
    return all;
}

Code ScaledModel::value(const ScaledCase& scaled_case, Code sum, std::size_t row, std::size_t column,
                        const ScaledWay& way) const {
    const auto scale = [&](const std::vector<Code>& scales, std::size_t at, bool first, bool without, bool inverse) {
        const Code code = without ? fp32_one : scales[first || scales.size() == 1 ? 0 : at];
        return inverse ? exact::divide(formats::fp32, fp32_one, code) : code;
    };
    EpilogueOperands operands;
    operands.sum = sum;
    operands.scale_a = scale(scaled_case.scales_a, row, way.first_of_a, way.without_a, way.inverse_a);
    operands.scale_b = scale(scaled_case.scales_b, column, way.first_of_b, way.without_b, way.inverse_b);
    if (scaled_.bias != nullptr && !way.without_bias) {
        const std::size_t at = way.bias_of_rows ? row % scaled_case.bias.size() : column;
        const Code bias = exact::converted(*scaled_.bias, formats::fp32, scaled_case.bias[at]);
        if (way.bias_first)
            operands.sum = exact::add(formats::fp32, sum, bias);
        else
            operands.bias = bias;
    }
    const Epilogue& epilogue = way.epilogue == nullptr ? *scaled_.epilogue : *way.epilogue;
    const Code fast = fast::after_sum(epilogue, operands);
    const std::size_t at = row * scaled_case.shape.n + column;
    if (at % exact_one_in == 0 && !same(formats::fp32, exact::after_sum(epilogue, operands), fast))
        models_disagree(scaled_case, at);
    return fast;
}

ScaledAnswer ScaledModel::answer(const ScaledCase& scaled_case, const std::vector<Code>& sums,
                                 const ScaledWay& way) const {
    ScaledAnswer answer;
    Code d_scale = way.without_d ? fp32_one : scaled_case.d_scale;
    if (way.inverse_d) d_scale = exact::divide(formats::fp32, fp32_one, d_scale);
    const Epilogue& by_one_factor = epilogue("in_turn");
    const auto take = [&](Code code) { // into the amax
        if (way.amax == AmaxOf::positive && (code & formats::fp32.sign_bit()) != 0) return;
        answer.amax = std::max(answer.amax, code & formats::fp32.magnitude_mask());
    };
    for (std::size_t at = 0; at < sums.size(); ++at) {
        const Code value = this->value(scaled_case, sums[at], at / scaled_case.shape.n, at % scaled_case.shape.n, way);
        answer.any_amax = answer.any_amax || is_nan(value);
        Code scaled = value;
        if (scaled_.has_d_scale) {
            scaled = fast::after_sum(by_one_factor, {value, d_scale, fp32_one, {}});
            if (at % exact_one_in == 0 && !same(formats::fp32, exact::multiply(formats::fp32, value, d_scale), scaled))
                models_disagree(scaled_case, at);
        }
        if (way.through_bf16)
            scaled =
                exact::converted(formats::bf16, formats::fp32, exact::converted(formats::fp32, formats::bf16, scaled));
        const Code code = fast::as_element(*scaled_.output, scaled);
        if (at % exact_one_in == 0 && !same(*scaled_.output, exact::as_element(*scaled_.output, scaled), code))
            models_disagree(scaled_case, at);
        answer.d.push_back(code);
        if (way.amax == AmaxOf::rounded)
            take(exact::converted(*scaled_.output, formats::fp32, code));
        else
            take(way.amax == AmaxOf::scaled ? scaled : value);
    }
    return answer;
}

bool ScaledModel::is(const ScaledAnswer& answer, const ScaledCase& scaled_case,
                     const std::vector<frames::Values>& outputs, std::vector<std::string>* wrong) const {
    bool same_answer = true;
    const auto differs = [&](std::string text) {
        same_answer = false;
        if (wrong != nullptr) wrong->push_back(std::move(text));
    };
    const Format& output = *scaled_.output;
    for (std::size_t at = 0; at < answer.d.size() && (same_answer || wrong != nullptr); ++at) {
        const Code code = outputs[0].get(at);
        if (same(output, code, answer.d[at])) continue;
        differs(fmt::format("{}: element {},{} is {}, not {}", scaled_case.name, at / scaled_case.shape.n,
                            at % scaled_case.shape.n, code_text(output, code), code_text(output, answer.d[at])));
    }
    if (scaled_.has_amax && !answer.any_amax && outputs[1].get(0) != answer.amax)
        differs(fmt::format("{}: the amax is {}, not {}", scaled_case.name, code_text(formats::fp32, outputs[1].get(0)),
                            code_text(formats::fp32, answer.amax)));
    return same_answer;
}

} // namespace mxcert::suites

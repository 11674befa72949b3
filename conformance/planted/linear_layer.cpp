// SPDX-License-Identifier: Apache-2.0
// A plugin that computes the products of a linear layer, right or with the fault that --backend-option names: one of
// linear_faults(), or one of those below.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/planted/alike_outputs.hpp"
#include "conformance/planted/large_products.hpp"
#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/linear/faults.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "source=bf16 recipe=te_mxfp8_hybrid product=wgrad left=e5m2 right=e4m3 scale=e8m0 dequantized=none c=fp32 "
    "output=fp32 accumulator=fp32_multiply_add order=given",
    "source=fp32 recipe=te_mxfp8 product=fprop left=e4m3 right=e4m3 scale=e8m0 dequantized=none c=none output=bf16 "
    "accumulator=fp32_fma order=any",
    "source=fp16 recipe=nvidia_pretraining_e5m2_gradients product=dgrad left=e5m2 right=e4m3 scale=e8m0 "
    "dequantized=none c=none output=fp32 accumulator=blackwell_mxf8f6f4 order=given",
    "source=bf16 recipe=te_float8_block product=fprop left=e4m3 right=e4m3 scale=fp32 dequantized=fp32 c=none "
    "output=bf16 accumulator=fp32_pairwise order=given",
    "source=fp16 recipe=given product=wgrad left=e5m2 right=e4m3 scale=fp32 dequantized=none c=fp32 output=fp32 "
    "accumulator=exact order=given",
    "source=bf16 recipe=deepseek_v3 product=dgrad left=e4m3 right=e4m3 scale=fp32 dequantized=none c=none output=fp32 "
    "accumulator=fp32_fma order=given",
    "source=bf16 recipe=torchao_dynamic product=fprop left=e4m3 right=e4m3 scale=fp32 dequantized=none c=none "
    "output=bf16 accumulator=exact order=given",
    "source=bf16 recipe=te_nvfp4 product=fprop left=e2m1 right=e2m1 scale=ue4m3 dequantized=none c=none output=bf16 "
    "accumulator=blackwell_mxf4nvf4 order=given",
    "source=bf16 recipe=te_nvfp4 product=wgrad left=e2m1 right=e2m1 scale=ue4m3 dequantized=none c=none output=fp32 "
    "accumulator=fp32_multiply_add order=any",
    "source=bf16 recipe=te_nvfp4_hadamard product=wgrad left=e2m1 right=e2m1 scale=ue4m3 dequantized=none c=none "
    "output=fp32 accumulator=blackwell_mxf4nvf4 order=given",
    "source=bf16 recipe=te_nvfp4_hadamard product=wgrad left=e2m1 right=e2m1 scale=ue4m3 dequantized=none c=none "
    "output=fp32 accumulator=blackwell_mxf4nvf4 order=given rounding=stochastic_a16_given",
    "source=bf16 recipe=te_nvfp4 product=dgrad left=e2m1 right=e2m1 scale=ue4m3 dequantized=none c=none "
    "output=bf16 accumulator=fp32_fma order=given rounding=stochastic_b8_given",
    "source=fp32 recipe=torchao_nvfp4 product=dgrad left=e2m1 right=e2m1 scale=ue4m3 dequantized=bf16 c=none "
    "output=fp32 accumulator=fp32_fma order=given",
    "source=fp32 recipe=nexus_32 product=dgrad left=e5m2 right=e4m3 scale=fp32 dequantized=bf16 c=none output=fp32 "
    "accumulator=fp32_fma order=any",
};

Code sum_of(const Matmul& matmul, const DotOperands& operands) {
    if (is_exact(*matmul.accumulator)) return fast::Dot(matmul.format, suites::nearest(*matmul.format.to))(operands);
    return fast::accumulate(*matmul.accumulator, matmul.format, operands);
}

suites::LinearCase case_of(const Linear& linear, const mxcert_run_args* args) {
    suites::LinearCase linear_case;
    linear_case.sizes = {args->shape[0], args->shape[1], args->shape[2]};
    const auto tensor = [&](const recipe::LayerOperand& operand, const mxcert_array& array) {
        const Extent extent = linear_case.sizes.of(operand.tensor);
        return recipe::CodeMatrix{extent.rows, extent.columns, planted::codes_of(array)};
    };
    linear_case.left = tensor(linear.operands.left, args->inputs[0]);
    linear_case.right = tensor(linear.operands.right, args->inputs[1]);
    if (linear.operands.left.given) {
        const std::vector<Code> of_left = planted::codes_of(args->inputs[2]);
        const std::vector<Code> of_right = planted::codes_of(args->inputs[3]);
        linear_case.left_scales = {of_left[0], of_left[1]};
        linear_case.right_scales = {of_right[0], of_right[1]};
        if (is("scale and inverse swapped")) linear_case.left_scales = {of_left[1], of_left[0]};
    }
    if (linear.operands.left.random_bits != 0) linear_case.random = planted::codes_of(args->inputs[2]);
    for (recipe::CodeMatrix* values : {&linear_case.left, &linear_case.right})
        for (Code& code : values->codes) {
            const Format& source = *linear.operands.left.source;
            if (is("NaN dropped") && source.is_nan(code)) code = 0;
            if (is("Inf as the largest value") && source.is_inf(code))
                code = (code & source.sign_bit()) | source.max_code();
        }
    const MatmulShape shape = linear.shape(linear_case.sizes);
    linear_case.c = linear.matmul.has_c ? planted::codes_of(args->inputs[args->input_count - 1])
                                        : std::vector<Code>(shape.m * shape.n, 0);
    return linear_case;
}

std::int32_t run(const mxcert_run_args* args) {
    const Operation operation = planted::operation_of("linear", attributes[args->operation]);
    suites::LinearMade quantized{as_linear(operation), {}};
    quantized.one = case_of(quantized.linear, args);
    if (is("refuses tails") && quantized.one.sizes.tokens % 32 != 0) return MXCERT_UNSUPPORTED;
    for (const suites::LinearFault& known : suites::linear_faults())
        if (fault == known.name) quantized = known.edit(operation, quantized.one).value_or(quantized);
    const Linear& linear = quantized.linear;
    suites::MatmulCase matmul_case = suites::product_of(quantized);
    // Not by an edit of the layer, as those of linear_faults() are.
    if (is("every block has the first scale of its tensor")) {
        std::fill(matmul_case.scales_a.begin(), matmul_case.scales_a.end(), matmul_case.scales_a.front());
        std::fill(matmul_case.scales_b.begin(), matmul_case.scales_b.end(), matmul_case.scales_b.front());
    }
    if (is("the scales of the right tensor of the next block"))
        std::rotate(matmul_case.scales_b.begin(), matmul_case.scales_b.begin() + 1, matmul_case.scales_b.end());
    const mxcert_array& d = args->outputs[0];
    DotLine line;
    for (std::size_t at = 0; at < d.count; ++at) {
        gather(matmul_case.shape, matmul_case.operands(), at / matmul_case.shape.n, at % matmul_case.shape.n, line);
        Code code = suites::element_of(linear.matmul, matmul_case,
                                       sum_of(linear.matmul, line.operands(matmul_case.shape, matmul_case.c[at])));
        if (quantized.kept != nullptr) code = suites::kept_in(*quantized.kept, *linear.matmul.output, code);
        // A bound permits a change of the last bit.
        const auto wrong_bit = static_cast<unsigned>(linear.matmul.any_order ? linear.matmul.output->fraction_bits : 0);
        if (at + 1 == d.count && planted::last_is_wrong(matmul_case.shape)) code ^= Code{1} << wrong_bit;
        if (is("one element of one product") && matmul_case.shape.k == 96 && at == 7) code ^= 1;
        frames::store(static_cast<std::byte*>(d.data) + at * d.width, code, static_cast<unsigned>(d.width));
    }
    planted::spoil_alike(*linear.matmul.output, d);
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("linear", attributes);
    static const mxcert_api api =
        planted::operations_api("linear_layer", "products of a linear layer with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}

// SPDX-License-Identifier: Apache-2.0
// A plugin that multiplies matrices, right or with the fault that --backend-option names: one of matmul_faults() or of
// group_faults(), the name of an accumulator that is used in the place of the declared one, "the elements packed as
// PACKING", or one of those below.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "conformance/planted/alike_outputs.hpp"
#include "conformance/planted/large_products.hpp"
#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/group_faults.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "a=e4m3 b=e4m3 scale=e8m0 block_a=1x32 block_b=32x1 transpose=nn c=fp32 output=fp32 accumulator=fp32_multiply_add "
    "order=any",
    "a=e5m2 b=e4m3 scale=none block_a=none block_b=none transpose=nt c=none output=fp32 accumulator=fp32_multiply_add "
    "order=given",
    "a=e4m3 b=e4m3 scale=none block_a=none block_b=none transpose=tn c=fp32 output=fp32 accumulator=hopper_fp8_f32 "
    "order=given",
    "a=e4m3 b=e5m2 scale=e8m0 block_a=1x32 block_b=32x1 transpose=nn c=none output=bf16 accumulator=exact order=given",
    "a=e4m3 b=e4m3 scale=fp32 block_a=1x128 block_b=128x128 transpose=nt c=none output=fp32 accumulator=fp32_fma "
    "order=any",
    "a=int8 b=int8 scale=e8m0 block_a=1x32 block_b=32x1 transpose=nt c=fp32 output=fp32 accumulator=fp32_multiply_add "
    "order=given",
    "a=e2m1 b=e2m1 scale=e4m3 block_a=1x16 block_b=16x1 transpose=nt c=fp32 output=fp32 "
    "accumulator=fp32_multiply_add order=any packing=low_first",
    "a=e2m1 b=e2m1 scale=ue4m3 block_a=1x16 block_b=16x1 transpose=nn c=none output=fp32 "
    "accumulator=blackwell_mxf4nvf4 order=given",
    "a=e4m3 b=e4m3 scale=none block_a=none block_b=none transpose=nn c=fp32 output=fp32 accumulator=arm_fdot_f32 "
    "order=given",
};

/// A or B of a run.
std::vector<Code> elements_of(const Operation& operation, const mxcert_run_args& args, std::size_t number) {
    const PackedElements packed = planted::packing_of(operation);
    return planted::codes_of(packed, args.inputs[number], args.shape[packed.row_sizes[number]]);
}

/// One element, as the accumulator makes it; or as another one does.
class Element {
  public:
    explicit Element(const Matmul& matmul) : matmul_(matmul), used_(matmul.accumulator) {
        for (const Accumulator& other_accumulator : accumulators())
            if (fault == other_accumulator.name && takes(other_accumulator, matmul.format) &&
                takes_blocks(other_accumulator, matmul.a_scale.along, matmul.b_scale.along))
                used_ = &other_accumulator;
        if (is_exact(*matmul.accumulator)) return;
        for (suites::AccumulatorSlip& slip : suites::slips_of(*matmul.accumulator))
            if (fault == slip.how) used_ = &slip_.emplace(slip.accumulator);
    }
    Code operator()(const DotOperands& operands) const {
        if (is_exact(*used_)) {
            DotFormat format = matmul_.format;
            format.to = matmul_.output;
            return fast::Dot(format, dot_choices())(operands);
        }
        if (is("rounded down")) return fast::Dot(matmul_.format, dot_choices(Rounding::down))(operands);
        if (is("FP16 sums")) {
            const Accumulator& half = accumulator("fp16_fma");
            const Format& fp16 = *half.result;
            DotFormat format = matmul_.format;
            format.c = format.to = &fp16;
            DotOperands narrow = operands;
            narrow.c = exact::converted(formats::fp32, fp16, operands.c);
            return exact::converted(fp16, formats::fp32, fast::accumulate(half, format, narrow));
        }
        DotOperands without_c = operands;
        without_c.c = 0;
        const bool last = is("c added last");
        const Code sum = fast::accumulate(*used_, matmul_.format, last ? without_c : operands);
        if (!last) return sum;
        // 1 x sum + c, in FP32.
        const Code one = 0x3F800000;
        const DotFormat add{&formats::fp32, &formats::fp32, nullptr, nullptr, &formats::fp32, &formats::fp32};
        return fast::Dot(add, dot_choices())({std::span(&sum, 1), std::span(&one, 1), {}, {}, 0, 0, operands.c});
    }

  private:
    const Matmul& matmul_;
    const Accumulator* used_;
    std::optional<Accumulator> slip_;
};

void reverse(suites::MatmulCase& this_matmul_case) {
    const suites::MatmulCase matmul_case = this_matmul_case;
    const MatmulShape& shape = this_matmul_case.shape;
    for (std::size_t l = 0; l < shape.k; ++l) {
        const std::size_t another_j = shape.k - 1 - l;
        for (std::size_t i = 0; i < shape.m; ++i)
            this_matmul_case.a[shape.a_at(i, l)] = matmul_case.a[shape.a_at(i, another_j)];
        for (std::size_t j = 0; j < shape.n; ++j)
            this_matmul_case.b[shape.b_at(l, j)] = matmul_case.b[shape.b_at(another_j, j)];
    }
}

/// Skips zeros, and with them the NaNs and Infs that they are multiplied with.
void skip_zeros(const Matmul& matmul, DotLine& line) {
    const auto zero_in_a = [&](Code code) { return matmul.format.a->magnitude_of(code) == 0; };
    const auto zero_in_b = [&](Code code) { return matmul.format.b->magnitude_of(code) == 0; };
    const auto drop = [](const Format& format, Code& code) { code = format.is_finite(code) ? code : 0; };
    if (is("zero elements skipped"))
        for (std::size_t l = 0; l < line.a.size(); ++l) {
            if (zero_in_a(line.a[l])) drop(*matmul.format.b, line.b[l]);
            if (zero_in_b(line.b[l])) drop(*matmul.format.a, line.a[l]);
        }
    const bool in_a = is("lines of zeros in A skipped") && std::all_of(line.a.begin(), line.a.end(), zero_in_a);
    const bool in_b = is("lines of zeros in B skipped") && std::all_of(line.b.begin(), line.b.end(), zero_in_b);
    if (in_a || in_b) {
        for (Code& code : line.a) drop(*matmul.format.a, code);
        for (Code& code : line.b) drop(*matmul.format.b, code);
        if (!line.scales_a.empty())
            std::fill(line.scales_a.begin(), line.scales_a.end(), matmul.format.scale_a->one_code());
        if (!line.scales_b.empty())
            std::fill(line.scales_b.begin(), line.scales_b.end(), matmul.format.scale_b->one_code());
    }
    if (is("groups of 32 zeros skipped"))
        for (std::size_t first = 0; first + 32 <= line.a.size(); first += 32) {
            const auto place = static_cast<std::ptrdiff_t>(first);
            if (!std::all_of(line.a.begin() + place, line.a.begin() + place + 32, zero_in_a)) continue;
            for (std::size_t l = first; l < first + 32; ++l) drop(*matmul.format.b, line.b[l]);
            if (matmul.a_scale.along == 32) line.scales_a[first / 32] = matmul.format.scale_a->one_code();
        }
}

/// Scales of E8M0 whose exponents are added in the width of one, and those of NaN that cancel.
void add_exponents(const Matmul& matmul, DotLine& line) {
    if (matmul.format.scale_a != &formats::e8m0) return;
    for (std::size_t t = 0; t < std::min(line.scales_a.size(), line.scales_b.size()); ++t) {
        Code& of_a = line.scales_a[t];
        Code& of_b = line.scales_b[t];
        const int sum = static_cast<int>(of_a + of_b) - 127;
        constexpr Code nan = 0xFF;
        const bool are_numbers = of_a != nan && of_b != nan;
        if ((is("exponents of scales saturate above") && are_numbers && sum >= static_cast<int>(nan)) ||
            (is("exponents of scales saturate below") && are_numbers && sum < 0)) {
            of_a = sum < 0 ? 0 : nan - 1;
            of_b = formats::e8m0.one_code();
        }
        if (is("two scales of NaN ignored") && of_a == nan && of_b == nan) of_a = of_b = formats::e8m0.one_code();
        if (is("the largest scale read as NaN") && (of_a == nan - 1 || of_b == nan - 1)) of_a = nan;
    }
}

std::int32_t run(const mxcert_run_args* args) {
    if (is("crash")) std::abort();
    const Operation operation = planted::operation_of("matmul", attributes[args->operation]);
    const Matmul matmul = as_matmul(operation);
    suites::MatmulCase matmul_case;
    matmul_case.shape = matmul.shape(args->shape[0], args->shape[1], args->shape[2]);
    if (is("refuses tails") && matmul_case.shape.k % 128 != 0) return MXCERT_UNSUPPORTED;
    if (planted::takes_whole_tiles_alone() && suites::may_refuse(matmul, matmul_case)) return MXCERT_UNSUPPORTED;
    matmul_case.a = elements_of(operation, *args, 0);
    if (is("whole tiles alone, NaN taken for 0"))
        for (Code& code : matmul_case.a)
            if (matmul.format.a->is_nan(code)) code = 0;
    matmul_case.b = elements_of(operation, *args, 1);
    if (matmul.format.scale_a != nullptr) {
        matmul_case.scales_a = planted::codes_of(args->inputs[2]);
        matmul_case.scales_b = planted::codes_of(args->inputs[3]);
    }
    matmul_case.c = matmul.has_c ? planted::codes_of(args->inputs[args->input_count - 1])
                                 : std::vector<Code>(matmul_case.shape.m * matmul_case.shape.n, 0);
    Matmul used = matmul;
    for (const suites::MatmulFault& known : suites::matmul_faults()) {
        if (fault != known.name) continue;
        matmul_case = known.edited(matmul, matmul_case).value_or(matmul_case);
        used = known.read(matmul).value_or(matmul);
    }
    if (is("k reversed")) reverse(matmul_case);
    const std::size_t m = matmul_case.shape.m;
    const std::size_t n = matmul_case.shape.n;
    for (const suites::GroupFault& known : suites::group_faults(matmul)) {
        if (fault != suites::name_of(known)) continue;
        const std::vector<std::optional<Code>> d = suites::product_of(known, matmul, matmul_case);
        for (std::size_t at = 0; at < d.size(); ++at)
            frames::store(static_cast<std::byte*>(args->outputs[0].data) + at * args->outputs[0].width,
                          d[at].value_or(0), static_cast<unsigned>(args->outputs[0].width));
        return MXCERT_OK;
    }
    const bool wrong_last = planted::last_is_wrong(matmul_case.shape);
    planted::damage_long_sums(matmul_case);
    const Element element(used);
    const mxcert_array& d = args->outputs[0];
    DotLine line;
    for (std::size_t i = 0; i < matmul_case.shape.m; ++i)
        for (std::size_t j = 0; j < matmul_case.shape.n; ++j) {
            const std::size_t at = i * matmul_case.shape.n + j;
            gather(matmul_case.shape, matmul_case.operands(), i, j, line);
            skip_zeros(matmul, line);
            add_exponents(matmul, line);
            Code code = element(line.operands(matmul_case.shape, matmul_case.c[at]));
            code = planted::after_many_rows(matmul_case.shape, code);
            if (is("subnormal results flushed") && (code & 0x7F800000) == 0) code = 0;
            if (is("the first row disturbs") && i != 0 && (matmul_case.a[matmul_case.shape.a_at(0, 0)] & 1U) != 0)
                code ^= 1;
            if (is("coarse in odd binades") && (code & 0x800000) != 0) code &= ~Code{7};
            if (wrong_last && at + 1 == m * n) code ^= 1;
            if (is("one element of one product") && matmul_case.shape.k == 33 && at == 4) code ^= 1;
            frames::store(static_cast<std::byte*>(d.data) + at * d.width, code, static_cast<unsigned>(d.width));
        }
    planted::spoil_alike(*matmul.output, d);
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("matmul", attributes);
    static const mxcert_api api =
        planted::operations_api("multiplier", "matrix products with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}

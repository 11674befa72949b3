// SPDX-License-Identifier: Apache-2.0
// What fuzzing makes of each operation.
#include "conformance/fuzz/fuzz_operation.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "conformance/fuzz/fuzz_draw.hpp"
#include "conformance/fuzz/fuzz_matrix.hpp"
#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/float_blocks/float_judge.hpp"
#include "conformance/suites/float_blocks/float_points.hpp"
#include "conformance/suites/layout/layout.hpp"
#include "conformance/suites/matmul/judge.hpp"

namespace mxcert {
namespace {

constexpr std::array<std::uint64_t, 8> any_blocks{1, 2, 3, 16, 24, 32, 64, 128};

bool refuse(const std::vector<const Profile*>& profiles, const Extent& tensor) {
    return std::all_of(profiles.begin(), profiles.end(),
                       [&](const Profile* profile) { return refuses(*profile, tensor); });
}

std::vector<std::string> texts_of(const std::vector<BlockFault>& faults) {
    std::vector<std::string> texts;
    for (const BlockFault& fault : faults)
        texts.push_back(fmt::format("line {}, block {}: {}", fault.line, fault.block, fault.text));
    return texts;
}

/// A matrix of random size in blocks along an axis, and its sizes as a case has them.
FloatMatrix draw_matrix(SplitMix64& random, Axis axis, unsigned declared, GivenCase& given) {
    const std::uint64_t block = declared != 0 ? declared : any_blocks[random.below(any_blocks.size())];
    const BlockShape shape = axis == Axis::row ? shapes::rowwise(block) : shapes::columnwise(block);
    const Extent extent = draw_extent(random, shape);
    given.sizes = {extent.rows, extent.columns};
    if (declared == 0) given.sizes.push_back(block);
    return {extent, shape};
}

FloatMatrix draw_matrix(SplitMix64& random, const BlockShape& shape, GivenCase& given) {
    const Extent extent = draw_extent(random, shape);
    given.sizes = {extent.rows, extent.columns};
    return {extent, shape};
}

/// The judges of a quantizer; those of a profile have the same index.
struct QuantizeJudges {
    Quantize quantize;
    std::vector<const Profile*> profiles;
    std::vector<Judge> scales;
    std::vector<Judge> elements;
    std::vector<Code> pairs; ///< a value by its scale, where what is permitted changes

    [[nodiscard]] QuantizeRules rules(std::size_t by) const {
        return {&quantize, profiles[by], &scales[by].permitted, &elements[by].permitted};
    }
    [[nodiscard]] std::vector<Code> thresholds(Code amax) const {
        const PermitTable& scale = scales.front().permitted;
        const Format& by = *quantize.element.from;
        const Code first = by.code_of(one_of(scale.steps[find_step(scale, amax)].permit, *scale.to), 0);
        std::vector<Code> values;
        for (auto at = std::lower_bound(pairs.begin(), pairs.end(), first);
             at != pairs.end() && by.scale_of(*at) == by.scale_of(first); ++at)
            if ((by.value_of(*at) & by.magnitude_mask()) <= amax) values.push_back(by.value_of(*at));
        return values;
    }
};

FuzzedOperation of_quantize(const Operation& operation, const std::vector<const Profile*>& profiles,
                            GoldenSource& golden) {
    const auto judges = std::make_shared<QuantizeJudges>();
    judges->quantize = as_quantize(operation);
    judges->profiles = profiles;
    judges->scales = judges_of(judges->quantize.scale, profiles, golden);
    judges->elements = judges_of(judges->quantize.element, profiles, golden);
    judges->pairs = boundaries(judges->elements);
    BlockValues values{judges->quantize.format.value, boundaries(judges->scales),
                       [judges](Code amax) { return judges->thresholds(amax); }};
    FuzzedOperation made;
    made.judges = profiles.size();
    made.make = [judges, values = std::move(values)](SplitMix64& random) {
        GivenCase given;
        const Quantize& quantize = judges->quantize;
        const FloatMatrix matrix = draw_matrix(random, quantize.axis, quantize.block, given);
        given.tensors = {draw_blocks(random, matrix, values)};
        return given;
    };
    made.runs = [judges](const GivenCase& given) {
        return std::vector{run_of(judges->quantize, case_of(judges->quantize, given))};
    };
    made.faults = [judges](std::size_t by, const GivenCase& given, const std::vector<Values>& outputs) {
        return texts_of(judge(judges->rules(by), case_of(judges->quantize, given), outputs));
    };
    made.may_refuse = [judges](const GivenCase& given) {
        const BlockMatrix matrix = case_of(judges->quantize, given).matrix;
        return matrix.has_tail() || refuse(judges->profiles, matrix.extent());
    };
    return made;
}

FuzzedOperation of_dequantize(const Operation& operation, const std::vector<const Profile*>& profiles,
                              GoldenSource& golden) {
    const Dequantize dequantize = as_dequantize(operation);
    const auto values = std::make_shared<std::vector<Judge>>(judges_of(dequantize.value, profiles, golden));
    FuzzedOperation made;
    made.judges = profiles.size();
    made.make = [dequantize](SplitMix64& random) {
        GivenCase given;
        const FloatMatrix matrix = draw_matrix(random, dequantize.axis, dequantize.block, given);
        given.tensors.push_back(draw_elements(random, count(matrix.values, "values"), *dequantize.element));
        given.tensors.push_back(draw_scales(random, matrix.blocks(), formats::e8m0, {}));
        return given;
    };
    made.runs = [dequantize](const GivenCase& given) {
        return std::vector{run_of(dequantize, case_of(dequantize, given))};
    };
    made.faults = [dequantize, values](std::size_t by, const GivenCase& given, const std::vector<Values>& outputs) {
        return texts_of(judge((*values)[by].permitted, case_of(dequantize, given), outputs));
    };
    made.may_refuse = [dequantize, profiles](const GivenCase& given) {
        const BlockMatrix matrix = case_of(dequantize, given).matrix;
        return matrix.has_tail() || refuse(profiles, matrix.extent());
    };
    return made;
}

constexpr std::uint64_t few_scales = 12;
constexpr std::uint64_t points_seed = 1; ///< of thresholds, which are those of certify

FuzzedOperation of_quantize_float(const Operation& operation, const std::vector<const Profile*>& /*profiles*/,
                                  GoldenSource& /*golden*/) {
    const QuantizeFloat quantize = as_quantize_float(operation);
    const BlockValues values{quantize.source, amaxes_of(quantize, 1, points_seed),
                             [quantize](Code amax) { return values_under(quantize, amax, 0, points_seed); }};
    FuzzedOperation made;
    made.make = [quantize, values](SplitMix64& random) {
        GivenCase given;
        const FloatMatrix matrix = draw_matrix(random, quantize.block, given);
        given.tensors = {draw_blocks(random, matrix, values)};
        return given;
    };
    made.runs = [quantize](const GivenCase& given) { return std::vector{run_of(quantize, case_of(quantize, given))}; };
    made.faults = [quantize](std::size_t /*by*/, const GivenCase& given, const std::vector<Values>& outputs) {
        // Kept for one case: a long run must not fill the memory with answers.
        FloatExpected expected(quantize);
        FloatSamples samples;
        return texts_of(judge(quantize, expected, case_of(quantize, given), outputs, samples));
    };
    made.may_refuse = [quantize](const GivenCase& given) { return case_of(quantize, given).matrix.has_tail(); };
    return made;
}

FuzzedOperation of_dequantize_float(const Operation& operation, const std::vector<const Profile*>& /*profiles*/,
                                    GoldenSource& /*golden*/) {
    const DequantizeFloat dequantize = as_dequantize_float(operation);
    FuzzedOperation made;
    made.make = [dequantize, scales = scales_asked(dequantize, 0, points_seed)](SplitMix64& random) {
        GivenCase given;
        const FloatMatrix matrix = draw_matrix(random, dequantize.block, given);
        given.tensors.push_back(draw_elements(random, count(matrix.values, "values"), *dequantize.element));
        // Exact products of every element with each of many scales would take long.
        const std::vector<Code> few = draw_scales(random, few_scales, *dequantize.scale, scales);
        std::vector<Code>& of_blocks = given.tensors.emplace_back(matrix.blocks());
        for (Code& scale : of_blocks) scale = few[random.below(few.size())];
        return given;
    };
    made.runs = [dequantize](const GivenCase& given) {
        return std::vector{run_of(dequantize, case_of(dequantize, given))};
    };
    made.faults = [dequantize](std::size_t /*by*/, const GivenCase& given, const std::vector<Values>& outputs) {
        FloatValues expected(dequantize);
        return texts_of(judge(dequantize, expected, case_of(dequantize, given), outputs));
    };
    made.may_refuse = [dequantize](const GivenCase& given) { return case_of(dequantize, given).matrix.has_tail(); };
    return made;
}

FuzzedOperation of_layout(const Operation& operation, const std::vector<const Profile*>& profiles,
                          GoldenSource& /*golden*/) {
    const Layout layout = as_layout(operation);
    FuzzedOperation made;
    made.make = [layout](SplitMix64& random) {
        const Extent& unit = layout.layout->multiple;
        const Extent scales = draw_extent(random, {unit.rows, unit.columns});
        return GivenCase{{scales.rows, scales.columns}, {}};
    };
    made.runs = [layout](const GivenCase& given) {
        const LayoutCase one = case_of(layout, given);
        std::vector<RunCase> runs;
        for (unsigned plane = 0; plane < planes_of(one); ++plane) runs.push_back(run_of(one, plane));
        return runs;
    };
    made.faults = [layout](std::size_t /*by*/, const GivenCase& given, const std::vector<Values>& outputs) {
        return faults_of(case_of(layout, given), outputs);
    };
    made.may_refuse = [layout, profiles](const GivenCase& given) { return refuse(profiles, case_of(layout, given)); };
    return made;
}

/// Sides of A, B and D. Sums are long where blocks are.
GivenCase draw_product(SplitMix64& random, const Matmul& matmul, const CaseForm& form) {
    // A bound is proven in exact arithmetic.
    const std::uint64_t most = matmul.any_order ? 1U << 11U : 1U << 15U; // products
    GivenCase given;
    for (const CaseForm::AxisOf& axis : form.axes) given.sizes.push_back(draw_extent(random, {1, axis.unit}).columns);
    const auto products = [&] { return given.sizes[0] * given.sizes[1] * given.sizes[2]; };
    while (products() > most) {
        std::uint64_t& longest = *std::max_element(given.sizes.begin(), given.sizes.end());
        longest = (longest + 1) / 2;
    }
    for (const FormTensor& tensor : form.tensors) {
        const std::uint64_t codes = count(extent_of(tensor, given.sizes), tensor.name);
        given.tensors.push_back(tensor.name.starts_with("scales") ? draw_scales(random, codes, *tensor.format, {})
                                                                  : draw_elements(random, codes, *tensor.format));
    }
    return given;
}

FuzzedOperation of_matmul(const Operation& operation, const std::vector<const Profile*>& /*profiles*/,
                          GoldenSource& /*golden*/) {
    const auto matmul = std::make_shared<Matmul>(as_matmul(operation)); // the judge refers to it
    const auto judge = std::make_shared<MatmulJudge>(*matmul);
    FuzzedOperation made;
    made.make = [matmul, form = form_of(operation)](SplitMix64& random) { return draw_product(random, *matmul, form); };
    made.runs = [matmul](const GivenCase& given) { return std::vector{run_of(*matmul, case_of(*matmul, given))}; };
    made.faults = [matmul, judge](std::size_t /*by*/, const GivenCase& given, const std::vector<Values>& outputs) {
        std::vector<std::string> texts;
        (void)judge->compare(case_of(*matmul, given), outputs.front(),
                             [&](const std::string& text) { texts.push_back(text); });
        return texts;
    };
    made.may_refuse = [matmul](const GivenCase& given) { return may_refuse(*matmul, case_of(*matmul, given)); };
    return made;
}

constexpr struct {
    std::string_view operation;
    std::string_view row; ///< of those that take a case
    FuzzedOperation (*make)(const Operation&, const std::vector<const Profile*>&, GoldenSource&);
} makers[] = {
    {"quantize", "blocks", of_quantize},
    {"dequantize", "blocks", of_dequantize},
    {"quantize_float", "blocks", of_quantize_float},
    {"dequantize_float", "blocks", of_dequantize_float},
    {"layout", "places", of_layout},
    {"matmul", "values", of_matmul},
};

const auto* find_maker(const Operation& operation) {
    return std::find_if(std::begin(makers), std::end(makers),
                        [&](const auto& maker) { return maker.operation == operation.info->name; });
}

} // namespace

bool can_fuzz(const Operation& operation) { return find_maker(operation) != std::end(makers); }

FuzzedOperation fuzzed(const Operation& operation, const std::vector<const Profile*>& profiles, GoldenSource& golden) {
    const auto& maker = *find_maker(operation);
    FuzzedOperation made = maker.make(operation, profiles, golden);
    made.row = fmt::format("{}/{}", to_string(operation), maker.row);
    made.form = form_of(operation);
    return made;
}

} // namespace mxcert

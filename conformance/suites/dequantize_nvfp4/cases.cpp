// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/dequantize_nvfp4/cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/suites/maker.hpp"
#include "conformance/suites/matrices/block_kinds.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::suites {
namespace {

using formats::e2m1;
using formats::fp32;

constexpr std::uint64_t places_seed = 0xBAC4;

/// Scales of neighbouring blocks differ, and no two of 61 are the same. All are normal numbers.
Code telling_scale(std::uint64_t block) {
    constexpr Code least = 0x10;
    constexpr std::uint64_t scales = 89;
    return least + block * 29 % scales;
}

/// A number of the order of 1 for values, whatever the number is.
Code usual_number(const DequantizeNvfp4& dequantize) {
    switch (dequantize.recipe->choices.factor) {
    case recipe::Nvfp4Factor::times_amax: return 0x4565CCCD;   // 3676.8
    case recipe::Nvfp4Factor::times_decode: return 0x3FAF1AA0; // 1.368
    default: break;
    }
    return 0x3F3B2EB2; // 0.7312
}

/// Numbers by which the element 1.5 under the scale 1 is, in binary32, a tie of the target: what is rounded to the
/// target alone may lie on either side of it.
std::vector<Code> numbers_at_ties(const DequantizeNvfp4& dequantize, std::uint64_t random) {
    constexpr Code of_1 = 0x38;  // E4M3
    constexpr Code of_1_5 = 0x3; // E2M1
    constexpr Code ulps = 3;
    if (dequantize.target == &fp32) return {};
    const recipe::Nvfp4& choices = dequantize.recipe->choices;
    const auto half = Code{1} << static_cast<unsigned>(fp32.fraction_bits - dequantize.target->fraction_bits - 1);
    const Code tie = ((fp32.one_code() + random % (Code{8} << 23U)) & ~(2 * half - 1)) | half;
    const float factor = fast::as_float(tie) / 1.5F;
    const float number = choices.factor == recipe::Nvfp4Factor::times_amax    ? factor * fast::as_float(choices.range)
                         : choices.factor == recipe::Nvfp4Factor::over_encode ? 1 / factor
                                                                              : factor;
    std::vector<Code> numbers;
    for (Code code = fast::bits_of(number) - ulps; code <= fast::bits_of(number) + ulps; ++code)
        if (fast::value_of(choices, fp32, fast::factor_of(choices, of_1, code), of_1_5) == tie) numbers.push_back(code);
    return numbers;
}

/// Blocks of every kind, the first of that number, under ordinary scales and extreme ones.
Nvfp4BackCase kinds_case(const DequantizeNvfp4& dequantize, std::string name, const Extent& extent,
                         std::uint64_t first) {
    Nvfp4BackCase back_case = telling_case(dequantize, std::move(name), extent);
    const BlockKinds kinds = element_block_kinds(e2m1);
    const Extent grid = back_case.matrix.scales();
    for (std::uint64_t block = 0; block < back_case.matrix.blocks(); ++block) {
        const BlockRange range = back_case.matrix.block(block);
        const std::uint64_t lanes = count(range.size, "values");
        const std::uint64_t number = kinds.number_in(grid.rows, grid.columns, block, first);
        for (std::uint64_t lane = 0; lane < lanes; ++lane)
            back_case.elements[back_case.matrix.place(range, lane)] = kinds.value(number, lane, lanes);
        back_case.scales[block] = scale_of_kind(*dequantize.recipe->choices.scale, number + 2, back_case.scales[block]);
    }
    return back_case;
}

} // namespace

std::vector<Code> numbers_of_tensors(const DequantizeNvfp4& dequantize, Level level, std::uint64_t seed) {
    if (!dequantize.has_number()) return {fp32.one_code()};
    const Code quiet = fp32.inf_code() | Code{1} << 22U;
    const Code smallest_normal = Code{1} << 23U;
    std::vector<Code> numbers{0,
                              1,
                              smallest_normal - 1,
                              smallest_normal,
                              fp32.one_code(),
                              dequantize.recipe->choices.range,
                              usual_number(dequantize),
                              fp32.max_code(),
                              fp32.inf_code(),
                              quiet};
    const std::uint64_t seeded = is_small(level)            ? 4
                                 : level == Level::quick    ? 24
                                 : level == Level::standard ? 512
                                                            : 8192;
    const Code step = is_small(level) ? 64 : level == Level::quick ? 16 : 1;
    for (Code field = 1; field < 255; field += step)
        numbers.insert(numbers.end(), {field << 23U, (field << 23U) + 1, (field << 23U | fp32.fraction_mask())});
    // Of every binade, the subnormals too.
    for (std::uint64_t i = 0; i < seeded; ++i) numbers.push_back(SplitMix64::at(seed, i) % fp32.inf_code());
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(2 * seeded, 64); ++i)
        for (const Code number : numbers_at_ties(dequantize, SplitMix64::at(~seed, i))) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

Nvfp4BackCase values_case(const DequantizeNvfp4& dequantize, Code number) {
    const std::uint64_t scales = dequantize.recipe->choices.scale->last_code() + 1;
    const FloatMatrix matrix = grid_of(dequantize.block, scales);
    Nvfp4BackCase back_case{dequantize.has_number() ? "a tensor of the number " + code_text(fp32, number)
                                                    : "every element under every scale",
                            matrix,
                            std::vector<Code>(count(matrix.values, "values")),
                            {},
                            number};
    for (std::uint64_t block = 0; block < matrix.blocks(); ++block) {
        back_case.scales.push_back((block * 167 + number) % scales);
        const BlockRange range = matrix.block(block);
        for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane)
            back_case.elements[matrix.place(range, lane)] = (lane * 5 + block) % (e2m1.last_code() + 1);
    }
    return back_case;
}

Nvfp4BackCase telling_case(const DequantizeNvfp4& dequantize, std::string name, const Extent& extent) {
    Nvfp4BackCase back_case{std::move(name), {extent, dequantize.block}, {}, {}, usual_number(dequantize)};
    for (std::uint64_t place = 0; place < count(extent, "values"); ++place)
        back_case.elements.push_back(SplitMix64::at(places_seed, place) & e2m1.last_code());
    for (std::uint64_t block = 0; block < back_case.matrix.blocks(); ++block)
        back_case.scales.push_back(telling_scale(block));
    return back_case;
}

bool for_each_place_case(const DequantizeNvfp4& dequantize, const CallNvfp4BackCase& call) {
    std::uint64_t first = 0; // of the kinds of a matrix
    for (const Extent& extent : tile_extents(dequantize.block)) {
        const Nvfp4BackCase kinds = kinds_case(dequantize, size_name(extent) + ", every kind of block", extent, first);
        first += kinds.matrix.blocks();
        if (!call(telling_case(dequantize, size_name(extent), extent)) || !call(kinds)) return false;
    }
    // A vector or a group of blocks that has nothing else may take a path of its own.
    const Extent many = grid_of(dequantize.block, 35).values;
    for (const Special& special : element_specials(e2m1)) {
        Nvfp4BackCase alike = telling_case(dequantize, fmt::format("a tensor of nothing but {}", special.name), many);
        std::fill(alike.elements.begin(), alike.elements.end(), special.code);
        if (!call(alike)) return false;
    }
    for (const auto& [name, scale] :
         {std::pair{"NaN", dequantize.recipe->choices.scale->magnitude_mask()}, std::pair{"0", Code{0}}}) {
        Nvfp4BackCase alike = telling_case(dequantize, fmt::format("blocks with {} for a scale", name), many);
        std::fill(alike.scales.begin(), alike.scales.end(), scale);
        if (!call(alike)) return false;
    }
    return true;
}

std::vector<Nvfp4BackCase> back_rings(const DequantizeNvfp4& dequantize) {
    std::vector<Nvfp4BackCase> rings;
    for (const auto& [name, extent] : ring_extents(dequantize.block))
        rings.push_back(telling_case(dequantize, name, extent));
    return rings;
}

frames::RunCase run_of(const DequantizeNvfp4& dequantize, const Nvfp4BackCase& back_case) {
    frames::RunCase run;
    run.shape = {back_case.matrix.values.rows, back_case.matrix.values.columns};
    run.inputs = {frames::values_of(back_case.elements, e2m1),
                  frames::values_of(back_case.scales, *dequantize.recipe->choices.scale)};
    if (dequantize.has_number()) run.inputs.push_back(frames::values_of({back_case.number}, fp32));
    run.outputs = {frames::Values(back_case.elements.size(), frames::bytes_of(*dequantize.target))};
    return run;
}

Nvfp4BackCase case_of(const DequantizeNvfp4& dequantize, const cases::GivenCase& given_case) {
    return {"a case that was given",
            {{given_case.sizes[0], given_case.sizes[1]}, dequantize.block},
            given_case.tensors[0],
            given_case.tensors[1],
            dequantize.has_number() ? given_case.tensors[2].front() : fp32.one_code()};
}

} // namespace mxcert::suites

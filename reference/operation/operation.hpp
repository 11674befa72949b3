// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/activation.hpp"
#include "reference/block.hpp"
#include "reference/block_shape.hpp"
#include "reference/conversion.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/dot/epilogue.hpp"
#include "reference/layout.hpp"
#include "reference/packing.hpp"
#include "reference/recipe/float_block.hpp"
#include "reference/recipe/hadamard.hpp"
#include "reference/recipe/linear.hpp"
#include "reference/recipe/nvfp4.hpp"
#include "reference/recipe/partial_cast.hpp"
#include "reference/recipe/tensor_recipe.hpp"

// Operations on arrays: what a conversion of single values is for numbers, these are for matrices (docs/operations.md).
namespace mxcert {

struct Operation;

/// An operation as data: its name, and what a backend says to offer one.
struct OperationInfo {
    std::string_view name;
    std::span<const std::string_view> attributes; ///< in the order of names and reports
    void (*check)(const Operation&);              ///< throws std::invalid_argument for values that cannot be
    /// The inputs and outputs of its runs that are elements, rows by columns. Where there are some it may have the
    /// attribute `packing` as well, which says how they lie (reference/packing.hpp).
    std::span<const std::size_t> packed_inputs = {};
    std::span<const std::size_t> packed_outputs = {};

    /// Those that are scales of blocks, a byte each. Where there are some it may have the attribute `layout` as well,
    /// which says where they lie (reference/layout.hpp).
    std::span<const std::size_t> scale_inputs = {};
    std::span<const std::size_t> scale_outputs = {};

    /// Whether it may have the attribute `activation`: a function of each value, before everything else
    /// (reference/activation.hpp).
    bool may_activate = false;

    /// Whether it may have the attribute `hadamard`: the signs of a Hadamard transform that comes first.
    bool may_transform = false;

    /// Whether it may have the attribute `rounding`: a stochastic rounding of elements, by random bits of its own or
    /// given ones.
    bool may_draw = false;

    [[nodiscard]] bool may_pack() const { return !packed_inputs.empty() || !packed_outputs.empty(); }
    [[nodiscard]] bool may_lay_out() const { return !scale_inputs.empty() || !scale_outputs.empty(); }
};
[[nodiscard]] std::span<const OperationInfo> all_operations();

/// One operation as a backend offers it and a command names it.
struct Operation {
    const OperationInfo* info = nullptr; ///< points into all_operations()
    /// Of its attributes, then of `activation` and of `hadamard` where these are not `none`, of `rounding` where that
    /// is not `nearest_even`, of `packing` where that is not `bytes`, and of `layout` where that is not `linear`.
    std::vector<std::string> values;

    [[nodiscard]] std::string_view value(std::string_view attribute) const;
    friend bool operator==(const Operation& a, const Operation& b) { return a.info == b.info && a.values == b.values; }
};

/// An attribute that an operation need not have: without it, it is what `usual` says. No value is one of two of them.
struct OptionalAttribute {
    std::string_view name;
    bool (*may_have)(const OperationInfo&);
    bool (*is_value)(std::string_view); ///< whether a value is one of this attribute
    std::string_view usual;
    void (*check)(std::string_view); ///< throws std::invalid_argument for what is no value, or may not be one
};

/// Every one, in the order in which names of operations have their values.
[[nodiscard]] std::span<const OptionalAttribute> optional_attributes();

/// Those that an operation of this kind may have, in the same order.
[[nodiscard]] std::vector<std::string_view> optional_attributes(const OperationInfo& info);

/// The value of one that the operation may have; empty if it is not there. nullptr in the place of no such attribute.
[[nodiscard]] const OptionalAttribute* find_optional(const OperationInfo& info, std::string_view name);
[[nodiscard]] std::string_view optional_value(const Operation& operation, const OptionalAttribute& attribute);

/// Names for values that follow those of the attributes in the name of an operation.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
name_optional_values(const OperationInfo& info, std::span<const std::string> values);

/// "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32": the name and the values. Used for rows of reports and
/// --filter.
[[nodiscard]] std::string to_string(const Operation& operation);

/// From the names a backend gives. Throws std::invalid_argument that says which is unknown, missing or twice there.
[[nodiscard]] Operation make_operation(std::string_view name,
                                       std::span<const std::pair<std::string, std::string>> attributes);

/// How the elements of an operation's runs lie. Each row of a matrix is packed alone.
struct PackedElements {
    const Packing* packing = nullptr; ///< points into all_packings(); the first, bytes, where nothing else is said
    const Format* element = nullptr;  ///< null where these are bytes
    unsigned block = 0;               ///< elements of a block along rows, for the packing `halves`; 0: any
    /// Which size of a run is the length of a row, for each packed input and then each packed output.
    std::array<std::size_t, 2> row_sizes{1, 1};

    [[nodiscard]] bool packs() const { return packing->order != PackingOrder::byte; }
    /// As packed_row_bytes().
    [[nodiscard]] std::uint64_t row_bytes(std::uint64_t columns) const {
        return packed_row_bytes(*packing, *element, columns, block);
    }
};
[[nodiscard]] PackedElements packed_elements(const Operation& operation);

/// Where the scales of an operation's runs lie.
struct LaidOutScales {
    const ScaleLayout* layout = nullptr; ///< points into all_layouts(); the first, linear, where nothing else is said
    BlockShape block;                    ///< a side of 0 is named in each run

    [[nodiscard]] bool is_linear() const { return layout == &all_layouts().front(); }
    /// The matrix of the scales of so many values in blocks of `run_block`, where no block is declared.
    [[nodiscard]] Extent scales(const Extent& values, std::uint64_t run_block) const {
        return scales_of(values,
                         {block.rows != 0 ? block.rows : run_block, block.columns != 0 ? block.columns : run_block});
    }
};
[[nodiscard]] LaidOutScales laid_out_scales(const Operation& operation);

/// Sizes of a block that a backend may have (`block=`), or of a side of it.
inline constexpr unsigned largest_block = 1024;

/// The operation "quantize": a matrix of values to its elements and its scales, one a block.
struct Quantize {
    BlockFormat format;
    Conversion scale;   ///< of the amax
    Conversion element; ///< of a value by its scale
    Axis axis = Axis::row;
    unsigned block = 0;                       ///< elements; 0 for any from 1 to largest_block, named in each run
    Activation activation = Activation::none; ///< of each value, before the amax is taken
};

/// The operation "quantize_2d": a matrix of values in tiles, each with one scale, quantized for products along its rows
/// and along its columns. Both have the same elements, and the scale of a tile stands in each once for every row, or
/// column, of it. Transformer Engine's MXFP8 with 2D scaling of weights has tiles of 32x32.
struct Quantize2d {
    Quantize quantize; ///< the conversions of the scale and of the element; its axis and block say nothing
    BlockShape tile;   ///< no side is BlockShape::whole

    /// Scales of the elements for products along rows, one a row of a tile, and of those along columns.
    [[nodiscard]] Extent row_scales(const Extent& values) const;
    [[nodiscard]] Extent column_scales(const Extent& values) const;
};

/// The operation "dequantize": the way back.
struct Dequantize {
    const Format* element = nullptr;
    Conversion value; ///< of an element times its scale
    Axis axis = Axis::row;
    unsigned block = 0; ///< as in Quantize
};

/// The operation "quantize_float": a matrix of values to its elements and its float scales, one a block.
struct QuantizeFloat {
    const Format* source = nullptr;                   ///< fp32, fp16 or bf16
    const recipe::FloatBlockPreset* recipe = nullptr; ///< points into recipe::float_block_presets()
    recipe::FloatBlock choices;                       ///< those of the recipe, with this element and scale
    const Format* scale = nullptr;                    ///< it is given out in: fp32, fp16, bf16 or e8m0
    BlockShape block;
};

/// The operation "dequantize_float": the way back, element x scale as exact::dequantize() has it.
struct DequantizeFloat {
    const Format* element = nullptr;
    const Format* scale = nullptr;  ///< as in QuantizeFloat
    const Format* target = nullptr; ///< fp32, fp16, bf16 or fp64
    BlockShape block;
};

/// What the operation "quantize_nvfp4" gives out for the tensor.
enum class Nvfp4Output : std::uint8_t { none, decode_scale, encode_scale };

/// How elements are rounded by random bits.
struct RandomRounding {
    Rounding law = Rounding::stochastic_a; ///< of which `bits` are random
    unsigned bits = 0;                     ///< 1 to 32; 0: the law is not known
    bool given = false; ///< the bits are an input of each run; else they are the implementation's own
    /// Elements 2i and 2i + 1 of a block share their random bits, as those of `cvt.rs.satfinite.e2m1x4.f32` do.
    bool pairs = false;
};
/// "stochastic", or a law with its bits, "stochastic_a16"; each may end with "_pairs", a law with its bits also with
/// "_given". Nothing of "nearest_even".
/// Throws std::invalid_argument for anything else.
[[nodiscard]] std::optional<RandomRounding> random_rounding_of(std::string_view name);

/// The operation "quantize_nvfp4": a matrix of values to its elements in E2M1, its scales in E4M3, one a block, and the
/// scale of the tensor, which follows from the largest magnitude of the values.
struct QuantizeNvfp4 {
    const Format* source = nullptr;              ///< fp32, fp16 or bf16
    const recipe::Nvfp4Preset* recipe = nullptr; ///< points into recipe::nvfp4_presets()
    BlockShape block;                            ///< 1x16, 16x1 or 16x16
    Nvfp4Output output = Nvfp4Output::none;
    /// The values are transformed along their blocks first and rounded to BF16. Only of bf16, te_nvfp4 and blocks of
    /// one row or column.
    std::optional<recipe::Hadamard> hadamard{};
    /// Elements are rounded at random, scales as the recipe has them. Only of te_nvfp4; without it elements are rounded
    /// as the recipe has them.
    std::optional<RandomRounding> random{};

    /// What is given out of the scales of a tensor, a code of binary32. Precondition: output is not none.
    [[nodiscard]] Code given_out(const recipe::TensorScales& scales) const {
        return output == Nvfp4Output::encode_scale ? scales.encode : scales.decode;
    }
};

/// The operation "dequantize_nvfp4": the way back, from elements, scales and one number of the tensor, as the recipe
/// computes it (recipe::Nvfp4Factor).
struct DequantizeNvfp4 {
    const recipe::Nvfp4Preset* recipe = nullptr; ///< points into recipe::nvfp4_presets()
    BlockShape block;                            ///< as in QuantizeNvfp4
    const Format* target = nullptr;              ///< fp32, fp16 or bf16

    /// Whether a number of the tensor comes in.
    [[nodiscard]] bool has_number() const { return recipe->choices.factor != recipe::Nvfp4Factor::scale; }
};

/// The operation "hadamard": groups of 16 values of the rows or columns of a matrix, transformed.
struct HadamardTransform {
    const Format* source = nullptr; ///< fp32, fp16 or bf16
    const Format* target = nullptr; ///< the same
    recipe::Hadamard transform;
    BlockShape group; ///< 1x16 or 16x1
};

/// The operation "layout": bytes of scales from rows to where a layout has them, or back.
struct Layout {
    const ScaleLayout* layout = nullptr; ///< points into all_layouts()
    LayoutDirection direction = LayoutDirection::arrange;
};

/// The operation "stochastic": values rounded at random, with random bits of the implementation's own.
struct Stochastic {
    Conversion conversion; ///< its random bits are those of the law; 1 where that is not known
    bool law_known = false;
};

/// The operation "matmul": D = A B + C, m x k times k x n, A and B with scales or without.
struct Matmul {
    /// The formats of the sum: c and `to` are Accumulator::result, or what the exact sum is rounded to.
    DotFormat format;
    SharedScale a_scale; ///< no more than one scale where there is none
    SharedScale b_scale;
    bool a_transposed = false; ///< A and its scales lie as the rows of the transpose
    bool b_transposed = false;
    bool has_c = false;                       ///< C is given; else it is +0
    const Format* output = nullptr;           ///< of D: the result, rounded to nearest even once more if it is another
    const Accumulator* accumulator = nullptr; ///< points into accumulators()
    bool any_order = false;                   ///< the products may be taken in any order, in groups of the accumulator
    /// Multiplies the result by the amaxes of both tensors before it is rounded to the output: a layer in NVFP4. Null:
    /// the result is rounded alone.
    const Epilogue* epilogue = nullptr;

    [[nodiscard]] MatmulShape shape(std::size_t m, std::size_t n, std::size_t k) const {
        return {m, n, k, a_transposed, b_transposed, a_scale, b_scale};
    }
};

/// The operation "scaled_matmul": a product of FP8 or NVFP4 whose scales and bias are applied to the sums, in FP32
/// (Epilogue), and D in FP8 by a scale of its own, with its amax.
struct ScaledMatmul {
    Matmul matmul;         ///< of the elements, to FP32, without C; of NVFP4 with its scales of blocks
    bool by_lines = false; ///< a scale for each row of A and each column of B; else one for each of them
    const Epilogue* epilogue = nullptr;
    const Format* bias = nullptr;   ///< of a value for each column of D; null: none
    const Format* output = nullptr; ///< of D; FP8 saturates
    bool has_d_scale = false;       ///< values are multiplied by it in FP32 before they are rounded to D
    bool has_amax = false; ///< the largest magnitude of the values is given out, as they are before that, in FP32

    /// Whether blocks of elements have scales too, which multiply the products.
    [[nodiscard]] bool has_blocks() const { return matmul.format.scale_a != nullptr; }
    [[nodiscard]] std::size_t scales_a(const MatmulShape& shape) const { return by_lines ? shape.m : 1; }
    [[nodiscard]] std::size_t scales_b(const MatmulShape& shape) const { return by_lines ? shape.n : 1; }
};

/// The operation "linear": one product of a linear layer from tensors of high precision, which are quantized on the
/// way.
struct Linear {
    std::string recipe;
    recipe::LayerProduct operands;
    /// The operands are multiplied as values of this format; null: as elements and their scales.
    const Format* dequantized = nullptr;
    Matmul matmul; ///< of the operands, as they lie

    [[nodiscard]] MatmulShape shape(const recipe::LayerSizes& sizes) const;
};

/// The product of other operands, with the c, output, accumulator and order of a layer. Throws std::invalid_argument if
/// the accumulator does not take them.
[[nodiscard]] Matmul matmul_of(const Operation& linear, const recipe::LayerProduct& operands);

/// An operation of that name, with names resolved. Throws std::invalid_argument for an unknown or impossible one.
[[nodiscard]] Quantize as_quantize(const Operation& operation);
[[nodiscard]] Quantize2d as_quantize_2d(const Operation& operation);
[[nodiscard]] Dequantize as_dequantize(const Operation& operation);
[[nodiscard]] QuantizeFloat as_quantize_float(const Operation& operation);
[[nodiscard]] DequantizeFloat as_dequantize_float(const Operation& operation);
[[nodiscard]] QuantizeNvfp4 as_quantize_nvfp4(const Operation& operation);
[[nodiscard]] DequantizeNvfp4 as_dequantize_nvfp4(const Operation& operation);
[[nodiscard]] HadamardTransform as_hadamard(const Operation& operation);
/// The operation "partial_cast": a part of a weight to its elements by given scales, into the buffer of all of them.
[[nodiscard]] recipe::PartialCast as_partial_cast(const Operation& operation);
[[nodiscard]] Layout as_layout(const Operation& operation);
[[nodiscard]] Matmul as_matmul(const Operation& operation);
[[nodiscard]] ScaledMatmul as_scaled_matmul(const Operation& operation);
[[nodiscard]] Linear as_linear(const Operation& operation);
[[nodiscard]] Stochastic as_stochastic(const Operation& operation);
/// The operation "scaling": the amaxes of a tensor, step by step, to the scales that each step is quantized with. Each
/// run starts over.
[[nodiscard]] const recipe::TensorRecipe& as_scaling(const Operation& operation);

} // namespace mxcert

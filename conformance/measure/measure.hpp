// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "conformance/measure/quality.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "reference/block_shape.hpp"
#include "reference/choices.hpp"
#include "reference/format.hpp"
#include "reference/recipe/nvfp4.hpp"
#include "reference/recipe/percentile.hpp"

// How good a quantization of a tensor is, and what it takes. The tensor is a matrix: its last axis are the columns, and
// blocks lie along it.
namespace mxcert::measure {

using tensors::shape_text;
using tensors::TensorFile;
using tensors::TensorInfo;
using tensors::values_of;

/// Which values share a scale, and of what kind it is.
enum class ScaleKind : std::uint8_t {
    block,      ///< E8M0 for each block, by a scale rule
    absmax,     ///< FP32 for each block, from its amax
    tile,       ///< FP32 for each tile of as many rows as columns, from its amax
    row,        ///< FP32 for each row, a channel of weights, from its amax
    tensor,     ///< one FP32 for the tensor, from its amax
    percentile, ///< one FP32 for the tensor, from a percentile of its magnitudes
    nvfp4,      ///< E4M3 for each block and FP32 for the tensor, by a recipe
    plain,      ///< none: the values are converted as they are
};

/// A way to quantize.
struct Method {
    const Format* element = nullptr; ///< that of an MX format
    ScaleKind kind = ScaleKind::block;
    ScaleRule rule = ScaleRule::none;                   ///< of E8M0
    std::uint32_t block = 0;                            ///< values of a block, or a side of a tile; 0: neither
    const recipe::Nvfp4Preset* recipe = nullptr;        ///< of nvfp4
    const recipe::ElementRecipe* of_elements = nullptr; ///< of percentile
    [[nodiscard]] std::string_view scale() const;       ///< as --rule has it: the rule, "tensor", "te_nvfp4"
    [[nodiscard]] BlockShape shape() const;             ///< the values that share a scale; of plain all
};
inline constexpr std::uint32_t max_block = 1024;
/// Each takes some 200 KiB of memory for its sums.
inline constexpr std::size_t max_methods = 256;

/// "e4m3 rceil 32".
[[nodiscard]] std::string to_string(const Method& method);

/// The names that --rule takes: the scale rules, "absmax", "tile", "row", "tensor" and "plain", the recipes of NVFP4,
/// and those with a percentile of a tensor's elements that remember no earlier tensor.
[[nodiscard]] std::vector<std::string_view> scale_names();

/// Every combination, in the order of elements, scales and blocks; what has no blocks of a chosen size stands once, and
/// NVFP4, whose elements are E2M1, once in all. Throws
/// std::invalid_argument for an unknown name, a block that is none, what stands twice, and more than max_methods.
[[nodiscard]] std::vector<Method> methods_of(const std::vector<std::string>& elements,
                                             const std::vector<std::string>& scales,
                                             const std::vector<std::uint32_t>& blocks);

/// What a tensor holds.
struct TensorSummary {
    std::uint64_t values = 0;
    std::uint64_t nans = 0;
    std::uint64_t infs = 0;
    std::uint64_t zeros = 0;
    double amax = 0;  ///< largest magnitude of the finite values
    double least = 0; ///< smallest magnitude of those that are not zero; 0: there are none
};

/// A value, and what a method makes of it.
struct EachValue {
    double value = 0;
    Code element = 0;
    double scale = 0; ///< by which the element is multiplied, that of the tensor in it
    double quantized = 0;
};
/// Tensors of more values are not listed one by one.
inline constexpr std::uint64_t most_listed = 64;

/// The figures of a tensor.
struct Measurement {
    TensorSummary tensor;
    std::vector<Quality> qualities; ///< one for each method
    /// One list for each method, in the order of the tensor; empty if it has more than most_listed values.
    std::vector<std::vector<EachValue>> each;
};

/// The most values that are in memory at a time.
inline constexpr std::size_t default_piece = std::size_t{1} << 20;

/// Measures a tensor in passes over its file: the first finds its amax, two more the percentiles if there are any, and
/// the last one goes over it in pieces of whole blocks, once for each size of tiles and once for all other methods.
/// Every term of a sum is rounded once to binary64, the sums are exact and rounded at the end: the figures do not
/// depend on `piece`, which is the most values in memory. Throws what TensorFile::read() and percentiles_of() do, and
/// std::invalid_argument where a row is longer than a piece and no piece ends with a block of every method.
[[nodiscard]] Measurement measure(const TensorFile& file, const std::vector<Method>& methods,
                                  std::size_t piece = default_piece);

/// Bytes of a quantized tensor.
struct TensorBytes {
    std::uint64_t codes = 0;
    std::uint64_t scales = 0;
    std::uint64_t padded_scales = 0; ///< [rows, blocks] in multiples of [128, 4]
    /// For both orientations, blocks along the rows and blocks along the columns: twice the codes, and both scales,
    /// those along the columns, [blocks, columns], in multiples of [4, 128]. Tiles have the same scales in both.
    std::uint64_t both_codes = 0;
    std::uint64_t both_scales = 0;
    std::uint64_t both_padded_scales = 0;
};
[[nodiscard]] TensorBytes bytes_of_tensor(const std::vector<std::uint64_t>& shape, const Method& method);

/// A table for people: rows of cells, the heading first.
using Rows = std::vector<std::vector<std::string>>;

/// "fp32 4096x1024, 4,194,304 values, magnitudes ...".
[[nodiscard]] std::string tensor_text(const TensorInfo& info, const Measurement& measurement);
/// A row for each method: errors, SQNR, cosine, and what was clipped and flushed.
[[nodiscard]] Rows quality_rows(const std::vector<Method>& methods, const Measurement& measurement);
/// A row for each kind of scale and size of block: its bytes.
[[nodiscard]] Rows bytes_rows(const std::vector<std::uint64_t>& shape, const std::vector<Method>& methods);
/// "4096x1024 4,194,304 values, 16,777,216 bytes as FP32".
[[nodiscard]] std::string shape_sentence(const std::vector<std::uint64_t>& shape);

/// As the command prints it. `name` is that of the tensor.
[[nodiscard]] std::string measure_text(const std::string& name, const TensorInfo& info,
                                       const std::vector<Method>& methods, const Measurement& measurement);
/// Each value with its element and scale, and what it becomes, by every method. Precondition: they are listed.
[[nodiscard]] std::string each_text(const std::vector<Method>& methods, const Measurement& measurement);
/// The table of bytes: a row for each kind of scale and size of block.
[[nodiscard]] std::string bytes_text(const std::vector<std::uint64_t>& shape, const std::vector<Method>& methods);

/// The same as JSON. `info` without a format and `measurement` null: bytes alone.
[[nodiscard]] nlohmann::ordered_json measure_json(const std::string& name, const TensorInfo& info,
                                                  const std::vector<Method>& methods, const Measurement* measurement);

/// A plot of the relative error in each binade: mean and largest, a colour for each method.
[[nodiscard]] std::string measure_plot(const std::string& name, const std::vector<Method>& methods,
                                       const Measurement& measurement);

} // namespace mxcert::measure

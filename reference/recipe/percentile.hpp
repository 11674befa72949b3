// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/clause.hpp"
#include "reference/recipe/tensor_scaling.hpp"

// Scaling of a tensor by a percentile of its own elements instead of its amax: x.abs().quantile(0.9999). What lies
// above the percentile saturates. The percentile of a *history* of amaxes is another thing (history.hpp).
namespace mxcert::recipe {

/// Where the position of the percentile among n magnitudes in ascending order, rank x (n - 1), is computed.
enum class Position : std::uint8_t {
    exact,
    fp32, ///< the rank is rounded to binary32, and the product again. torch.quantile and np.quantile of binary32
};

/// What lies between the neighbours a <= b of a position with the rest w. Each operation of binary32 is rounded.
enum class Between : std::uint8_t {
    from_below,      ///< a + w (b - a); w = 0 gives a itself
    nearer_end,      ///< that where w < 1/2, else b - (b - a) (1 - w). torch.lerp as written, np.quantile
    nearer_end_fused ///< the same with its product and sum rounded once. torch.lerp of vectors, and compiled to fma
};

/// No tensor has more elements: binary32 has their positions no longer, and torch.quantile refuses it.
inline constexpr std::size_t most_elements = std::size_t{1} << 24;

/// Which number stands for the magnitudes of a tensor.
struct Percentile {
    Rank rank; ///< 0 to 1, the denominator at most most_elements
    Position position = Position::fp32;
    Between between = Between::nearer_end;
    NanEntries nan_entries = NanEntries::propagated; ///< left_out is torch.nanquantile

    friend bool operator==(const Percentile&, const Percentile&) = default;
};

/// What percentile_of() of both arithmetics refuses by std::invalid_argument: a rank out of its range, another format
/// of values than fp32, bf16 and fp16, and no element or more than most_elements.
void check(const Percentile& percentile, const Format& value, std::size_t count);

/// Scaling by a percentile of the elements, by a name: the scale follows from the percentile as from an amax, in a
/// state machine that may remember earlier ones.
struct ElementRecipe {
    std::string_view name;
    Percentile percentile;
    TensorScaling choices;
    Grade grade;
    std::string_view source;
};

[[nodiscard]] std::span<const ElementRecipe> element_recipes();

/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const ElementRecipe& element_recipe(std::string_view name);

/// One quantized tensor.
struct ElementStep {
    Code amax = 0; ///< the percentile
    Scales scales;
    std::vector<Code> elements; ///< of value x inverse scale, saturated

    friend bool operator==(const ElementStep&, const ElementStep&) = default;
};

[[nodiscard]] std::string_view to_string(Position value);
[[nodiscard]] std::string_view to_string(Between value);
/// Every choice by its name and value, those of the percentile first.
[[nodiscard]] std::string describe(const ElementRecipe& recipe);

} // namespace mxcert::recipe

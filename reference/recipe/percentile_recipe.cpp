// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reference/base/near_names.hpp"
#include "reference/recipe/percentile.hpp"

namespace mxcert::recipe {
namespace {

/// Current scaling: largest / percentile.
constexpr TensorScaling current() {
    TensorScaling choices;
    choices.scaling.on_nan = choices.scaling.on_inf = choices.scaling.on_zero = Unusable::keep;
    choices.reading.nan_entries = NanEntries::propagated;
    return choices;
}

/// The largest of the percentiles of the last four tensors, without the one that is quantized.
constexpr TensorScaling delayed() {
    TensorScaling choices = current();
    choices.length = 4;
    choices.sees = Sees::earlier;
    return choices;
}

constexpr Rank most{9999, 10000};
constexpr std::string_view torch = "PyTorch 002b4ce, aten/src/ATen/native/Sorting.cpp, quantile_impl, and Lerp.h; "
                                   "NumPy 2.4.6 gives the same (run); what "
                                   "Inf and zero give is our choice";
constexpr std::string_view vectorized =
    "the same with PyTorch 057c08f, aten/src/ATen/native/cpu/LerpKernel.cpp, lerp_vec";
constexpr std::string_view ours = "descriptions of FP8 training; the arithmetic is our choice";

constexpr std::array recipes{
    ElementRecipe{"element_percentile_9999", {most}, current(), Grade::primary, torch},
    ElementRecipe{"element_percentile_99_fused",
                  {{99, 100}, Position::fp32, Between::nearer_end_fused},
                  current(),
                  Grade::primary,
                  vectorized},
    ElementRecipe{"element_percentile_9999_exact",
                  {most, Position::exact, Between::from_below},
                  current(),
                  Grade::secondary,
                  ours},
    ElementRecipe{"element_percentile_99", {{99, 100}}, current(), Grade::primary, torch},
    ElementRecipe{"element_percentile_99_without_nan",
                  {{99, 100}, Position::fp32, Between::nearer_end, NanEntries::left_out},
                  current(),
                  Grade::primary,
                  torch},
    ElementRecipe{"element_percentile_99_maximum_4", {{99, 100}}, delayed(), Grade::secondary, ours},
    ElementRecipe{"element_percentile_three_quarters", {{3, 4}}, current(), Grade::primary, torch},
};

} // namespace

std::span<const ElementRecipe> element_recipes() { return recipes; }

const ElementRecipe& element_recipe(std::string_view name) { return find_named("recipe", name, recipes); }

} // namespace mxcert::recipe

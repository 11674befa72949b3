// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reference/recipe/tensor_scaling.hpp"

namespace mxcert::recipe {

/// Scaling of one tensor by a name: a preset, or a preset of which one thing is another, such as a short history. The
/// names are those of the operation "scaling" and of the golden traces.
struct TensorRecipe {
    std::string name;        ///< "te_delayed_4_margin_1"
    std::string_view preset; ///< "te_delayed": the preset it is made from
    TensorScaling choices;
};

[[nodiscard]] std::span<const TensorRecipe> tensor_recipes();

/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const TensorRecipe& tensor_recipe(std::string_view name);

} // namespace mxcert::recipe

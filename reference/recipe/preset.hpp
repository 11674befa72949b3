// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "reference/clause.hpp"
#include "reference/recipe/tensor_scaling.hpp"

namespace mxcert::recipe {

/// A recipe of scaling per tensor that somebody uses: the choices for the tensors of the forward pass, and for the
/// gradients of the backward pass.
struct TensorPreset {
    std::string_view name;
    TensorScaling forward;
    TensorScaling backward;
    Grade grade;
    std::string_view source;
};

[[nodiscard]] std::span<const TensorPreset> tensor_presets();

/// Throws std::invalid_argument that lists the names there are.
[[nodiscard]] const TensorPreset& tensor_preset(std::string_view name);

} // namespace mxcert::recipe

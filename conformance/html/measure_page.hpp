// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/measure/measure_model.hpp"

namespace mxcert::html {

/// The figures of a tensor as a page, with the plot of the error against the magnitude. `name` is that of the tensor.
[[nodiscard]] std::string measure_page(const std::string& name, const measure::TensorInfo& info,
                                       const std::vector<measure::Method>& methods,
                                       const measure::Measurement& measurement);

/// The figures of the tensors of a model as a page.
[[nodiscard]] std::string model_page(const std::string& name, const std::vector<measure::Method>& methods,
                                     const measure::Model& model);

/// The bytes of a tensor of this shape as a page.
[[nodiscard]] std::string bytes_page(const std::vector<std::uint64_t>& shape,
                                     const std::vector<measure::Method>& methods);

} // namespace mxcert::html

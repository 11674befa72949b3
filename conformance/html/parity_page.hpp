// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conformance/html/diff_page.hpp"
#include "conformance/parity/comparison.hpp"
#include "conformance/parity/tensor_cost.hpp"

namespace mxcert::html {

/// The result of `parity` as a page. `costs`: of each pair, if a tensor was quantized; `exit_code`: that of the
/// command; `most`: ranges and blocks that are listed of a part.
[[nodiscard]] std::string parity_page(const std::vector<parity::Parity>& all,
                                      const std::vector<std::optional<parity::TensorCost>>& costs, const DiffSide& a,
                                      const DiffSide& b, const parity::ParityOptions& options, int exit_code,
                                      std::size_t most);

} // namespace mxcert::html

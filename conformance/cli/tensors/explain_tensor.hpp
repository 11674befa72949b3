// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/explain/explain_block.hpp"
#include "reference/block_shape.hpp"

namespace mxcert::cli {

/// An element of a tensor in a file: "weights.npy:12,34", its row and column.
struct ElementPlace {
    std::string path;
    Place place;
};
/// Nothing if the text is none.
[[nodiscard]] std::optional<ElementPlace> parse_element_place(const std::string& text);

/// Sets the values, their format, the place and the lane of a question to the block of an element. The tensor counts as
/// one matrix, whose columns are its last axis. Throws what TensorFile throws, and std::invalid_argument for a place
/// outside of it.
void take_block(explain::BlockQuestion& question, const ElementPlace& element, const TensorInput& input, Axis axis,
                unsigned block);

} // namespace mxcert::cli

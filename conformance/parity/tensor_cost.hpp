// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/measure/quality.hpp"
#include "conformance/parity/comparison.hpp"
#include "conformance/parity/pipeline.hpp"
#include "conformance/tensors/tensor_file.hpp"

namespace mxcert::parity {

/// What two pipelines make of a tensor, and what the difference costs. Values are those of the file behind an
/// activation that both have; what a pipeline gives is its element times its scale, in binary64.
struct TensorCost {
    std::vector<std::uint64_t> shape;
    Status status = Status::untested;
    std::string reason;
    measure::Quality a;
    measure::Quality b;
    measure::Quality between; ///< the signal is that of the tensor, the noise the difference of both
    std::uint64_t values = 0;
    std::uint64_t differing_elements = 0;
    std::uint64_t differing_values = 0; ///< element times scale
    std::uint64_t scales = 0;           ///< of A
    std::uint64_t differing_scales = 0;
    bool same_scales = true; ///< both have scales in the same places; else they are not compared
};

/// Quantizes a tensor with both. The last size of its shape is the length of a row. Throws std::runtime_error if the
/// file cannot be read.
[[nodiscard]] TensorCost cost_of(const Pipeline& a, const Pipeline& b, const tensors::TensorFile& file,
                                 const ParityOptions& options);

} // namespace mxcert::parity

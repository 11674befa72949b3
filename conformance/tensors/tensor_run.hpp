// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/print/progress.hpp"

// What the commands on whole tensors share: how they run, and the names of a quantized tensor's parts.
namespace mxcert::tensors {

/// How a run is done.
struct TensorRun {
    unsigned threads = 0; ///< 0: one a core
    print::Progress* progress = nullptr;
    std::uint64_t most_values = std::uint64_t{1} << 20; ///< of a piece in memory
};

/// The names of the tensors of a quantized one.
inline constexpr const char* elements_name = "elements";
inline constexpr const char* scales_name = "scales";
inline constexpr const char* tensor_scale_name = "tensor_scale"; ///< of NVFP4: the decode scale

} // namespace mxcert::tensors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "conformance/backends/kernels/runtime.h"

namespace mxcert::test {

/// What a kernel of tensor cores does, but for the instruction: its lanes hold what they hold, and the products are
/// those of the accumulator that the instruction of this architecture is claimed to have. False: it has no such
/// instruction, or the group is none of 128 lanes.
[[nodiscard]] bool multiply_tiles(const std::string& kernel, const std::string& architecture,
                                  const std::uint32_t* groups, const std::uint32_t* group, void* const* buffers,
                                  const parameters& p);

} // namespace mxcert::test

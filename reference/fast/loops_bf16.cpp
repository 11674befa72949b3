// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/loops.hpp"

namespace mxcert::fast {

const std::array<std::array<Loop, 4>, 3> loops_from_bf16 = narrow_loops<formats::bf16>();

} // namespace mxcert::fast

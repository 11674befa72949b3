// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/loops.hpp"

namespace mxcert::fast {

const std::array<std::array<Loop, 4>, 3> loops_from_8_bits = {
    widen_loops<formats::e4m3>(), widen_loops<formats::e5m2>(), widen_loops<formats::e8m0>()};

} // namespace mxcert::fast

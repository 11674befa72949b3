// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/sweep.hpp"

namespace mxcert::observe {

std::uint64_t SweepPart::inputs() const {
    std::uint64_t sum = 0;
    for (const inputs::CodeRange& range : ranges) sum += range.last - range.first + 1;
    return sum;
}

} // namespace mxcert::observe

// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/differences.hpp"

#include <algorithm>
#include <utility>

namespace mxcert::parity {

bool Differences::are_neighbours(Code low, Code high) const {
    if (high - low <= 1) return true;
    const auto at = std::lower_bound(asked_.begin(), asked_.end(), low);
    return at != asked_.end() && *at == low && at + 1 != asked_.end() && *(at + 1) == high;
}

void Differences::fill(Part& part) {
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    const Seen* before = nullptr;
    for (const Seen& seen : all_) {
        const bool same_place = before != nullptr && before->tensor == seen.tensor && before->scale == seen.scale;
        // One input with several answers counts once.
        const bool is_new = !same_place || before->input != seen.input;
        if (is_new) ++part.differing;
        if (same_place && before->a == seen.a && before->b == seen.b && are_neighbours(before->input, seen.input)) {
            part.ranges.back().last = seen.input;
            part.ranges.back().inputs += is_new ? 1 : 0;
        } else {
            part.ranges.push_back({seen.tensor, seen.scale, seen.input, seen.input, seen.a, seen.b, 1});
        }
        before = &seen;
    }
}

} // namespace mxcert::parity

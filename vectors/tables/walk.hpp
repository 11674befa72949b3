// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reference/format.hpp"

namespace mxcert {

/// Walks two partitions of the same inputs in steps and hands over each piece on which both are constant: its first and
/// last input, and the steps that have it.
template <class A, class B, class Use> void walk(const std::vector<A>& a, const std::vector<B>& b, Use use) {
    // Both end at the last input.
    for (std::size_t i = 0, j = 0; i < a.size();) {
        use(std::max(a[i].first, b[j].first), std::min(a[i].last, b[j].last), a[i], b[j]);
        const Code end = std::min(a[i].last, b[j].last);
        if (a[i].last == end) ++i;
        if (b[j].last == end) ++j;
    }
}

} // namespace mxcert

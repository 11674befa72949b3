// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/input_ranges.hpp"

#include <algorithm>

namespace mxcert {

void append(InputRanges& ranges, InputRange range) {
    if (!ranges.empty() && ranges.back().last + 1 == range.first)
        ranges.back().last = range.last;
    else
        ranges.push_back(range);
}

std::uint64_t count_inputs(const InputRanges& ranges) {
    std::uint64_t count = 0;
    for (const InputRange& range : ranges) count += range.last - range.first + 1;
    return count;
}

InputRanges intersection(const InputRanges& a, const InputRanges& b) {
    InputRanges both;
    auto at = b.begin();
    for (const InputRange& range : a) {
        while (at != b.end() && at->last < range.first) ++at;
        for (auto i = at; i != b.end() && i->first <= range.last; ++i)
            append(both, {std::max(range.first, i->first), std::min(range.last, i->last)});
    }
    return both;
}

InputRanges united(const InputRanges& a, const InputRanges& b) {
    InputRanges all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::sort(all.begin(), all.end(), [](const InputRange& x, const InputRange& y) { return x.first < y.first; });
    InputRanges ranges;
    for (const InputRange& range : all) {
        if (ranges.empty() || range.first > ranges.back().last)
            append(ranges, range);
        else
            ranges.back().last = std::max(ranges.back().last, range.last);
    }
    return ranges;
}

} // namespace mxcert

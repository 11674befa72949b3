// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/step_parts.hpp"

#include <algorithm>

namespace mxcert {

InputRanges where(const std::vector<Step>& a, const std::vector<Step>& b, bool same) {
    InputRanges ranges;
    auto at = b.begin();
    for (const Step& step : a) {
        while (at != b.end() && at->last < step.first) ++at;
        for (auto i = at; i != b.end() && i->first <= step.last; ++i)
            if ((i->code == step.code) == same)
                append(ranges, {std::max(step.first, i->first), std::min(step.last, i->last)});
    }
    return ranges;
}

std::vector<Step> without(const std::vector<Step>& steps, const InputRanges& ranges) {
    std::vector<Step> left;
    auto at = ranges.begin();
    for (Step step : steps) {
        while (at != ranges.end() && at->last < step.first) ++at;
        bool gone = false;
        for (auto i = at; i != ranges.end() && i->first <= step.last; ++i) {
            if (i->first > step.first) left.push_back({step.first, i->first - 1, step.code});
            gone = i->last >= step.last;
            if (gone) break;
            step.first = i->last + 1;
        }
        if (!gone) left.push_back(step);
    }
    return left;
}

std::vector<Step> overlaid(const std::vector<Step>& steps, const std::vector<Step>& over, const InputRanges& ranges) {
    std::vector<Step> all = without(steps, ranges);
    auto at = ranges.begin();
    for (const Step& step : over) {
        while (at != ranges.end() && at->last < step.first) ++at;
        for (auto i = at; i != ranges.end() && i->first <= step.last; ++i)
            all.push_back({std::max(step.first, i->first), std::min(step.last, i->last), step.code});
    }
    std::sort(all.begin(), all.end(), [](const Step& x, const Step& y) { return x.first < y.first; });
    return all;
}

} // namespace mxcert

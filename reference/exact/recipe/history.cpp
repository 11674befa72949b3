// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/history.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "reference/code_text.hpp"
#include "reference/exact/arithmetic.hpp"
#include "reference/recipe/float_scale.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;
using recipe::Rank;
using recipe::Statistic;
using recipe::unity;

Code moving_average(Code weight, std::span<const Code> entries) {
    Code result = entries.front();
    for (const Code amax : entries.subspan(1)) result = mixed(weight, result, amax);
    return result;
}

/// Of amaxes in ascending order. Bit patterns without sign have the order of their values.
Code nearest_rank(const Rank& rank, std::span<const Code> sorted) {
    const Integer position = Integer(rank.numerator) * sorted.size();
    const Integer place = (position + rank.denominator - 1) / rank.denominator;
    return sorted[place == 0 ? 0 : static_cast<std::size_t>(place - 1)];
}

Code linear_rank(const Rank& rank, std::span<const Code> sorted) {
    const Integer position = Integer(rank.numerator) * (sorted.size() - 1);
    const auto lower = static_cast<std::size_t>(position / rank.denominator);
    const Rational rest(Integer(position % rank.denominator), Integer(rank.denominator));
    if (rest == 0) return sorted[lower];
    const Code a = sorted[lower];
    const Code difference = add(fp32, sorted[lower + 1], a | fp32.sign_bit());
    return add(fp32, a, multiply(fp32, nearest(fp32, false, rest), difference));
}

} // namespace

Code mixed(Code weight, Code average, Code amax) {
    if (weight > unity)
        throw std::invalid_argument("the weight of an average is 0 to 1, not " + code_text(fp32, weight));
    const Code rest = add(fp32, unity, weight | fp32.sign_bit());
    return add(fp32, multiply(fp32, weight, average), multiply(fp32, rest, amax));
}

Code statistic_of(const recipe::Reading& reading, std::span<const Code> history) {
    check(reading);
    std::vector<Code> entries(history.begin(), history.end());
    const auto is_nan = [](Code code) { return fp32.is_nan(code); };
    if (reading.nan_entries == recipe::NanEntries::left_out)
        entries.erase(std::remove_if(entries.begin(), entries.end(), is_nan), entries.end());
    if (entries.empty()) return 0;
    if (reading.statistic == Statistic::most_recent) return entries.back();
    if (std::any_of(entries.begin(), entries.end(), is_nan)) return quiet_nan(fp32);
    switch (reading.statistic) {
    case Statistic::maximum: return *std::max_element(entries.begin(), entries.end());
    case Statistic::moving_average: return moving_average(reading.weight, entries);
    case Statistic::nearest_rank: std::sort(entries.begin(), entries.end()); return nearest_rank(reading.rank, entries);
    case Statistic::linear_rank: std::sort(entries.begin(), entries.end()); return linear_rank(reading.rank, entries);
    default: throw std::invalid_argument("a running average is no function of the history");
    }
}

} // namespace mxcert::exact

// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/history.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/number.hpp"
#include "reference/recipe/scale.hpp"

namespace mxcert::recipe {
namespace {

using exact::Integer;
using exact::Rational;
using formats::fp32;

void check(const Reading& reading) {
    if (reading.rank.denominator == 0 || reading.rank.numerator > reading.rank.denominator)
        throw std::invalid_argument("a percentile is a number from 0 to 1");
}

Code average(Code weight, std::span<const Code> entries) {
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
    const auto below = static_cast<std::size_t>(position / rank.denominator);
    const Rational rest(Integer(position % rank.denominator), Integer(rank.denominator));
    if (rest == 0) return sorted[below];
    const Code a = sorted[below];
    const Code difference = exact::add(fp32, sorted[below + 1], a | fp32.sign_bit());
    return exact::add(fp32, a, exact::multiply(fp32, exact::nearest(fp32, false, rest), difference));
}

constexpr std::array<std::string_view, 6> statistic_names{"maximum",         "most_recent",  "moving_average",
                                                          "running_average", "nearest_rank", "linear_rank"};
constexpr std::array<std::string_view, 2> nan_names{"left_out", "propagated"};

} // namespace

Code mixed(Code weight, Code average, Code amax) {
    if (weight > unity)
        throw std::invalid_argument("the weight of an average is 0 to 1, not " + code_text(fp32, weight));
    const Code rest = exact::add(fp32, unity, weight | fp32.sign_bit());
    return exact::add(fp32, exact::multiply(fp32, weight, average), exact::multiply(fp32, rest, amax));
}

Code statistic_of(const Reading& reading, std::span<const Code> history) {
    check(reading);
    std::vector<Code> entries(history.begin(), history.end());
    const auto is_nan = [](Code code) { return fp32.is_nan(code); };
    if (reading.nan_entries == NanEntries::left_out)
        entries.erase(std::remove_if(entries.begin(), entries.end(), is_nan), entries.end());
    if (entries.empty()) return 0;
    if (reading.statistic == Statistic::most_recent) return entries.back();
    if (std::any_of(entries.begin(), entries.end(), is_nan)) return exact::quiet_nan(fp32);
    switch (reading.statistic) {
    case Statistic::maximum: return *std::max_element(entries.begin(), entries.end());
    case Statistic::moving_average: return average(reading.weight, entries);
    case Statistic::nearest_rank: std::sort(entries.begin(), entries.end()); return nearest_rank(reading.rank, entries);
    case Statistic::linear_rank: std::sort(entries.begin(), entries.end()); return linear_rank(reading.rank, entries);
    default: throw std::invalid_argument("a running average is no function of the history");
    }
}

std::string_view to_string(Statistic value) { return statistic_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(NanEntries value) { return nan_names.at(static_cast<std::size_t>(value)); }

} // namespace mxcert::recipe

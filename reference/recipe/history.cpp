// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/history.hpp"

#include <array>
#include <stdexcept>

namespace mxcert::recipe {
namespace {

constexpr std::array<std::string_view, 6> statistic_names{"maximum",         "most_recent",  "moving_average",
                                                          "running_average", "nearest_rank", "linear_rank"};
constexpr std::array<std::string_view, 2> nan_names{"left_out", "propagated"};

} // namespace

void check(const Reading& reading) {
    if (reading.rank.denominator == 0 || reading.rank.numerator > reading.rank.denominator)
        throw std::invalid_argument("a percentile is a number from 0 to 1");
}

std::string_view to_string(Statistic value) { return statistic_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(NanEntries value) { return nan_names.at(static_cast<std::size_t>(value)); }

} // namespace mxcert::recipe

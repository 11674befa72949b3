// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/format.hpp"

// One amax out of the amaxes of several steps.
namespace mxcert::recipe {

/// Which number stands for the history.
enum class Statistic : std::uint8_t {
    maximum,
    most_recent,
    moving_average,  ///< of the history: it starts at the oldest amax, and each later one is mixed in
    running_average, ///< of all steps: it is a number of the state, and the history is not read
    nearest_rank,    ///< a percentile: the amax of rank ceil(rank x n), at least 1, of the n in ascending order
    linear_rank,     ///< a percentile: between the two amaxes next to the position rank x (n - 1)
};

/// What a NaN in the history does.
enum class NanEntries : std::uint8_t {
    left_out,   ///< it counts as not there. fmaxf of Transformer Engine
    propagated, ///< the statistic is NaN if it reads a NaN. torch.max of torchao
};

/// A percentile as an exact number, 0 to 1.
struct Rank {
    unsigned numerator = 9999;
    unsigned denominator = 10000;

    friend bool operator==(const Rank&, const Rank&) = default;
};

/// How the history is read.
struct Reading {
    Statistic statistic = Statistic::maximum;
    NanEntries nan_entries = NanEntries::left_out;
    Code weight = 0x3F666666; ///< of an average: binary32, 0 to 1, what the average so far counts; 0.9
    Rank rank;                ///< of a percentile

    friend bool operator==(const Reading&, const Reading&) = default;
};

/// Throws std::invalid_argument if the rank is not in 0 to 1. A weight is looked at where it is used.
void check(const Reading& reading);

[[nodiscard]] std::string_view to_string(Statistic value);
[[nodiscard]] std::string_view to_string(NanEntries value);

} // namespace mxcert::recipe

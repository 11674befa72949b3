// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "conformance/frames/frames.hpp"

namespace mxcert::worker {

/// Writes the codes first, first+1, ... , `count` of them, in the byte order of the machine. `width` is 1, 2, 4 or 8;
/// `to` is aligned to it. Codes wrap at the width; the caller has checked that they do not.
void fill_range(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width);

/// The most values that fill_interleaved() writes behind those that are asked for.
inline constexpr std::uint64_t interleaved_slack = frames::most_streams;

/// Writes the codes of streams from position `first` on, `count` of them, as fill_range() does. Up to interleaved_slack
/// values behind them are written too. Each stream's first code plus its length fits the width.
void fill_interleaved(std::byte* to, const frames::Interleaved& streams, std::uint64_t first, std::uint64_t count,
                      unsigned width);

} // namespace mxcert::worker

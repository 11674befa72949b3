// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "conformance/frames/frames.hpp"

// The arrays of a run in the memory of a worker: each with guard zones right before and right after it.
namespace mxcert::frames {

/// Gives each array of a run its offset: one after the other from `base` on, moved up by `shift`, a multiple of
/// frames::array_alignment. Returns the first offset that is free.
[[nodiscard]] std::uint64_t place_arrays(frames::RunRequest& request, std::uint64_t base, std::uint64_t shift);

/// Fills the outputs with the poison of the request, and the guard zones of all arrays.
void prepare_arrays(std::span<std::byte> memory, const frames::RunRequest& request);

/// What shows that something was written beside an array: "wrote outside its output 1"; "" if nothing was. Whether the
/// inputs are as they were is for those to see who know them.
[[nodiscard]] std::string damage_of_arrays(std::span<const std::byte> memory, const frames::RunRequest& request);

} // namespace mxcert::frames

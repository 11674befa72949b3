// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxcert::worker {

/// Writes the codes first, first+1, ... , `count` of them, in the byte order of the machine. `width` is 1, 2, 4 or 8;
/// `to` is aligned to it. Codes wrap at the width; the caller has checked that they do not.
void fill_range(std::byte* to, std::uint64_t first, std::uint64_t count, unsigned width);

} // namespace mxcert::worker

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "conformance/fuzz/fuzz_case.hpp"

namespace mxcert::fuzz {

/// Whether a case still shows the failure that is shrunk.
using FuzzFails = std::function<bool(const FuzzCase&)>;

/// A failing case made as small as it gets: one value alone, by `suspect` first, if that fails; else as few values as
/// still fail, in their order; then without cut and alignment of its own; then with the roundest inputs: the fewest
/// bits of the fraction set, next to a power of two. `attempts`: how often `fails` may be called.
[[nodiscard]] FuzzCase shrink_case(const FuzzCase& failing, std::size_t suspect, const FuzzFails& fails,
                                   unsigned attempts);

} // namespace mxcert::fuzz

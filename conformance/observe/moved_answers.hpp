// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::observe {

/// A value that has the answer of another place of its call.
struct MovedAnswer {
    std::uint64_t place = 0;  ///< its own, in its call
    std::uint64_t length = 0; ///< values of the call
    std::int64_t shift = 0;   ///< to the nearest place whose answer it has
    std::uint64_t source = 0; ///< the first place of the call whose answer it has
};

/// What puts answers in these places, of `count` values that were looked at; nothing if they have no pattern that is
/// known, or are too few to show one. `what` is in the wrong place: "answer", or what the answer shows.
[[nodiscard]] std::optional<KnownFault> name_moved(std::span<const MovedAnswer> moved, std::uint64_t count,
                                                   std::string_view what = "answer");

/// Whether answers of a conversion to flags that change from call to call are wrong by flags too many alone: those that
/// an earlier value raised and nobody cleared. Nothing if a flag is missing anywhere, or nothing is wrong.
[[nodiscard]] std::optional<KnownFault> name_left_flags(const std::vector<Step>& steps, const PermitTable& expected);

} // namespace mxcert::observe

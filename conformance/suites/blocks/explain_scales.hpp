// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/suites/blocks/judge.hpp"

namespace mxcert::suites {

/// A fault of some lanes, whatever the backend does with their values.
inline constexpr std::string_view amax_of_lanes = "the same amax gives another scale in another lane";

/// Why scales are wrong that are no function of the amax.
struct WrongScales {
    std::vector<KnownFault> known_as;
    /// "0x0485FCCF gives a permitted scale in 31 of 32 lanes", of the first wrong amax; "" if it does in none.
    std::string elsewhere;
};

/// Asks for the scales of these amaxes again, in the lanes where they stood (`number` as that of scale_case()), and
/// looks for a known way to join values to blocks that gives every answer. If there is none and some lanes have wrong
/// scales alone and most have none, it is a fault of lanes if the first wrong amax is right in another lane. Empty
/// where nothing is known or the backend refuses.
[[nodiscard]] WrongScales explain_scales(observe::Subject& subject, const Operation& operation,
                                         const QuantizeRules& rules, unsigned block, std::span<const Code> amaxes,
                                         std::uint64_t number);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/choices.hpp"
#include "reference/format.hpp"

namespace mxcert {

/// One conversion as a backend offers it and a command names it: from, to, rounding or scale rule, overflow, random
/// bits. The other choices are not part of its name; they are what a certificate finds out or a profile permits.
struct Conversion {
    const Format* from = nullptr; ///< points into all_formats()
    const Format* to = nullptr;
    Rounding rounding = Rounding::nearest_even;
    Overflow overflow = Overflow::nosat;
    unsigned random_bits = 0;         ///< stochastic roundings only: 1 to 32
    ScaleRule rule = ScaleRule::none; ///< in the place of the rounding, for an amax to the scale of its block

    friend bool operator==(const Conversion&, const Conversion&) = default;
};

/// "fp32-e4m3-nearest_even-sat"; stochastic: "fp32-e4m3-stochastic_a8-sat"; an amax to a scale:
/// "amax_fp32-e8m0_for_e4m3-rceil-sat". Used for rows of reports, files and --filter.
[[nodiscard]] std::string to_string(const Conversion& conversion);

/// The reverse; rounding_name() is asked too. Throws std::invalid_argument that says which part is wrong.
[[nodiscard]] Conversion parse_conversion(std::string_view text);

/// From the names a backend gives. Throws std::invalid_argument that says which is unknown or does not fit.
[[nodiscard]] Conversion make_conversion(std::string_view source, std::string_view target, std::string_view rounding,
                                         std::string_view overflow, unsigned random_bits);

/// The choice that the third part of a name is a value of: the rule of a scale, else the rounding.
[[nodiscard]] Choice rounding_or_rule(const Format& to);

/// Every deterministic conversion between two formats, saturating and not: one a rounding, or one a scale rule.
[[nodiscard]] std::vector<Conversion> deterministic_conversions(const Format& from, const Format& to);

/// The conversion as choices, the rest at their defaults.
[[nodiscard]] Choices choices_of(const Conversion& conversion);

} // namespace mxcert

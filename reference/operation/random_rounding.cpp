// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

std::optional<RandomRounding> random_rounding_of(std::string_view name) {
    if (name == "nearest_even") return std::nullopt;
    const auto ends_with = [&](std::string_view suffix) {
        const bool found = name.ends_with(suffix);
        if (found) name.remove_suffix(suffix.size());
        return found;
    };
    RandomRounding random;
    random.given = ends_with("_given");
    random.pairs = !random.given && ends_with("_pairs");
    if (name == "stochastic" && !random.given) return random;
    const Conversion conversion = parse_conversion("fp32-e2m1-" + std::string(name) + "-sat");
    if (!is_stochastic_law(conversion.rounding))
        throw std::invalid_argument("rounding '" + std::string(name) +
                                    "' is neither 'stochastic' nor such a rounding with its bits, as stochastic_a16");
    random.law = conversion.rounding;
    random.bits = conversion.random_bits;
    return random;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include "reference/conversion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "reference/base/other_names.hpp"

namespace mxcert {
namespace {

constexpr unsigned most_random_bits = 32;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Cuts "stochastic_a8" into its name and 8. A name that ends in a digit itself (nearest_log2) stays whole: 0 bits.
unsigned take_random_bits(std::string_view& rounding) {
    for (const Choice choice : {Choice::rounding, Choice::rule}) {
        const auto names = info(choice).values;
        if (std::find(names.begin(), names.end(), rounding) != names.end()) return 0;
    }
    const auto last_letter = std::find_if_not(rounding.rbegin(), rounding.rend(), is_digit);
    const std::string_view digits(last_letter.base(), rounding.end());
    if (digits.empty()) return 0;
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc{} || digits.front() == '0') // all are digits: no number ends before them
        throw std::invalid_argument("'" + std::string(rounding) + "': '" + std::string(digits) +
                                    "' is not a number of random bits, 1 to 32");
    rounding.remove_suffix(digits.size());
    return bits;
}

} // namespace

std::string to_string(const Conversion& conversion) {
    const Choices choices = choices_of(conversion);
    std::string text;
    text += conversion.from->name;
    text += '-';
    text += conversion.to->name;
    text += '-';
    text += value_name(choices, rounding_or_rule(*conversion.to));
    if (is_stochastic(conversion.rounding)) text += std::to_string(conversion.random_bits);
    text += '-';
    text += value_name(choices, Choice::overflow);
    return text;
}

Conversion parse_conversion(std::string_view text) {
    constexpr std::size_t part_count = 4;
    std::array<std::string_view, part_count> parts;
    std::string_view rest = text;
    for (std::size_t i = 0; i < part_count; ++i) {
        const std::size_t dash = rest.find('-');
        if ((dash == std::string_view::npos) != (i + 1 == part_count))
            throw std::invalid_argument("'" + std::string(text) +
                                        "' is not a conversion: expected four parts, as in "
                                        "fp32-e4m3-nearest_even-sat");
        parts[i] = rest.substr(0, dash);
        if (dash != std::string_view::npos) rest.remove_prefix(dash + 1);
    }
    std::string_view rounding = rounding_name(parts[2]);
    const unsigned random_bits = take_random_bits(rounding);
    return make_conversion(parts[0], parts[1], rounding, parts[3], random_bits);
}

Conversion make_conversion(std::string_view source, std::string_view target, std::string_view rounding,
                           std::string_view overflow, unsigned random_bits) {
    Conversion conversion;
    conversion.from = &format(source);
    conversion.to = &format(target);
    if (conversion.to->scale != nullptr)
        throw std::invalid_argument("nothing is converted to " + std::string(target) + ": it carries a given scale");
    Choices choices;
    set(choices, info(rounding_or_rule(*conversion.to)).name, rounding);
    if ((choices.rule != ScaleRule::none) != (conversion.to->element != nullptr))
        throw std::invalid_argument("a conversion to a scale has a rule");
    set(choices, "overflow", overflow);
    conversion.rule = choices.rule;
    conversion.rounding = choices.rounding;
    conversion.overflow = choices.overflow;
    conversion.random_bits = random_bits;
    if (is_stochastic(conversion.rounding)) {
        if (conversion.to->flags_of != nullptr)
            throw std::invalid_argument("the flags of a stochastic rounding are not judged");
        if (is_ptx_rs(conversion.rounding)) {
            if (random_bits != most_random_bits)
                throw std::invalid_argument("rounding '" + std::string(rounding) +
                                            "' takes the 32 bits of rbits: " + std::string(rounding) + "32");
            if (!has_ptx_rs(*conversion.to))
                throw std::invalid_argument("which bits PTX's cvt.rs takes is known of e4m3, e5m2 and e2m1, not of " +
                                            std::string(target));
        }
        if (conversion.rounding == Rounding::stochastic_s && conversion.to->is_twos_complement())
            throw std::invalid_argument("stochastic_s is of formats with an exponent");
        if (random_bits < 1 || random_bits > most_random_bits)
            throw std::invalid_argument("rounding '" + std::string(rounding) + "' takes 1 to 32 random bits, not " +
                                        std::to_string(random_bits));
    } else if (random_bits != 0) {
        throw std::invalid_argument("rounding '" + std::string(rounding) + "' takes no random bits, but " +
                                    std::to_string(random_bits) + " are given");
    }
    return conversion;
}

Choice rounding_or_rule(const Format& to) { return to.element != nullptr ? Choice::rule : Choice::rounding; }

std::vector<Conversion> deterministic_conversions(const Format& from, const Format& to) {
    std::vector<Conversion> all;
    const Choice choice = rounding_or_rule(to);
    for (const std::string_view name : info(choice).values) {
        Choices choices;
        set(choices, info(choice).name, name);
        if (name == "none" || is_stochastic(choices.rounding)) continue;
        for (const std::string_view overflow : {"sat", "nosat"})
            all.push_back(make_conversion(from.name, to.name, name, overflow, 0));
    }
    return all;
}

Choices choices_of(const Conversion& conversion) {
    Choices choices;
    choices.rounding = conversion.rounding;
    choices.overflow = conversion.overflow;
    choices.rule = conversion.rule;
    return choices;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain_value.hpp"

#include "reference/exact/number.hpp"
#include "reference/flags.hpp"

namespace mxcert::explain {
namespace {

constexpr std::size_t shown_digits = 20;

} // namespace

std::string shown(const exact::Rational& magnitude) {
    std::string text = exact::decimal(magnitude);
    if (text.size() <= shown_characters) return text;
    std::string power = factored(magnitude);
    if (power.size() <= shown_characters) return power;
    const std::size_t point = text.find('.');
    const std::size_t first_digit = text.find_first_not_of("0.");
    if (point < shown_digits && first_digit < shown_digits / 2)
        return text.substr(0, first_digit + shown_digits) + "...";
    return power.substr(0, shown_digits) + "..." + power.substr(power.find(" x "));
}

std::string shown(const Format& format, Code code) {
    if (format.flags_of != nullptr) return flags_text(code);
    const exact::Value value = exact::decode(format, code);
    if (value.kind != exact::Kind::finite) return decimal_text(format, code);
    return (value.negative ? "-" : "") + shown(value.magnitude);
}

} // namespace mxcert::explain

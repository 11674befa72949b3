// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_case.hpp"

#include <charconv>
#include <stdexcept>

#include "vectors/tables/permit.hpp"

namespace mxcert::fuzz {
namespace {

constexpr std::string_view batch_key = "batch=";
constexpr std::string_view shift_key = "shift=";
constexpr const Format& word = formats::fp32; ///< a random word has as many digits as a code of this format

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
    constexpr std::size_t shown = 80;
    throw std::invalid_argument("'" + std::string(text.substr(0, shown)) + (text.size() > shown ? "...'" : "'") + ": " +
                                reason);
}

std::uint64_t number(std::string_view digits, std::uint64_t last, std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > last ||
        digits.front() == '0')
        refuse(text, "'" + std::string(digits) + "' is not a number from 1 to " + std::to_string(last));
    return value;
}

FuzzValue parse_value(std::string_view text, const Conversion& conversion, std::string_view whole) {
    FuzzValue value;
    const std::size_t slash = text.find('/');
    value.input = parse_code(text.substr(0, slash), *conversion.from);
    if ((slash != std::string_view::npos) != is_stochastic(conversion.rounding))
        refuse(whole, is_stochastic(conversion.rounding)
                          ? "every input needs its random word, as in 0x3F880001/0x0000002A"
                          : "this rounding takes no random words");
    if (slash == std::string_view::npos) return value;
    value.random = static_cast<std::uint32_t>(parse_code(text.substr(slash + 1), word));
    if (std::uint64_t{value.random} >> conversion.random_bits != 0)
        refuse(whole, "a random word has more than " + std::to_string(conversion.random_bits) + " bits");
    return value;
}

/// Cuts the text before the first `separator` off.
std::string_view take(std::string_view& rest, char separator) {
    const std::size_t end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return part;
}

} // namespace

namespace {

std::string text_of(const FuzzCase& fuzz_case, std::string_view prefix) {
    std::string text = to_string(fuzz_case.conversion);
    char separator = ':';
    for (const FuzzValue& value : fuzz_case.values) {
        text.append(1, separator).append(prefix).append(hex(value.input, *fuzz_case.conversion.from));
        if (is_stochastic(fuzz_case.conversion.rounding))
            text.append("/").append(prefix).append(hex(value.random, word));
        separator = ',';
    }
    if (fuzz_case.batch != 0) text += '@' + std::string(batch_key) + std::to_string(fuzz_case.batch);
    if (fuzz_case.shift != 0) text += '@' + std::string(shift_key) + std::to_string(fuzz_case.shift);
    return text;
}

} // namespace

std::string to_string(const FuzzCase& fuzz_case) { return text_of(fuzz_case, ""); }
std::string shown(const FuzzCase& fuzz_case) { return text_of(fuzz_case, "0x"); }

FuzzCase parse_fuzz_case(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        refuse(text, "expected CONVERSION:INPUT,INPUT,..., as in fp32-e4m3-nearest_even-sat:0x3F880001,0x3F880000");
    FuzzCase parsed;
    parsed.conversion = parse_conversion(text.substr(0, colon));
    std::string_view rest = text.substr(colon + 1);
    const std::size_t at = rest.find('@');
    std::string_view values = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at);
    if (values.empty() || values.back() == ',') refuse(text, "an input is missing");
    while (!values.empty()) {
        if (parsed.values.size() == max_case_values)
            refuse(text, "more than " + std::to_string(max_case_values) + " inputs");
        parsed.values.push_back(parse_value(take(values, ','), parsed.conversion, text));
    }
    if (rest.starts_with("@" + std::string(batch_key))) {
        rest.remove_prefix(1 + batch_key.size());
        const std::string_view digits = rest.substr(0, rest.find('@'));
        parsed.batch = number(digits, max_case_values, text);
        rest.remove_prefix(digits.size());
    }
    if (rest.starts_with("@" + std::string(shift_key))) {
        rest.remove_prefix(1 + shift_key.size());
        parsed.shift = static_cast<unsigned>(number(rest, max_case_shift, text));
        rest = {};
    }
    if (!rest.empty()) refuse(text, "'" + std::string(rest) + "' is not @batch=N or @shift=N, in that order");
    return parsed;
}

} // namespace mxcert::fuzz

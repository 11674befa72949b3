// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/format.hpp"

namespace mxcert {

/// What may come out for an input: any of `codes`, and any NaN code if `any_nan`. Never empty.
struct Permit {
    std::vector<Code> codes; ///< ascending, no duplicates, none that `any_nan` covers
    bool any_nan = false;

    friend bool operator==(const Permit&, const Permit&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): a 0 of clang's own
    friend auto operator<=>(const Permit&, const Permit&) = default;
};

[[nodiscard]] Permit permit_code(Code code);
[[nodiscard]] Permit permit_any_nan();
/// What either permits.
[[nodiscard]] Permit unite(const Permit& a, const Permit& b, const Format& to);
/// What both permit; it may be nothing: no codes and no NaN.
[[nodiscard]] Permit intersect(const Permit& a, const Permit& b, const Format& to);
/// A code that is permitted: the first, or a NaN where only these are.
[[nodiscard]] Code one_of(const Permit& permit, const Format& to);
[[nodiscard]] bool permits(const Permit& permit, Code code, const Format& to);

/// Whether an answer is the expected one where any NaN is as good as another.
[[nodiscard]] inline bool same(const Format& format, Code answer, Code expected) {
    return answer == expected || (format.is_nan(answer) && format.is_nan(expected));
}

/// "7F", "nan", "7E|nan", "00|80": upper-case hexadecimal, as many digits as the target's width needs.
[[nodiscard]] std::string to_string(const Permit& permit, const Format& to);
/// The reverse. Throws std::invalid_argument on anything to_string() would not print for that format.
[[nodiscard]] Permit parse_permit(std::string_view text, const Format& to);

/// The same for people: "0x7F", "any NaN", "0x7E or any NaN", "0x00 or 0x80".
[[nodiscard]] std::string shown(const Permit& permit, const Format& to);

/// A code as the tables print it, code_text() without its 0x: upper-case hexadecimal, fixed width.
[[nodiscard]] std::string hex(Code code, const Format& format);
/// The reverse: exactly that many digits, either case. Throws std::invalid_argument.
[[nodiscard]] Code parse_hex(std::string_view text, const Format& format);
/// The same of what people write: with or without 0x.
[[nodiscard]] Code parse_code(std::string_view text, const Format& format);

} // namespace mxcert

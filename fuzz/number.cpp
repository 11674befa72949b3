// SPDX-License-Identifier: Apache-2.0
// A number in a format, which the first line names: the code that is read prints in two notations, and both read back
// to it.
#include <stdexcept>

#include "fuzz/target.hpp"
#include "reference/exact/number.hpp"

namespace {

using namespace mxcert;

void check(std::string_view input, const Format& format) {
    Number number;
    try {
        number = parse_number(input, format);
    } catch (const std::invalid_argument&) {
        return;
    }
    fuzz::require(number.code <= format.last_code(), "a number is a code of its format");
    const Number bits = parse_number(code_text(format, number.code), format);
    fuzz::require(bits.code == number.code && bits.notation == Notation::bits, "a bit pattern reads back to its code");
    if (format.is_nan(number.code)) return;
    // What a value and a given scale come to has many codes: it prints, and is not read.
    if (format.scale != nullptr) {
        fuzz::require(!hex_float(format, number.code).empty() && !decimal_text(format, number.code).empty(),
                      "a value with its scale prints");
        return;
    }
    // A negative code of a rectifier prints as 0, and is read as +0.
    const Code read = format.rectified && format.is_negative(number.code) ? 0 : number.code;
    for (const std::string& text : {hex_float(format, number.code), decimal_text(format, number.code)}) {
        const Number again = parse_number(text, format);
        fuzz::require(again.code == read && !again.rounded, "a printed value reads back to its code, exactly");
    }
}

void run(std::string_view input) {
    const Format* const format = find_format(fuzz::take_line(input));
    if (format != nullptr) check(input, *format);
}

const fuzz::Target registered{"number", run};

} // namespace

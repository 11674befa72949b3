// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/bits.hpp"

#include <fmt/format.h>

#include "conformance/html/markup.hpp"
#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"

namespace mxcert::html {
namespace {

// The lowest `width` bits from `shift` up; nothing of a field that a format has not.
std::string field(const char* name, Code code, int shift, int width) {
    if (width == 0) return {};
    const Code mask = (Code{1} << static_cast<unsigned>(width)) - 1;
    return fmt::format("<b class=\"{0}\" title=\"{0}\">{1:0{2}b}</b>", name,
                       (code >> static_cast<unsigned>(shift)) & mask, width);
}

} // namespace

std::string bits(const Format& format, Code code) {
    const int fraction = format.fraction_bits;
    const int exponent = format.exponent_bits;
    const std::string fields =
        (format.scale == nullptr ? "" : field("scale", code, format.value_width(), format.scale->width())) +
        field("sign", code, fraction + exponent, format.is_signed ? 1 : 0) +
        field("exponent", code, fraction, exponent) + field("fraction", code, 0, fraction);
    return fmt::format("{} <code class=\"bits\">{}</code> <span>{}</span>", html::code(code_text(format, code)), fields,
                       escaped(print::value_text(format, code)));
}

std::string bits(const Format& format, const Permit& permit) {
    std::string text;
    for (const Code code : permit.codes) text += (text.empty() ? "" : "<br>or ") + bits(format, code);
    if (permit.any_nan) text += text.empty() ? "any NaN" : "<br>or any NaN";
    return text;
}

} // namespace mxcert::html

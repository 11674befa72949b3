// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mxcert::fuzz {

/// What comes after the name of a conversion, which may have been written in other ways: codes without 0x, letters as
/// capitals.
[[nodiscard]] inline std::string plain_digits(std::string_view text) {
    std::string plain;
    bool begins = false;
    for (std::size_t at = text.find(':'); at < text.size(); ++at) {
        if (begins && (text.substr(at).starts_with("0x") || text.substr(at).starts_with("0X"))) at += 2;
        if (at == text.size()) break;
        const char c = text[at];
        begins = c == ':' || c == '/' || c == ',';
        plain += c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return plain;
}

} // namespace mxcert::fuzz

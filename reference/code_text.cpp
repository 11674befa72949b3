// SPDX-License-Identifier: Apache-2.0
#include "reference/code_text.hpp"

namespace mxcert {

std::string code_text(const Format& format, Code code) {
    std::string text = "0x";
    for (int shift = (format.width() - 1) / 4 * 4; shift >= 0; shift -= 4)
        text += "0123456789ABCDEF"[code >> static_cast<unsigned>(shift) & 0xFU];
    return text;
}

} // namespace mxcert

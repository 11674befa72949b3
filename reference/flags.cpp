// SPDX-License-Identifier: Apache-2.0
#include "reference/flags.hpp"

namespace mxcert {

std::string flags_text(Code flags) {
    std::string text;
    for (const FlagInfo& info : all_flags) {
        if ((flags & bit(info.flag)) == 0) continue;
        if (!text.empty()) text += ' ';
        text += info.name;
    }
    return text.empty() ? "none" : text;
}

const Format* find_flags_of(const Format& target) {
    for (const Format& format : all_formats())
        if (format.flags_of == &target) return &format;
    return nullptr;
}

} // namespace mxcert

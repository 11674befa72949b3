// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mxcert::library {

/// An option that a function takes, and where its value goes: a text or number once, a list as often as it comes.
struct OptionPlace {
    std::string_view name;
    std::variant<std::string*, unsigned*, std::vector<std::string>*> place;
};

/// Reads "NAME=VALUE NAME=VALUE". Null is no word. Throws std::invalid_argument for a word without '=', a name that is
/// not taken, with the near ones, a name that comes twice, and a number that is none.
void read_options(const char* text, std::span<const OptionPlace> places);

/// The words of a text, which spaces separate.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

} // namespace mxcert::library

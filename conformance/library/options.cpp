// SPDX-License-Identifier: Apache-2.0
#include "conformance/library/options.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"

namespace mxcert::library {
namespace {

constexpr std::string_view spaces = " \t\n";

unsigned number_of(std::string_view name, std::string_view value) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size())
        throw std::invalid_argument(fmt::format("{}={}: no number", name, print::printable(value)));
    return number;
}

} // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t first = text.find_first_not_of(spaces); first != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(spaces, first), text.size());
        words.emplace_back(text.substr(first, end - first));
        first = text.find_first_not_of(spaces, end);
    }
    return words;
}

void read_options(const char* text, std::span<const OptionPlace> places) {
    std::set<std::string_view> seen;
    for (const std::string& word : words_of(text == nullptr ? "" : text)) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            throw std::invalid_argument(fmt::format("'{}': expected NAME=VALUE", print::printable(word)));
        const std::string_view name = std::string_view(word).substr(0, equals);
        const std::string value = word.substr(equals + 1);
        const auto option =
            std::find_if(places.begin(), places.end(), [&](const OptionPlace& place) { return place.name == name; });
        if (option == places.end()) {
            std::vector<std::string_view> names;
            for (const OptionPlace& place : places) names.push_back(place.name);
            throw std::invalid_argument(unknown_name("option", print::printable(name), names));
        }
        if (auto* const* list = std::get_if<std::vector<std::string>*>(&option->place)) {
            (*list)->push_back(value);
            continue;
        }
        if (!seen.insert(option->name).second)
            throw std::invalid_argument(fmt::format("the option {} is given twice", option->name));
        if (auto* const* number = std::get_if<unsigned*>(&option->place))
            **number = number_of(name, value);
        else
            *std::get<std::string*>(option->place) = value;
    }
}

} // namespace mxcert::library

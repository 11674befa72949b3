// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/usage_text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"
#include "reference/base/word_list.hpp"

namespace mxcert::cli {
namespace {

constexpr std::size_t none = std::string_view::npos;

/// The text between the two in another; nothing if they are not there, in that order.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t start = text.find(before);
    if (start == none) return std::nullopt;
    text.remove_prefix(start + before.size());
    const std::size_t end = text.find(after);
    if (end == none) return std::nullopt;
    return text.substr(0, end);
}

/// What CLI11 calls the values of numbers.
bool is_number(std::string_view type) { return type == "UINT" || type == "INT" || type == "FLOAT"; }

/// The words of "{a,b}".
std::vector<std::string_view> words_of(std::string_view set) {
    std::vector<std::string_view> words;
    if (set.starts_with('{')) set.remove_prefix(1);
    if (set.ends_with('}')) set.remove_suffix(1);
    while (!set.empty()) {
        words.push_back(set.substr(0, set.find(',')));
        set.remove_prefix(std::min(set.size(), words.back().size() + 1));
    }
    return words;
}

std::string with_article(const std::string& value) {
    const bool vowel = std::string_view("AEIOU").find(value.front()) != none;
    return (vowel ? "an " : "a ") + value;
}

/// "a GLOB", "a number from 0 to 1024", "one of auto, always, never".
std::string wanted_by(const CLI::Option* option, const std::string& type) {
    const std::string value = option == nullptr ? type : value_of(*option);
    if (value.starts_with('{')) return fmt::format("one of {}", fmt::join(words_of(value), ", "));
    if (value == "N" || value.starts_with("N ")) return "a number" + value.substr(1);
    if (value.empty() || value == "TEXT") return "a value";
    return with_article(value);
}

/// Says that a value is not one of the words of a set, and which of them is near.
std::string not_one_of(std::string_view value, std::string_view set) {
    const std::vector<std::string_view> words = words_of(set);
    const std::vector<std::string_view> near = near_names(value, words);
    return fmt::format("'{}' is not one of {}{}", print::printable(value), fmt::join(words, ", "),
                       near.empty() || value.empty() ? "" : fmt::format("; did you mean {}?", near.front()));
}

/// Says why a text is not a number of this type.
std::string no_number(std::string_view value, std::string_view type) {
    const bool whole = type == "UINT" || type == "INT";
    const std::string_view digits = value.starts_with('-') || value.starts_with('+') ? value.substr(1) : value;
    const bool has_digits =
        !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::string shown = "'" + print::printable(value) + "'";
    if (has_digits && type == "UINT" && value.starts_with('-')) return shown + " is less than 0";
    if (has_digits) return shown + " is too large";
    return shown + (whole ? " is not a whole number" : " is not a number");
}

} // namespace

std::string value_of(const CLI::Option& option) {
    if (option.get_type_size() == 0) return {};
    const std::string type = option.get_type_name();
    const std::string base = type.substr(0, type.find(':'));
    if (const std::size_t set = type.find(":{"); set != none) return type.substr(set + 1);
    if (const std::size_t range = type.find(" in ["); range != none) {
        const std::string_view ends = std::string_view(type).substr(range + 5);
        const std::size_t dash = ends.find(" - ");
        const std::string name = is_number(base) ? "N" : base;
        if (dash != none)
            return fmt::format("{} from {} to {}", name, ends.substr(0, dash),
                               ends.substr(dash + 3, ends.find(']') - dash - 3));
    }
    if (is_number(base)) return "N";
    // "TEXT:FILE" is a type and what is checked.
    return type.starts_with("TEXT:") ? type.substr(base.size() + 1) : type;
}

std::string usage_error(const CLI::ParseError& error, const CLI::App& command) {
    const std::string what = error.what();
    const std::size_t colon = what.find(": ");
    const std::string name = what.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : what.substr(colon + 2);
    const auto option_named = [&](const std::string& wanted) { return command.get_option_no_throw(wanted); };
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        if (what.find("flag override") != std::string::npos) return what.substr(0, what.find(' ')) + " takes no value";
        if (const auto type = between(rest, " required ", " missing"))
            return fmt::format("{} needs {}", name, wanted_by(option_named(name), std::string(*type)));
        if (const auto most = between(rest, "At Most ", " required"))
            return fmt::format("{} takes {} at most", name, print::counted(std::stoull(std::string(*most)), "value"));
        if (const auto least = between(rest, "At least ", " required"))
            return fmt::format("{} needs {} or more", name, print::counted(std::stoull(std::string(*least)), "value"));
    }
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
        if (rest.find("flag") != std::string::npos || rest.find("true/false") != std::string::npos)
            return name + " takes no value";
        if (const std::size_t equals = rest.find(" = "); name == "Could not convert" && equals != std::string::npos) {
            const std::string of = rest.substr(0, equals);
            const CLI::Option* option = option_named(of);
            if (option != nullptr && option->get_expected_max() == 0) return of + " takes no value";
            const std::string type = option == nullptr ? "" : option->get_type_name();
            return of + ": " + no_number(rest.substr(equals + 3), type.substr(0, type.find(':')));
        }
    }
    if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
        if (const std::size_t set = rest.rfind(" not in {"); set != std::string::npos)
            return name + ": " + not_one_of(rest.substr(0, set), rest.substr(set + 8));
        if (rest.starts_with("File does not exist: ")) return name + ": there is no file '" + rest.substr(21) + "'";
    }
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
        if (const std::size_t at = what.find(" excludes "); at != std::string::npos)
            return fmt::format("{} and {} exclude each other", what.substr(0, at), what.substr(at + 10));
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr)
        if (const std::size_t at = what.find(" requires "); at != std::string::npos)
            return fmt::format("{} needs {} too", what.substr(0, at), what.substr(at + 10));
    if (what == "A subcommand is required") return "a command is missing";
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        if (const std::size_t at = what.find("not expected: "); at != std::string::npos)
            return fmt::format("nothing takes '{}'",
                               fmt::join(list_of(print::printable(what.substr(at + 14))), "', '"));
    return what;
}

std::string HelpText::make_option_opts(const CLI::Option* option) const {
    if (!option->get_option_text().empty()) return " " + option->get_option_text();
    std::string text;
    if (option->get_type_size() != 0) {
        if (const std::string value = value_of(*option); !value.empty()) text += " " + value;
        if (!option->get_default_str().empty()) text += fmt::format(" (default {})", option->get_default_str());
        if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
        if (option->get_required()) text += " REQUIRED";
    }
    if (!option->get_envname().empty()) text += " (Env:" + option->get_envname() + ")";
    const auto add = [&](const char* label, const auto& options) {
        if (options.empty()) return;
        text += fmt::format(" {}:", label);
        for (const CLI::Option* other : options) text += " " + other->get_name();
    };
    add("Needs", option->get_needs());
    add("Excludes", option->get_excludes());
    return text;
}

} // namespace mxcert::cli

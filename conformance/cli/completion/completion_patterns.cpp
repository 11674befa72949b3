// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/completion/completion_patterns.hpp"

#include <fmt/format.h>

#include "conformance/print/version.hpp"

namespace mxcert::cli {
namespace {

std::string pattern_of(const std::string& text) { return "'" + text + "'"; }
std::string pattern_of(const CompletionTarget& target) {
    return pattern_of(target.text) + (target.any_place ? "*[0-9]" : "");
}

template <class Texts> std::string patterns_of(const Texts& texts) {
    std::string patterns;
    for (const auto& text : texts) patterns += (patterns.empty() ? "" : " | ") + pattern_of(text);
    return patterns;
}

constexpr const char* words_text = R"(        if [[ -n $option ]]; then
            option=
            continue
        fi
        case "$command $word" in
{commands}
{options}
            *' '-?*) ;;
            *) ((place += 1)) ;;
        esac)";

/// A command becomes part of the command; behind an option that takes a value the next word is that.
std::string words_of(const CompletionTree& tree) {
    return fmt::format(words_text,
                       fmt::arg("commands", fmt::format("            {}) command+=${{command:+ }}$word place=0 ;;",
                                                        patterns_of(tree.commands))),
                       fmt::arg("options", fmt::format("            {}) option=$word ;;", patterns_of(tree.options))));
}

std::string value_arms(const CompletionTree& tree) {
    std::string arms;
    for (const CompletionOffer& offer : tree.offers) {
        arms += fmt::format("{}        {})\n", arms.empty() ? "" : "\n", patterns_of(offer.targets));
        if (!offer.words.empty()) arms += fmt::format("            candidates='{}'\n", fmt::join(offer.words, " "));
        if (offer.files != CompletionValues::Files::none)
            arms += fmt::format("            files={}\n", word_of(offer.files));
        arms.pop_back();
        arms += " ;;";
    }
    return arms;
}

} // namespace

std::string case_script(const char* text, const CompletionTree& tree) {
    return fmt::format(fmt::runtime(text), fmt::arg("version", print::tool_version), fmt::arg("words", words_of(tree)),
                       fmt::arg("values", value_arms(tree)));
}

} // namespace mxcert::cli

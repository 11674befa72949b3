// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/completion/completion_tree.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace mxcert::cli {
namespace {

using Names = std::vector<std::string>;

Names option_names(const CLI::Option& option) {
    Names names;
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    return names;
}

bool is_plain(char c) {
    return std::string_view("_-.=+").find(c) != std::string_view::npos || (c >= '0' && c <= '9') ||
           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Walk {
  public:
    void add(const CLI::App& app, const std::string& path) {
        Names names;
        int place = 0;
        for (const CLI::Option* option : app.get_options()) {
            const Names own = option_names(*option);
            names.insert(names.end(), own.begin(), own.end());
            const CompletionValues values = completion_values(app, *option);
            if (option->get_positional()) {
                if (option->get_items_expected_max() >= CLI::detail::expected_max_vector_size)
                    offer(values, {path + " ", true});
                else
                    offer(values, {fmt::format("{} {}", path, place++)});
            } else if (option->get_items_expected_max() != 0) {
                for (const std::string& name : own) {
                    tree_.options.push_back(path + " " + name);
                    offer(values, {tree_.options.back()});
                }
            }
        }
        offer({names, CompletionValues::Files::none}, {path + " -"});
        Names commands;
        for (const CLI::App* command : app.get_subcommands({})) {
            commands.push_back(command->get_name());
            tree_.commands.push_back(path + " " + command->get_name());
            add(*command, path + (path.empty() ? "" : " ") + command->get_name());
        }
        if (!commands.empty()) offer({commands, CompletionValues::Files::none}, {path + " 0"});
    }
    [[nodiscard]] CompletionTree tree() && { return std::move(tree_); }

  private:
    void offer(const CompletionValues& values, CompletionTarget target) {
        for (const std::string& word : values.words)
            if (!std::all_of(word.begin(), word.end(), is_plain))
                throw std::logic_error("a shell would not take this as a word: " + word);
        if (values.words.empty() && values.files == CompletionValues::Files::none) return;
        auto same = std::find_if(tree_.offers.begin(), tree_.offers.end(), [&](const CompletionOffer& known) {
            return known.words == values.words && known.files == values.files;
        });
        if (same == tree_.offers.end())
            same = tree_.offers.insert(same, CompletionOffer{values.words, values.files, {}});
        same->targets.push_back(std::move(target));
    }

    CompletionTree tree_;
};

} // namespace

CompletionTree completion_tree(const CLI::App& app) {
    Walk walk;
    walk.add(app, "");
    return std::move(walk).tree();
}

const char* word_of(CompletionValues::Files files) {
    constexpr std::array words{"", "all", "backends", "folders"};
    return words.at(static_cast<std::size_t>(files));
}

} // namespace mxcert::cli

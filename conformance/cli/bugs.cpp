// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/explain/bugs.hpp"
#include "conformance/print/columns.hpp"
#include "reference/base/near_names.hpp"
#include "reference/bug_class.hpp"

namespace mxcert::cli::bugs_command {
namespace {

std::string text_of_bugs() {
    std::vector<std::vector<std::string>> rows{{"bug class", "an implementation that"}};
    for (const BugClass& bug : all_bug_classes()) rows.push_back({std::string(bug.id), std::string(bug.says)});
    return print::columns(rows);
}

std::string text_of_bug(const BugClass& bug) {
    std::string text = fmt::format("{}\n{}\nusually {}\n", bug.id, bug.says, bug.cause);
    for (const std::string& fault : explain::faults_of(bug)) text += fmt::format("planted in {}\n", fault);
    if (!bug.reports.empty()) text += fmt::format("seen in {}\n", bug.reports);
    return text;
}

const BugClass& find(const std::string& id) {
    if (const BugClass* bug = find_bug_class(id)) return *bug;
    std::vector<std::string_view> ids;
    for (const BugClass& bug : all_bug_classes()) ids.push_back(bug.id);
    throw std::invalid_argument(unknown_name("bug class", id, ids));
}

void add_bugs_command(CLI::App& app, Exit& /*exit*/) {
    struct Options {
        std::string id;
        std::string json;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("bugs", "List the bug classes that a verdict names");
    command->add_option("CLASS", options->id, "This one, with its cause and where it was reported");
    add_json_option(*command, options->json);
    command->footer("Example:\n  mxcert bugs TIES_AWAY");
    command->callback([options] {
        if (options->id.empty()) return print_result(options->json, text_of_bugs, explain::bugs_to_json);
        const BugClass& bug = find(options->id);
        print_result(
            options->json, [&] { return text_of_bug(bug); }, [&] { return explain::to_json(bug); });
    });
}

const Command registered{Group::look_up, "bugs", add_bugs_command};

} // namespace
} // namespace mxcert::cli::bugs_command

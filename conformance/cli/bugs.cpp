// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/suites/all_faults.hpp"
#include "reference/base/near_names.hpp"
#include "reference/bug_class.hpp"

namespace mxcert::cli::bugs_command {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_bugs() {
    std::vector<std::vector<std::string>> rows{{"bug class", "an implementation that"}};
    for (const BugClass& bug : all_bug_classes()) rows.push_back({std::string(bug.id), std::string(bug.says)});
    return print::columns(rows);
}

/// "matmul: the last product left out".
std::vector<std::string> faults_of(const BugClass& bug) {
    std::vector<std::string> names;
    for (const suites::NamedFault& fault : suites::all_faults())
        if (fault.fault.bug_class == &bug) names.push_back(fmt::format("{}: {}", fault.of, fault.fault.how));
    return names;
}

std::string text_of_bug(const BugClass& bug) {
    std::string text = fmt::format("{}\n{}\nusually {}\n", bug.id, bug.says, bug.cause);
    for (const std::string& fault : faults_of(bug)) text += fmt::format("planted in {}\n", fault);
    if (!bug.reports.empty()) text += fmt::format("seen in {}\n", bug.reports);
    return text;
}

Json json_of_bug(const BugClass& bug) {
    return {
        {"id", bug.id}, {"says", bug.says}, {"cause", bug.cause}, {"reports", bug.reports}, {"faults", faults_of(bug)}};
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
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("bugs", "The classes of bugs that a verdict names");
    command->add_option("CLASS", options->id, "This one, with its cause and where it was reported");
    command->add_flag("--json", options->json, "Print JSON");
    command->footer("Example:\n  mxcert bugs TIES_AWAY");
    command->callback([options] {
        if (!options->id.empty()) {
            const BugClass& bug = find(options->id);
            fmt::print("{}", options->json ? json_of_bug(bug).dump(2) + "\n" : text_of_bug(bug));
            return;
        }
        Json all = Json::array();
        for (const BugClass& bug : all_bug_classes()) all.push_back(json_of_bug(bug));
        fmt::print("{}", options->json ? all.dump(2) + "\n" : text_of_bugs());
    });
}

const Command registered{Group::look_up, "bugs", add_bugs_command};

} // namespace
} // namespace mxcert::cli::bugs_command

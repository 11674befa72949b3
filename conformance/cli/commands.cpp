// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/commands.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "conformance/cli/usage_text.hpp"
#include "conformance/print/version.hpp"
#include "reference/base/former_names.hpp"
#include "reference/base/near_names.hpp"
#include "reference/base/other_names.hpp"

namespace mxcert::cli {
namespace {

static_assert(print::tool_version == MXCERT_VERSION, "conformance/print/version.hpp and CMakeLists.txt disagree");

struct Entry {
    Group group;
    std::string_view name;
    Command::Add add;
};

// A function's static, so that it exists before the first registration, whatever the order of the files.
std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

const char* title(Group group) {
    constexpr std::array titles{"Testing implementations", "Tensors in files", "Looking things up", "Vectors",
                                "Setting up"};
    return titles.at(static_cast<std::size_t>(group));
}

// A word where a command belongs: CLI11 only says that it was not expected.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
    if (!app.get_subcommands().empty()) return {};
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.empty() || word.front() == '-') continue;
        std::vector<std::string_view> names;
        for (const Entry& entry : entries()) names.push_back(entry.name);
        return unknown_name("command", word, names);
    }
    return {};
}

/// An option of an earlier version, and the one that took its place.
struct Renamed {
    std::string_view option;
    std::string_view now;
};
constexpr Renamed renamed[] = {{"--suite", "--level smoke"}, {"--every-input", "--level complete"}};

// An option that has another name by now.
std::string renamed_option(const CLI::App& app, int argc, const char* const* argv) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty() || chosen.front()->get_option_no_throw("--level") == nullptr) return {};
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
        for (const Renamed& this_renamed : renamed)
            if (word == this_renamed.option)
                return fmt::format("there is no option {}; did you mean {}?", this_renamed.option, this_renamed.now);
    }
    return {};
}

// The command that was asked for, the innermost.
const CLI::App& chosen_command(const CLI::App& app) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

// An option that the command does not have: CLI11 names all that was left over, values too.
std::string unknown_option(const CLI::App& app, int argc, const char* const* argv) {
    const CLI::App& command = chosen_command(app);
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (int i = 1; i < argc; ++i) {
        const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
        if (word == "--") return {};
        if (word.starts_with("--") && std::find(names.begin(), names.end(), word) == names.end())
            return unknown_name("option", word, std::vector<std::string_view>(names.begin(), names.end()));
    }
    return {};
}

} // namespace

Command::Command(Group group, const char* name, Add add) { entries().push_back({group, name, add}); }

CLI::Option* with_roundings(CLI::Option* option) {
    return option->transform([](const std::string& text) { return with_rounding_names(text); });
}

CLI::Option* globs(CLI::Option* option) {
    return with_roundings(repeatable(option, "GLOB"))->check([](const std::string& glob) {
        const std::string present = in_present_names(glob);
        return present.empty() ? "" : "a name in '" + glob + "' has changed; did you mean '" + present + "'?";
    });
}

void add_commands(CLI::App& app, Exit& exit) {
    std::sort(entries().begin(), entries().end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.group, a.name) < std::tie(b.group, b.name); });
    for (const Entry& entry : entries()) {
        entry.add(app, exit);
        app.get_subcommand(std::string(entry.name))->group(title(entry.group));
    }
}

int run(int argc, const char* const* argv) {
    // A file that grows beyond what the system allows is an error of the write, with a message.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        CLI::App app{"Bit-exact conformance of MXFP8 implementations", "mxcert"};
        app.formatter(std::make_shared<HelpText>());
        app.set_version_flag("--version", "mxcert " MXCERT_VERSION);
        app.require_subcommand(1);
        app.footer("Exit codes: 0 yes, 1 no, 2 usage or file error, 3 not finished, 4 nothing was checked, 5 a part.\n"
                   "mxcert COMMAND --help explains a command.");
        Exit exit;
        add_commands(app, exit);
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& done) { // --help, --version
            return app.exit(done);
        } catch (const CLI::ParseError& error) {
            std::string unknown = unknown_command(app, argc, argv);
            if (unknown.empty()) unknown = renamed_option(app, argc, argv);
            if (unknown.empty() && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
                unknown = unknown_option(app, argc, argv);
            fmt::print(stderr, "mxcert: {}\n", unknown.empty() ? usage_error(error, chosen_command(app)) : unknown);
            std::string command;
            for (const CLI::App* chosen = &app; !chosen->get_subcommands().empty();)
                command += (chosen = chosen->get_subcommands().front())->get_name() + ' ';
            fmt::print(stderr, "mxcert {}--help says more.\n", command);
            return exit_usage;
        }
        // A full disk shows when the buffer is written out.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            std::fputs("mxcert: cannot write to standard output\n", stderr);
            return exit_usage;
        }
        return exit.code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mxcert: %s\n", error.what());
    } catch (...) {
        std::fputs("mxcert: an exception of unknown type\n", stderr);
    }
    return exit_usage;
}

} // namespace mxcert::cli

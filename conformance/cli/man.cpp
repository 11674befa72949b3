// SPDX-License-Identifier: Apache-2.0
// mxcert man: the manual page, from the same tree of commands as --help.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/usage_text.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::cli::man_command {
namespace {

// What is no option: name, meaning.
struct Entry {
    const char* name;
    const char* meaning;
};
constexpr Entry environment[] = {
    {"GITHUB_ACTIONS, GITHUB_STEP_SUMMARY", "Where the first is true, certify and gate print annotations and append a "
                                            "summary to the file that the other names."},
    {"MXCERT_BACKENDS", "A folder in which built-in backends are looked for first."},
    {"MXCERT_CONVERSION", "Set for the command of --pipe: the conversion that is asked."},
    {"MXCERT_PROGRESS",
     "The number of an open descriptor, to which the progress of a run is written: lines DONE TOTAL."},
    {"MXCERT_SANDBOX", "The default of --sandbox: default, strict or off."},
    {"MXCERT_VECTORS", "The folder with the golden files, instead of the one that came with the program."},
    {"MXCERT_WORKER", "The program that loads plugins, instead of the one that came with this program."},
    {"PATH", "Where the interpreter of a script is looked for that env finds, to report one that is missing."},
    {"TMPDIR",
     "Where the temporary folder of a backend in a sandbox is made; without it /tmp, /var/tmp, /dev/shm or the "
     "current folder."},
    {"NO_COLOR, TERM", "No colours if NO_COLOR is set and not empty, or TERM is dumb, unless --color says otherwise."},
};
constexpr Entry files[] = {
    {"../libexec/mxcert/mxcert-worker", "Loads plugins, in a process of its own."},
    {"../lib/mxcert/", "The built-in backends."},
    {"../share/mxcert/vectors/", "The golden files and their manifest."},
    {"../share/mxcert/schema/", "The JSON schemas of all outputs, and of baselines."},
};

// Plain text as roff: a backslash, a hyphen that can be searched for, and no line that reads as a request.
std::string roff(std::string_view text) {
    std::string out;
    bool fresh = true;
    for (const char c : text) {
        if (fresh && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        fresh = c == '\n';
    }
    return out;
}

// A footer: paragraphs are filled anew, lines that are indented stay as they are.
std::string footer_of(const CLI::App& app) {
    const std::string text = app.get_footer();
    if (text.empty()) return {};
    std::string out = ".PP\n";
    bool kept = false;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = text.substr(start, end - start);
        const bool keep = line.starts_with(' ');
        if (keep != kept) out += keep ? ".nf\n" : ".fi\n";
        out += line.empty() ? ".PP\n" : roff(line) + "\n";
        kept = keep;
        start = end + 1;
    }
    return kept ? out + ".fi\n" : out;
}

std::string item(const std::string& tag, const std::string& text) { return ".TP\n" + tag + "\n" + roff(text) + "\n"; }

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

std::string tag_of(const CLI::Option& option) {
    if (option.get_positional()) return bold(option.get_name(true, false));
    std::string tag;
    for (const std::string& name : option.get_snames()) tag += (tag.empty() ? "" : ", ") + bold("-" + name);
    for (const std::string& name : option.get_lnames()) tag += (tag.empty() ? "" : ", ") + bold("--" + name);
    if (option.get_type_size() != 0) tag += " \\fI" + roff(value_of(option)) + "\\fR";
    return tag;
}

std::string text_of(const CLI::Option& option) {
    std::string text = option.get_description() + ".";
    if (option.get_required() && !option.get_positional()) text += " Required.";
    if (!option.get_default_str().empty()) text += " Default: " + option.get_default_str() + ".";
    return text;
}

std::string synopsis(const CLI::App& app, const std::string& name) {
    std::string text = "[OPTIONS]";
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_positional()) continue;
        const bool many = option->get_items_expected_max() >= CLI::detail::expected_max_vector_size;
        const std::string shown = option->get_name(true, false) + (many ? "..." : "");
        text += option->get_required() ? " " + shown : " [" + shown + "]";
    }
    if (!app.get_subcommands({}).empty()) text += " COMMAND";
    return bold(name) + " " + roff(text);
}

std::string options_of(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) text += item(tag_of(*option), text_of(*option));
    return text;
}

void append_command(std::string& page, const CLI::App& app, const std::string& name) {
    page +=
        ".SS " + synopsis(app, name) + "\n" + roff(app.get_description()) + ".\n" + options_of(app) + footer_of(app);
    for (const CLI::App* command : app.get_subcommands({}))
        append_command(page, *command, name + " " + command->get_name());
}

std::string page_of(const CLI::App& app) {
    std::string page = fmt::format(
        ".\\\" Written by `mxcert man`.\n.TH MXCERT 1 \"\" \"mxcert {}\" \"User Commands\"\n", print::tool_version);
    page += ".SH NAME\nmxcert \\- " + roff(app.get_description()) + "\n";
    page += ".SH SYNOPSIS\n" + synopsis(app, "mxcert") + "\n";
    page += ".SH DESCRIPTION\nCompares what an implementation of FP8 conversions does, on every input there is, with "
            "what the OCP specifications permit. The implementation runs in a process of its own, which does not know "
            "the answers.\n";
    page += ".SH OPTIONS\n" + options_of(app) + ".SH COMMANDS\n";
    for (const CLI::App* command : app.get_subcommands({}))
        append_command(page, *command, "mxcert " + command->get_name());
    page += ".SH EXIT STATUS\n" + footer_of(app);
    page += ".SH ENVIRONMENT\n";
    for (const Entry& entry : environment) page += item(bold(entry.name), entry.meaning);
    page += ".SH FILES\nFrom the folder of the program:\n";
    for (const Entry& entry : files) page += item(bold(entry.name), entry.meaning);
    return page;
}

void add_man_command(CLI::App& app, Exit& /*exit*/) {
    CLI::App* command = app.add_subcommand("man", "Print this program's manual page");
    command->footer("Examples:\n"
                    "  mxcert man | man -l -");
    command->callback([&app] { fmt::print("{}", page_of(app)); });
}

const Command registered{Group::set_up, "man", add_man_command};

} // namespace
} // namespace mxcert::cli::man_command

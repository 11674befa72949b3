// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

// How a command joins the program: one file a command, conformance/cli/<name>.cpp, which defines
//
//     namespace mxcert::cli {
//     namespace {
//     void add_explain_command(CLI::App& app, Exit& exit) {
//         auto options = std::make_shared<ExplainOptions>();
//         CLI::App* command = app.add_subcommand("explain", "Show how one input is converted, and the deciding
//         clause"); command->add_option("INPUT", options->input, "...")->required(); command->footer("Examples:\n
//         mxcert explain 464 --from fp32 --to e4m3\n"); command->callback([options, &exit] { exit.code =
//         explain(*options); });
//     }
//     const Command registered{Group::look_up, "explain", add_explain_command};
//     } // namespace
//     }
//
// Every *.cpp of this folder, and of those in it, is linked into the program, so nothing else names the command. A
// callback prints its result to standard output. It reports trouble by throwing: std::invalid_argument for a bad
// argument, any other std::exception for a file that cannot be read or written; main prints "mxcert: <what>" to
// standard error and exits with 2. An exit code other than 0 for a finished run is set in `exit.code`.
namespace mxcert::cli {

/// The exit code of the run: what main returns if the command does not throw.
struct Exit {
    int code = 0;
};

/// Exit codes that every command shares (docs/certify.md).
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;     ///< the answer is no: a FAIL, a difference, a stale file
inline constexpr int exit_usage = 2;      ///< a bad argument, or a file that cannot be read or written
inline constexpr int exit_unfinished = 3; ///< ERROR or INCOMPLETE
inline constexpr int exit_nothing = 4;    ///< nothing was checked

/// Order and heading of the commands in `mxcert --help`.
enum class Group { test, tensors, look_up, vectors, set_up };

/// Registers a command when it is constructed, before main runs. `add` must add a subcommand of that name.
class Command {
  public:
    using Add = void (*)(CLI::App& app, Exit& exit);
    Command(Group group, const char* name, Add add);
};

/// Makes an option one that takes a value each time it is given. `type` stands for the value in the help.
inline CLI::Option* repeatable(CLI::Option* option, const char* type) {
    return option->take_all()->expected(1)->allow_extra_args(false)->type_name(type);
}

/// 010 is 10: CLI11 reads a number that begins with 0 as octal.
inline void remove_leading_zeros(std::string& text) {
    if (text.find_first_not_of("0123456789") == std::string::npos)
        text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
}

/// Checks that the text of an option is a number of type T from `least` to `most`. For CLI::Option::transform().
template <class T> CLI::Validator number_between(T least, T most) {
    const auto check = [=](std::string& text) {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size()) return fmt::format("'{}' is not a number", text);
        if (number < static_cast<double>(least) || number > static_cast<double>(most))
            return fmt::format("{} is not between {} and {}", text, least, most);
        if (std::is_integral_v<T> && number != std::floor(number)) return text + " is not a whole number";
        remove_leading_zeros(text);
        return std::string();
    };
    return {check, fmt::format("{} in [{} - {}]", CLI::detail::type_name<T>(), least, most)};
}

inline constexpr unsigned most_jobs = 1024;

/// `--jobs` of a command that starts threads, no processes.
inline CLI::Option* add_threads_option(CLI::App& command, unsigned& jobs) {
    return command.add_option("--jobs", jobs, "Threads; 0: one a core")
        ->transform(number_between(0U, most_jobs))
        ->capture_default_str();
}

/// Checks that the text of an option is a whole number of 64 bits: CLI11 itself takes -1 for the largest. For
/// CLI::Option::transform().
inline CLI::Validator whole_number() {
    const auto check = [](std::string& text) {
        std::uint64_t number = 0;
        const bool is_hex = text.starts_with("0x");
        const char* digits = text.data() + (is_hex ? 2 : 0);
        const auto [end, error] = std::from_chars(digits, text.data() + text.size(), number, is_hex ? 16 : 10);
        const bool is_read = end == text.data() + text.size() && error != std::errc::invalid_argument;
        if (!is_read) return fmt::format("'{}' is not a whole number", text);
        if (error != std::errc{}) return text + " is too large: the largest is 18446744073709551615";
        remove_leading_zeros(text);
        return std::string();
    };
    return {check, CLI::detail::type_name<std::uint64_t>()};
}

/// Makes an option one that takes patterns for names, and refuses one with a former name: no name matches it. Roundings
/// may have the names that instruction sets give them: 'fp32-*-rne-sat'.
CLI::Option* globs(CLI::Option* option);
/// Makes an option one that takes the name of a rounding, or names with one in them, also as instruction sets call it.
CLI::Option* with_roundings(CLI::Option* option);

/// Calls every registered Add, ordered by group and name.
void add_commands(CLI::App& app, Exit& exit);

/// Parses the arguments and runs the command. Returns the exit code; never throws.
[[nodiscard]] int run(int argc, const char* const* argv);

} // namespace mxcert::cli

// SPDX-License-Identifier: Apache-2.0
#include "conformance/launch/pipe_spec.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/launch/backend_file.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::launch {
namespace {

constexpr std::string_view prefix = "pipe:";

std::string_view first_word(std::string_view command) {
    constexpr std::string_view space = " \t\n";
    const std::size_t begin = std::min(command.find_first_not_of(space), command.size());
    return command.substr(begin, command.find_first_of(space, begin) - begin);
}

} // namespace

bool is_pipe(std::string_view argument) { return argument.starts_with(prefix); }

PipeSpec parse_pipe(std::string_view argument) {
    const std::string_view rest = argument.substr(std::min(prefix.size(), argument.size()));
    const std::size_t colon = rest.find(':');
    if (!is_pipe(argument) || colon == std::string_view::npos || first_word(rest.substr(colon + 1)).empty())
        throw std::invalid_argument(fmt::format("'{}' is not pipe:CONVERSION:COMMAND, as in "
                                                "'pipe:fp32-e4m3-nearest_even-sat:./emulator --args'",
                                                print::printable(argument)));
    PipeSpec pipe;
    pipe.command = rest.substr(colon + 1);
    std::string_view names = rest.substr(0, colon);
    for (std::size_t comma = 0; comma != std::string_view::npos; names.remove_prefix(comma + 1)) {
        comma = names.find(',');
        pipe.conversions.push_back(parse_conversion(names.substr(0, comma)));
        if (comma == std::string_view::npos) break;
    }
    return pipe;
}

std::string pipe_argument(std::string_view command, const std::vector<std::string>& conversions) {
    return fmt::format("{}{}:{}", prefix, fmt::join(conversions, ","), command);
}

std::filesystem::path program_of(const PipeSpec& pipe) {
    const std::string_view word = first_word(pipe.command);
    // What the shell would read as more than a path, or looks for in PATH, is left to it.
    constexpr std::string_view of_shell = "\"'$`\\=*?[~(){}<>|&;";
    if (word.find('/') == std::string_view::npos || word.find_first_of(of_shell) != std::string_view::npos) return {};
    if (const std::string flaw = flaw_of_file(word); !flaw.empty()) throw std::invalid_argument(flaw);
    return std::filesystem::canonical(word);
}

std::string name_of(const PipeSpec& pipe) {
    return std::filesystem::path(first_word(pipe.command)).filename().string();
}

std::vector<std::string> worker_arguments(const PipeSpec& pipe) {
    std::vector<std::string> arguments{"--pipe", name_of(pipe), pipe.command};
    // The name, and how many of its digits are random bits: only a table of roundings tells them from a name's own.
    for (const Conversion& conversion : pipe.conversions)
        arguments.push_back(to_string(conversion) + ':' + std::to_string(conversion.random_bits));
    return arguments;
}

} // namespace mxcert::launch

// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace mxcert::print {

ColorMode parse_color_mode(std::string_view text) {
    if (text == "auto") return ColorMode::automatic;
    if (text == "always") return ColorMode::always;
    if (text == "never") return ColorMode::never;
    throw std::invalid_argument("unknown colour mode '" + std::string(text) + "': auto, always or never");
}

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

std::size_t width_of(std::FILE* stream) {
    winsize size{};
    return is_terminal(stream) && ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool use_color(ColorMode mode, std::FILE* stream) {
    if (mode != ColorMode::automatic) return mode == ColorMode::always;
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color != nullptr && *no_color != '\0') return false;
    const char* term = std::getenv("TERM");
    if (term != nullptr && std::string_view(term) == "dumb") return false;
    return is_terminal(stream);
}

std::string colored(std::string_view text, Status status, bool color) {
    if (!color) return std::string(text);
    const char* start = "\x1b[31m";
    if (status == Status::pass) start = "\x1b[32m";
    if (status == Status::unsupported || status == Status::incomplete) start = "\x1b[33m";
    return start + std::string(text) + "\x1b[0m";
}

} // namespace mxcert::print

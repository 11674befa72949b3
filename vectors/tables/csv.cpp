// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/csv.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace mxcert::csv {
namespace {

/// Longer than any line of ours: a `when` that names every choice takes under 300 bytes.
constexpr std::size_t max_line_bytes = 4096;

std::uint64_t line_of(std::string_view text, std::size_t at) {
    return 1 +
           static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

struct BadByte {
    char byte;
    std::string_view reason;
};
constexpr std::array bad_bytes{
    BadByte{'\r', "carriage return: lines end with LF alone"},
    BadByte{'\0', "NUL byte"},
    BadByte{'"', "quote: fields are never quoted"},
};

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

Error::Error(std::string_view file, const std::string& reason)
    : std::runtime_error(std::string(file) + ": " + reason) {}

Error::Error(std::string_view file, std::uint64_t line, const std::string& reason)
    : std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + reason) {}

std::string read_text(const std::filesystem::path& file) {
    const std::string name = file.string();
    std::error_code error;
    const auto kind = std::filesystem::status(file, error);
    if (!std::filesystem::exists(kind)) throw Error(name, "there is no such file");
    // Opening a pipe or a device could wait for ever.
    if (!std::filesystem::is_regular_file(kind)) throw Error(name, "not a regular file");
    const std::unique_ptr<std::FILE, Close> in(std::fopen(name.c_str(), "rb"));
    if (!in) throw Error(name, std::string("cannot be opened: ") + std::strerror(errno));
    std::string text;
    std::array<char, 65536> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), in.get())) {
        text.append(part.data(), size);
        if (text.size() > max_bytes) throw Error(name, "longer than " + std::to_string(max_bytes) + " bytes");
    }
    if (std::ferror(in.get()) != 0) throw Error(name, "cannot be read to its end");
    return text;
}

void check_text(std::string_view text, std::string_view name) {
    if (text.empty()) throw Error(name, "empty");
    if (text.size() > max_bytes) throw Error(name, "longer than " + std::to_string(max_bytes) + " bytes");
    if (text.starts_with("\xEF\xBB\xBF")) throw Error(name, 1, "starts with a byte order mark");
    for (const BadByte& bad : bad_bytes) {
        const std::size_t at = text.find(bad.byte);
        if (at != std::string_view::npos) throw Error(name, line_of(text, at), std::string(bad.reason));
    }
    std::uint64_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos) throw Error(name, line, "the last line has no end: the file was cut off");
        if (end - at > max_line_bytes)
            throw Error(name, line, "longer than " + std::to_string(max_line_bytes) + " bytes");
        at = end + 1;
    }
}

} // namespace mxcert::csv

// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/hex_memory.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::frames {
namespace {

constexpr std::size_t longest_token = 128; ///< a word of 64 bits has 16 digits, and may have underscores

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The value of a hexadecimal digit; -1 if it is none.
int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool is_unknown(char c) { return c == 'x' || c == 'X' || c == 'z' || c == 'Z' || c == '?'; }

class Parser {
  public:
    Parser(std::istream& text, const Format& format, std::uint64_t most) : text_(text), format_(format), most_(most) {}

    HexMemory run() {
        for (std::string token; memory_.error.empty() && next(token);) {
            if (token.front() == '@')
                jump(token);
            else
                word(token);
        }
        return std::move(memory_);
    }

  private:
    void fail(const std::string& reason) {
        if (memory_.error.empty()) memory_.error = fmt::format("{}: {}", line_, reason);
    }

    int get() {
        const int c = text_.get();
        if (c == '\n') ++line_;
        return c;
    }

    // False if the text ends inside a comment, or what follows a slash is none.
    bool comment() {
        const int kind = get();
        if (kind == '/') {
            for (int c = get(); c != '\n' && c != EOF;) c = get();
            return true;
        }
        if (kind == '*') {
            for (int c = get(), before = 0; c != EOF; before = c, c = get())
                if (before == '*' && c == '/') return true;
            fail("a comment without its end");
            return false;
        }
        fail("a slash that starts no comment");
        return false;
    }

    bool next(std::string& token) {
        token.clear();
        for (int c = get(); c != EOF; c = get()) {
            if (c == '/' && token.empty()) {
                if (!comment()) return false;
            } else if (c == '/' && text_.peek() != EOF) {
                text_.unget();
                return true;
            } else if (!is_space(c)) {
                if (token.size() == longest_token) {
                    fail(fmt::format("a word of more than {} characters", longest_token));
                    return false;
                }
                token += static_cast<char>(c);
            } else if (!token.empty()) {
                if (c == '\n') { // the line of an error is the line of its word
                    text_.unget();
                    --line_;
                }
                return true;
            }
        }
        return !token.empty();
    }

    // The number of a token from `at`; false with an error if it is none. `unknown`: it has x or z.
    bool number(const std::string& token, std::size_t at, Code& value, bool& unknown) {
        value = 0;
        unknown = false;
        bool any = false;
        for (; at < token.size(); ++at) {
            const char c = token[at];
            if (c == '_' && any) continue;
            const int digit = digit_of(c);
            if (digit < 0 && !is_unknown(c)) {
                fail(fmt::format("'{}' is no hexadecimal number", print::printable(token)));
                return false;
            }
            if (value >> 60 != 0) {
                fail(fmt::format("'{}' has more than 64 bits", print::printable(token)));
                return false;
            }
            unknown = unknown || digit < 0;
            value = value << 4 | static_cast<Code>(digit < 0 ? 0 : digit);
            any = true;
        }
        if (!any) fail(fmt::format("'{}' is no hexadecimal number", print::printable(token)));
        return any;
    }

    void jump(const std::string& token) {
        Code address = 0;
        bool unknown = false;
        if (!number(token, 1, address, unknown)) return;
        if (unknown) return fail(fmt::format("'{}' is no address", print::printable(token)));
        if (address < memory_.words.size())
            return fail(fmt::format("address {:X} was written already, or addresses do not ascend", address));
        // The most is the number of words that were asked: what lies beyond it can hold no answer.
        if (address >= most_) return fail(fmt::format("address {:X}, there are {} words", address, most_));
        if (address > memory_.words.size() && memory_.unwritten.empty())
            memory_.unwritten = fmt::format("{}: word {} is left out", line_, memory_.words.size());
        memory_.words.resize(address);
    }

    void word(const std::string& token) {
        Code value = 0;
        bool unknown = false;
        if (!number(token, 0, value, unknown)) return;
        if (memory_.words.size() == most_) return fail(fmt::format("more than {} words", most_));
        if (unknown) {
            if (memory_.unwritten.empty())
                memory_.unwritten =
                    fmt::format("{}: word {} is {}", line_, memory_.words.size(), print::printable(token));
            memory_.words.emplace_back();
            return;
        }
        if (value > format_.last_code())
            return fail(fmt::format("'{}' has more than the {} bits of {}", token, format_.width(), format_.name));
        memory_.words.emplace_back(value);
    }

    std::istream& text_;
    const Format& format_;
    std::uint64_t most_;
    std::uint64_t line_ = 1;
    HexMemory memory_;
};

} // namespace

HexMemory parse_hex_memory(std::istream& text, const Format& format, std::uint64_t most) {
    return Parser(text, format, most).run();
}

HexMemory read_hex_memory(const std::filesystem::path& path, const Format& format, std::uint64_t most) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        throw std::runtime_error(fmt::format("'{}' is no regular file", path.string()));
    std::ifstream file(path, std::ios::binary);
    HexMemory memory = file ? parse_hex_memory(file, format, most) : HexMemory{};
    if (!file.eof() && memory.error.empty()) throw std::runtime_error(fmt::format("cannot read '{}'", path.string()));
    return memory;
}

} // namespace mxcert::frames

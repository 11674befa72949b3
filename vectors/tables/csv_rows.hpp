// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// Everything is in memory when the rows are split, so a thread that reads ahead has nothing to do.
#define CSV_IO_NO_THREAD
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// The parser cuts file names at 255 bytes, on purpose; errors here name the file themselves.
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#endif
#include <libfccp/csv.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include "reference/format.hpp"
#include "vectors/tables/csv.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::csv {

/// The rows of a table with N columns, one after the other. Only for the readers: nothing else includes
/// fast-cpp-csv-parser.
template <unsigned N> class Rows {
  public:
    /// Throws Error if check_text() does, or if the first line is not exactly `header`. Both views must outlive the
    /// object.
    Rows(std::string_view text, std::string_view name, std::string_view header)
        : name_(name), reader_(std::string(name), checked(text, name, header), text.data() + text.size()) {
        // The header is compared as bytes by checked(): the parser would take the columns in any order.
        reader_.next_line();
    }

    /// The next row into fields(). False at the end. Throws Error if the row has fewer or more than N columns.
    bool next() {
        try {
            return read(std::make_index_sequence<N>());
        } catch (const io::error::too_few_columns&) {
            fail("fewer than " + std::to_string(N) + " columns");
        } catch (const io::error::too_many_columns&) {
            fail("more than " + std::to_string(N) + " columns");
        } catch (const io::error::base& error) {
            fail(error.what());
        }
    }

    /// One field of the row; valid until the next call of next().
    [[nodiscard]] std::string_view field(std::size_t column) const { return fields_[column]; }

    /// A field that holds a code of the format, in upper case. Throws Error.
    [[nodiscard]] Code code(std::size_t column, const Format& format) const { return code_of(field(column), format); }

    /// A field that holds codes of the format one after the other, in upper case; it may be empty. Throws Error.
    [[nodiscard]] std::vector<Code> codes(std::size_t column, const Format& format) const {
        const std::size_t digits = hex(0, format).size();
        const std::string_view text = field(column);
        if (text.size() % digits != 0)
            fail("'" + std::string(text) + "' does not hold whole codes of " + std::to_string(digits) + " digits");
        std::vector<Code> codes;
        for (std::size_t at = 0; at < text.size(); at += digits)
            codes.push_back(code_of(text.substr(at, digits), format));
        return codes;
    }

    /// A field that holds the difference of two codes: one of the format, perhaps after '-'. Throws Error, also if it
    /// takes more than 63 bits.
    [[nodiscard]] std::int64_t difference(std::size_t column, const Format& format) const {
        const bool negative = field(column).starts_with('-');
        const Code size = code_of(field(column).substr(negative ? 1 : 0), format);
        if (negative && size == 0) fail("'" + std::string(field(column)) + "' is zero with a sign");
        if (size >> 63U != 0) fail("'" + std::string(field(column)) + "' is no difference of less than 2^63");
        return negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
    }

    /// A field that holds a count from 1 to `most`, in decimal digits. Throws Error.
    [[nodiscard]] std::uint64_t count(std::size_t column, std::uint64_t most) const {
        const std::string_view text = field(column);
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value == 0 || value > most ||
            text.front() == '0')
            fail("'" + std::string(text) + "' is not a count from 1 to " + std::to_string(most));
        return value;
    }

    [[nodiscard]] std::uint64_t line() const { return reader_.get_file_line(); }

    /// Throws Error for the row that was read last.
    [[noreturn]] void fail(const std::string& reason) const { throw Error(name_, line(), reason); }

  private:
    using Reader = io::CSVReader<N, io::trim_chars<>, io::no_quote_escape<','>>;

    [[nodiscard]] Code code_of(std::string_view text, const Format& format) const {
        if (text.find_first_of("abcdef") != std::string_view::npos)
            fail("lower-case digits in '" + std::string(text) + "'");
        try {
            return parse_hex(text, format);
        } catch (const std::exception& error) {
            fail(error.what());
        }
    }

    static const char* checked(std::string_view text, std::string_view name, std::string_view header) {
        check_text(text, name);
        const std::string_view first = text.substr(0, text.find('\n'));
        if (first != header)
            throw Error(name, 1, "the header is '" + std::string(first) + "', not '" + std::string(header) + "'");
        return text.data();
    }

    template <std::size_t... I> bool read(std::index_sequence<I...>) { return reader_.read_row(fields_[I]...); }

    std::string_view name_;
    Reader reader_;
    std::array<const char*, N> fields_{};
};

} // namespace mxcert::csv

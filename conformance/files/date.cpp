// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/date.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::files {
namespace {

constexpr std::string_view form = "YYYY-MM-DD";

bool has_form(std::string_view text) {
    return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                      [](char c, char of_form) { return of_form == '-' ? c == '-' : c >= '0' && c <= '9'; });
}

unsigned digits_of(std::string_view digits) {
    unsigned value = 0;
    for (const char digit : digits) value = value * 10 + static_cast<unsigned>(digit - '0');
    return value;
}

} // namespace

std::string date_text(const Date& date) {
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()));
}

Date parse_date(std::string_view text) {
    if (!has_form(text))
        throw std::invalid_argument(fmt::format("'{}' is no date as {}", print::printable(text), form));
    const Date date{std::chrono::year{static_cast<int>(digits_of(text.substr(0, 4)))},
                    std::chrono::month{digits_of(text.substr(5, 2))}, std::chrono::day{digits_of(text.substr(8, 2))}};
    if (!date.ok()) throw std::invalid_argument(fmt::format("'{}' is not a date", text));
    return date;
}

Date date_of_today() { return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()); }

std::string utc_now() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::hh_mm_ss time(now - day);
    return fmt::format("{}T{:02}:{:02}:{:02}Z", date_text(Date(day)), time.hours().count(), time.minutes().count(),
                       time.seconds().count());
}

} // namespace mxcert::files

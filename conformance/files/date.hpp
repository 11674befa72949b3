// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace mxcert::files {

/// A day of the calendar.
using Date = std::chrono::year_month_day;

/// "2026-12-31".
[[nodiscard]] std::string date_text(const Date& date);

/// The reverse. Throws std::invalid_argument for any other form, and for a day that no calendar has.
[[nodiscard]] Date parse_date(std::string_view text);

/// Today in UTC, by the clock of the system: the same day on every machine of a project.
[[nodiscard]] Date date_of_today();

/// Now in UTC: "2026-12-31T23:59:59Z".
[[nodiscard]] std::string utc_now();

} // namespace mxcert::files

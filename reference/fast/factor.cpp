// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/factor.hpp"

namespace mxcert::fast {
namespace {

constexpr Factors::Table table_of(const Format& format) {
    Factors::Table table{};
    for (Code code = 0; code <= format.last_code(); ++code) table[code] = Factors::factor_of(format, code);
    return table;
}

struct Row {
    const Format* format;
    Factors::Table table;
};

constexpr Row row(const Format& format) { return {&format, table_of(format)}; }

constexpr std::array rows{row(formats::e4m3),     row(formats::e5m2),     row(formats::e8m0), row(formats::e2m1),
                          row(formats::e4m3fnuz), row(formats::e5m2fnuz), row(formats::e3m2), row(formats::e2m3),
                          row(formats::int8),     row(formats::ue4m3)};

} // namespace

Factors::Factors(const Format& format) : format_(&format) {
    for (const Row& row : rows)
        if (row.format->name == format.name) table_ = &row.table;
}

} // namespace mxcert::fast

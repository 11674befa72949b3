// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/points_csv.hpp"

#include <stdexcept>

#include "conformance/print/text.hpp"
#include "vectors/tables/csv.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::inputs {
namespace {

constexpr std::string_view header = "input,code";

// Codes are upper case in every table; parse_hex() alone would take both.
Code parse_upper(std::string_view text, const Format& format) {
    const Code code = parse_hex(text, format);
    if (hex(code, format) != text) throw std::invalid_argument("'" + std::string(text) + "' is not in upper case");
    return code;
}

} // namespace

std::string write_points(const std::vector<Point>& points, const Format& from, const Format& to) {
    std::string text(header);
    text += '\n';
    for (const Point& point : points) {
        text += hex(point.input, from);
        text += ',';
        text += hex(point.got, to);
        text += '\n';
    }
    return text;
}

std::vector<Point> parse_points(std::string_view text, std::string_view name, const Format& from, const Format& to) {
    csv::check_text(text, name);
    std::vector<Point> points;
    std::uint64_t line = 0;
    while (!text.empty()) {
        ++line;
        const std::string_view row = print::take_line(text);
        if (line == 1) {
            if (row != header) throw csv::Error(name, line, "the header is not '" + std::string(header) + "'");
            continue;
        }
        const std::size_t comma = row.find(',');
        if (comma == std::string_view::npos) throw csv::Error(name, line, "expected two columns");
        Point point;
        try {
            point.input = parse_upper(row.substr(0, comma), from);
            point.got = parse_upper(row.substr(comma + 1), to);
        } catch (const std::invalid_argument& error) {
            throw csv::Error(name, line, error.what());
        }
        if (!points.empty() && point.input <= points.back().input)
            throw csv::Error(name, line, "the inputs do not ascend");
        points.push_back(point);
    }
    if (points.empty()) throw csv::Error(name, "no rows");
    return points;
}

} // namespace mxcert::inputs

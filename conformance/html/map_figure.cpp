// SPDX-License-Identifier: Apache-2.0
// A map as a whole, and a closer look at the places where inputs are wrong.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/html/heat_map.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

constexpr std::size_t most_zooms = 6;
constexpr std::size_t most_lines = 12; ///< of the table below a zoom

/// Columns with wrong inputs that are close to each other, and their rows.
std::vector<MapWindow> wrong_places(const verdict::InputMap& map) {
    constexpr std::uint32_t close = 3;
    std::vector<MapWindow> runs;
    for (const verdict::InputMap::Band& band : map.bands)
        for (const verdict::InputMap::Run& run : band.runs)
            if (run.wrong != 0) runs.push_back({band.first, band.last, run.first, run.last});
    std::sort(runs.begin(), runs.end(),
              [](const MapWindow& a, const MapWindow& b) { return a.first_column < b.first_column; });
    std::vector<MapWindow> places;
    for (const MapWindow& run : runs) {
        if (places.empty() || run.first_column > places.back().last_column + close) {
            places.push_back(run);
            continue;
        }
        MapWindow& place = places.back();
        place.last_column = std::max(place.last_column, run.last_column);
        place.first_row = std::min(place.first_row, run.first_row);
        place.last_row = std::max(place.last_row, run.last_row);
    }
    return places;
}

// "2^-126" with the exponent raised.
std::string raised(const std::string& label) {
    std::string text;
    for (std::size_t i = 0; i < label.size(); ++i) {
        if (label[i] != '^') {
            text += escaped(label.substr(i, 1));
            continue;
        }
        std::size_t end = i + 1;
        while (end < label.size() && (label[end] == '-' || (label[end] >= '0' && label[end] <= '9'))) ++end;
        text += "<sup>" + label.substr(i + 1, end - i - 1) + "</sup>";
        i = end - 1;
    }
    return text;
}

// Some cells around it, so that it is seen where it begins; of binades all rows.
MapWindow with_margin(const verdict::InputMap& map, MapWindow place) {
    constexpr std::uint32_t margin = 2;
    const auto before = [](std::uint32_t cell) { return cell < margin ? 0 : cell - margin; };
    place.first_column = before(place.first_column);
    place.last_column = std::min(place.last_column + margin, map.columns - 1);
    const bool is_codes = map.from->scale != nullptr;
    place.first_row = is_codes ? before(place.first_row) : 0;
    place.last_row = is_codes ? std::min(place.last_row + margin, map.rows - 1) : map.rows - 1;
    return place;
}

std::string counts_table(const verdict::InputMap& map, const MapWindow& place) {
    std::vector<std::vector<std::string>> rows;
    std::size_t left_out = 0;
    for (const verdict::InputMap::Band& band : map.bands)
        for (const verdict::InputMap::Run& run : band.runs) {
            if (run.wrong == 0 || run.first < place.first_column || run.last > place.last_column) continue;
            if (rows.size() == most_lines) {
                ++left_out;
                continue;
            }
            rows.push_back({escaped(rows_text(map, band.first, band.last)),
                            raised(columns_text(map, run.first, run.last)), print::grouped(run.wrong),
                            print::grouped(run.asked)});
        }
    const bool is_codes = map.from->scale != nullptr;
    return table("cells", {is_codes ? "scale" : "times", is_codes ? "element" : "binade", "wrong", "asked"}, rows) +
           (left_out == 0 ? ""
                          : fmt::format("<p class=\"note\">and {}</p>\n", print::counted(left_out, "further line")));
}

std::string zooms(const verdict::InputMap& map, const std::string& name) {
    std::string text;
    const std::vector<MapWindow> places = wrong_places(map);
    for (std::size_t i = 0; i < std::min(places.size(), most_zooms); ++i) {
        const std::string where = fmt::format("{}{}", map.from->scale != nullptr ? "elements " : "",
                                              columns_text(map, places[i].first_column, places[i].last_column));
        text +=
            details("zoom", "Closer: " + raised(where),
                    scrolling("map", heat_map(map, with_margin(map, places[i]), name + ", " + where)) +
                        counts_table(map, places[i]) + "<p class=\"note\">Each cell of a line has these counts.</p>\n");
    }
    if (places.size() > most_zooms)
        text +=
            fmt::format("<p class=\"note\">and {}</p>\n", print::counted(places.size() - most_zooms, "further place"));
    return text;
}

} // namespace

std::string map_figure(const verdict::InputMap& map, const std::string& name) {
    if (map.bands.empty()) return {};
    return fmt::format("<figure>\n{}<figcaption>{}<p class=\"note\">{}</p></figcaption>\n</figure>\n",
                       scrolling("map", heat_map(map, whole_window(map), name)), map_legend(),
                       escaped(axes_text(map))) +
           zooms(map, name);
}

} // namespace mxcert::html

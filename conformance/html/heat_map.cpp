// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "conformance/html/markup.hpp"

namespace mxcert::html {
namespace {

constexpr double left = 76;
constexpr double top = 14; ///< with room for the marks of columns that have wrong inputs
constexpr double width = 950;
constexpr double below = 34; ///< for the labels of columns
constexpr double least_column_label = 64;
constexpr double least_row_label = 18;
constexpr std::array classes{"asked-1", "asked-2", "asked-3", "wrong-1", "wrong-2", "wrong-3"};
constexpr std::array meanings{"asked, 1 to 7 inputs",      "asked, 8 to 4,095",      "asked, 4,096 or more",
                              "wrong, fewer than a tenth", "wrong, a tenth or more", "wrong, every one"};
constexpr std::uint8_t first_wrong = 3; ///< of classes
constexpr std::uint8_t not_asked = classes.size();

std::uint8_t class_of(const verdict::InputMap::Run& run) {
    constexpr std::uint64_t few = 8;
    constexpr std::uint64_t many = 4096;
    if (run.wrong == 0) return run.asked < few ? 0 : run.asked < many ? 1 : 2;
    if (run.wrong == run.asked) return first_wrong + 2;
    return run.wrong < run.asked / 10 ? first_wrong : first_wrong + 1;
}

/// Where cells are in a picture.
struct Grid {
    MapWindow window;
    double cell_width = 0;
    double cell_height = 0;

    explicit Grid(const MapWindow& this_window) : window(this_window) {
        constexpr double most_height = 512;
        constexpr double highest_cell = 14;
        cell_width = width / columns();
        cell_height = std::min(highest_cell, most_height / rows());
    }
    [[nodiscard]] std::uint32_t columns() const { return window.last_column - window.first_column + 1; }
    [[nodiscard]] std::uint32_t rows() const { return window.last_row - window.first_row + 1; }
    [[nodiscard]] double height() const { return cell_height * rows(); }
    [[nodiscard]] double x(double column) const { return left + (column - window.first_column) * cell_width; }
    [[nodiscard]] double y(double row) const { return top + (row - window.first_row) * cell_height; }
};

// Every how many cells a label fits: a power of two.
std::uint32_t label_step(double cell, double least) {
    std::uint32_t step = 1;
    while (cell * step < least) step *= 2;
    return step;
}

// "2^-126" with the exponent raised.
std::string label_html(const std::string& label) {
    const std::size_t power = label.find('^');
    if (power == std::string::npos) return escaped(label);
    return fmt::format("{}<tspan class=\"raised\" dy=\"-5\">{}</tspan>", escaped(label.substr(0, power)),
                       escaped(label.substr(power + 1)));
}

std::string axes(const verdict::InputMap& map, const Grid& grid) {
    std::string svg;
    const std::uint32_t step = label_step(grid.cell_width, least_column_label);
    const double base = grid.y(grid.window.last_row + 1.0);
    // Binades are counted from 2^0, codes from 0.
    const std::uint32_t offset =
        map.from->scale == nullptr && map.from->bias >= 0 ? static_cast<std::uint32_t>(map.from->bias) % step : 0;
    for (std::uint32_t column = grid.window.first_column; column <= grid.window.last_column; ++column) {
        if (column % step != offset) continue;
        const double middle = grid.x(column + 0.5);
        svg += fmt::format("<path class=\"tick\" d=\"M{0:.1f} {1:.1f}v5\"/><text x=\"{0:.1f}\" y=\"{2:.1f}\" "
                           "text-anchor=\"middle\">{3}</text>\n",
                           middle, base, base + 20, label_html(columns_text(map, column, column)));
    }
    const std::uint32_t row_step = label_step(grid.cell_height, least_row_label);
    for (std::uint32_t row = grid.window.first_row; row <= grid.window.last_row; ++row) {
        if (row % row_step != 0) continue;
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8,
                           grid.y(row) + std::min(grid.cell_height, 12.0) / 2 + 4, escaped(rows_text(map, row, row)));
    }
    return svg;
}

/// Rows whose cells have the same colours.
struct ColourBand {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::vector<std::uint8_t> colours; ///< of each column of the window: a place in `classes`, or not_asked
};

std::vector<ColourBand> colour_bands(const verdict::InputMap& map, const MapWindow& window) {
    std::vector<ColourBand> bands;
    for (const verdict::InputMap::Band& band : map.bands) {
        const std::uint32_t first_row = std::max(band.first, window.first_row);
        const std::uint32_t last_row = std::min(band.last, window.last_row);
        if (first_row > last_row) continue;
        std::vector<std::uint8_t> colours(window.last_column - window.first_column + 1, not_asked);
        for (const verdict::InputMap::Run& run : band.runs)
            for (std::uint32_t column = std::max(run.first, window.first_column);
                 column <= std::min(run.last, window.last_column); ++column)
                colours[column - window.first_column] = class_of(run);
        if (!bands.empty() && bands.back().last + 1 == first_row && bands.back().colours == colours)
            bands.back().last = last_row;
        else
            bands.push_back({first_row, last_row, std::move(colours)});
    }
    return bands;
}

// Cells of one colour are one path, in units of cells.
std::array<std::string, classes.size()> paths(const verdict::InputMap& map, const MapWindow& window) {
    std::array<std::string, classes.size()> paths;
    for (const ColourBand& band : colour_bands(map, window)) {
        const std::uint32_t height = band.last - band.first + 1;
        for (std::size_t first = 0; first < band.colours.size();) {
            std::size_t end = first;
            while (end < band.colours.size() && band.colours[end] == band.colours[first]) ++end;
            if (band.colours[first] != not_asked)
                paths.at(band.colours[first]) += fmt::format("M{} {}h{}v{}h-{}z", first + window.first_column,
                                                             band.first, end - first, height, end - first);
            first = end;
        }
    }
    return paths;
}

// A mark above neighbouring columns with wrong inputs: a cell may be too small to be seen.
std::string marks(const verdict::InputMap& map, const Grid& grid) {
    std::vector<bool> wrong(grid.columns() + 1, false);
    for (const ColourBand& band : colour_bands(map, grid.window))
        for (std::size_t i = 0; i < band.colours.size(); ++i)
            wrong[i] = wrong[i] || (band.colours[i] >= first_wrong && band.colours[i] != not_asked);
    std::string svg;
    for (std::size_t first = 0; first < wrong.size();) {
        std::size_t end = first;
        while (end < wrong.size() && wrong[end] == wrong[first]) ++end;
        if (wrong[first])
            svg += fmt::format("<path class=\"mark\" d=\"M{:.1f} {}l-5 -9h10z\"/>\n",
                               grid.x(grid.window.first_column + static_cast<double>(first + end) / 2), top - 1);
        first = end;
    }
    return svg;
}

} // namespace

MapWindow whole_window(const verdict::InputMap& map) { return {0, map.rows - 1, 0, map.columns - 1}; }

std::string heat_map(const verdict::InputMap& map, const MapWindow& window, const std::string& name) {
    const Grid grid(window);
    std::string svg = fmt::format("<svg class=\"map\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\">\n",
                                  escaped(name), left + width + 24, top + grid.height() + below);
    svg += fmt::format("<rect class=\"none\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{:.1f}\"/>\n", left, top, width,
                       grid.height());
    svg += fmt::format("<g shape-rendering=\"crispEdges\" transform=\"translate({:.3f} {:.3f}) scale({:.6f} "
                       "{:.6f})\">\n",
                       grid.x(0), grid.y(0), grid.cell_width, grid.cell_height);
    const auto of_class = paths(map, window);
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (!of_class.at(i).empty())
            svg += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", classes.at(i), of_class.at(i));
    svg += fmt::format("</g>\n<rect class=\"edge\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{:.1f}\"/>\n", left, top,
                       width, grid.height());
    return svg + marks(map, grid) + axes(map, grid) + "</svg>\n";
}

std::string map_legend() {
    const auto item = [](const char* of_class, const char* meaning) {
        return fmt::format("<li><svg class=\"map\" viewBox=\"0 0 1 1\" style=\"min-width:0;display:inline\" "
                           "aria-hidden=\"true\"><rect class=\"{}\" width=\"1\" height=\"1\"/></svg> {}</li>\n",
                           of_class, meaning);
    };
    std::string text = "<ul class=\"legend\">\n" + item("none", "not asked");
    for (std::size_t i = 0; i < classes.size(); ++i) text += item(classes.at(i), meanings.at(i));
    text += "<li><svg class=\"map\" viewBox=\"0 0 10 10\" style=\"min-width:0;display:inline\" aria-hidden=\"true\">"
            "<path class=\"mark\" d=\"M5 9l-5 -9h10z\"/></svg> a column with wrong inputs</li>\n";
    return text + "</ul>\n";
}

} // namespace mxcert::html

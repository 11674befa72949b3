// SPDX-License-Identifier: Apache-2.0
// The plot as SVG: magnitude along, relative error up, both as powers of two.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/measure/logarithm.hpp"
#include "conformance/measure/measure.hpp"
#include "conformance/measure/svg.hpp"

namespace mxcert::measure {
namespace {

constexpr int left = 70;
constexpr int top = 50;
constexpr int width = 640;
constexpr int height = 360;
constexpr int legend = 190; ///< width
constexpr int line_height = 20;
/// What the axes span, in exponents of two.
struct Span {
    int low = 0;
    int high = 0;
    void take(int exponent) {
        low = std::min(low, exponent);
        high = std::max(high, exponent);
    }
    [[nodiscard]] int size() const { return high - low; }
    /// Between lines of the grid: 1, 2, 5, 10, 20 or 50.
    [[nodiscard]] int step() const {
        constexpr int most = 12;
        for (const int step : {1, 2, 5, 10, 20})
            if (size() / step <= most) return step;
        return 50;
    }
};

class Plot {
  public:
    explicit Plot(const Measurement& measurement) {
        bool first = true;
        for (const Quality& quality : measurement.qualities)
            for (const auto& [exponent, binade] : quality.binades) {
                if (first) magnitude_ = {exponent, exponent};
                first = false;
                magnitude_.take(exponent);
                magnitude_.take(exponent + 1); // the binade's upper end
                for (const double error : {binade.mean, binade.largest}) {
                    if (error <= 0) continue;
                    error_.take(floor_log2(error));
                    error_.take(ceil_log2(error));
                }
            }
        if (first) magnitude_ = {0, 1};
        error_.low = std::max(error_.low, lowest_error);
    }

    [[nodiscard]] std::string axes() const {
        std::string svg;
        for (int e = magnitude_.low; e <= magnitude_.high; ++e) {
            if (e % magnitude_.step() != 0 && magnitude_.size() > 0) continue;
            svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {} v{}\"/>\n", x(e), top, height);
            svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(e),
                               top + height + line_height, e);
        }
        for (int e = error_.low; e <= error_.high; ++e) {
            if (e % error_.step() != 0) continue;
            svg += fmt::format("<path class=\"grid\" d=\"M{} {:.1f} h{}\"/>\n", left, y(e), width);
            svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, y(e) + 4, e);
        }
        return svg;
    }

    /// A point in the middle of each binade that has an error; a line joins neighbours.
    [[nodiscard]] std::string curve(const Quality& quality, double BinadeErrors::*error, const char* colour,
                                    const char* dashes) const {
        std::string path;
        std::string dots;
        int before = magnitude_.low - 2;
        for (const auto& [exponent, binade] : quality.binades) {
            if (binade.*error <= 0) continue;
            const double along = x(exponent + 0.5);
            const double up = y(std::max<double>(log2_of(binade.*error), error_.low));
            path += fmt::format("{}{:.1f} {:.1f}", exponent == before + 1 ? "L" : "M", along, up);
            dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\"/>\n", along, up, colour);
            before = exponent;
        }
        if (path.empty()) return {};
        return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", path, colour,
                           dashes) +
               dots;
    }

  private:
    static constexpr int lowest_error = -40;

    [[nodiscard]] double x(double exponent) const {
        return left + width * (exponent - magnitude_.low) / std::max(1, magnitude_.size());
    }
    [[nodiscard]] double y(double exponent) const {
        return top + height * (error_.high - exponent) / std::max(1, error_.size());
    }

    Span magnitude_;
    Span error_{-8, 0};
};

constexpr const char* solid = "";
constexpr const char* dashed = " stroke-dasharray=\"5 4\"";

std::string sample(int line, const char* colour, const char* dashes, const std::string& text) {
    const int x = left + width + 20;
    const int y = top + line_height * line;
    return fmt::format("<path d=\"M{} {} h24\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n"
                       "<text x=\"{}\" y=\"{}\">{}</text>\n",
                       x, y, colour, dashes, x + 32, y + 4, text);
}

} // namespace

std::string measure_plot(const std::string& name, const std::vector<Method>& methods, const Measurement& measurement) {
    const Plot plot(measurement);
    const int lines = static_cast<int>(methods.size()) + 3;
    const int full_width = left + width + legend + 20;
    const int full_height = std::max(top + height + 60, top + line_height * lines);
    std::string svg = svg_begin(full_width, full_height, left, top - 24, "Relative error of " + svg_text(name));
    svg += plot.axes();
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#52606d\"/>\n", left,
                       top, width, height);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">log2 of the magnitude</text>\n",
                       left + width / 2, top + height + 2 * line_height + 4);
    svg += fmt::format("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">log2 of the relative "
                       "error</text>\n",
                       top + height / 2);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const char* colour = svg_colour(i);
        svg += plot.curve(measurement.qualities[i], &BinadeErrors::largest, colour, dashed);
        svg += plot.curve(measurement.qualities[i], &BinadeErrors::mean, colour, solid);
        svg += sample(static_cast<int>(i), colour, solid, to_string(methods[i]));
    }
    constexpr const char* grey = "#52606d";
    svg += sample(lines - 2, grey, solid, "mean of the binade");
    svg += sample(lines - 1, grey, dashed, "largest");
    return svg + "</svg>\n";
}

} // namespace mxcert::measure

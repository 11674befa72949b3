// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/svg.hpp"

#include <array>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::measure {

const char* svg_colour(std::size_t number) {
    constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                 "#e69f00", "#56b4e9", "#000000", "#999933"};
    return colours.at(number % colours.size());
}

std::string svg_text(const std::string& text) {
    std::string out;
    for (const char c : print::printable(text)) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string svg_begin(int width, int height, int title_x, int title_y, const std::string& title) {
    std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                                  "height=\"{1}\" role=\"img\">\n",
                                  width, height);
    svg += fmt::format("<title>{}</title>\n", title);
    svg += "<style>text { font: 12px system-ui, sans-serif; fill: #1f2933; } .grid { stroke: #d9dee3; }</style>\n";
    svg += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" style=\"font-weight: 600\">{}</text>\n", title_x, title_y, title);
    return svg;
}

} // namespace mxcert::measure

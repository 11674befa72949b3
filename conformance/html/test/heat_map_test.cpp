// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/heat_map.hpp"

#include <pugixml.hpp>

#include "catch.hpp"

using namespace mxcert;
using verdict::InputMap;

namespace {

const InputMap half_wrong{
    &formats::fp16, &formats::e4m3, 32, 32, {{0, 15, {{0, 31, 64, 0}}}, {16, 31, {{0, 14, 64, 64}, {15, 31, 64, 1}}}}};

std::string path_of(const std::string& svg, const char* of_class) {
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    for (const pugi::xpath_node& node : document.select_nodes("//path"))
        if (std::string_view(node.node().attribute("class").value()) == of_class)
            return node.node().attribute("d").value();
    return {};
}

} // namespace

TEST_CASE("cells of one colour are one path, and a window cuts it off") {
    const std::string svg = html::heat_map(half_wrong, html::whole_window(half_wrong), "a <name>");
    CHECK(path_of(svg, "asked-2") == "M0 0h32v16h-32z");
    CHECK(path_of(svg, "wrong-3") == "M0 16h15v16h-15z");
    CHECK(path_of(svg, "wrong-1") == "M15 16h17v16h-17z");
    CHECK(path_of(svg, "wrong-2").empty());
    CHECK(path_of(svg, "mark") == "M551.0 13l-5 -9h10z"); // one above all columns, which are next to each other
    CHECK(svg.find("a &lt;name&gt;") != std::string::npos);
    CHECK(path_of(html::heat_map(half_wrong, {14, 17, 14, 16}, ""), "wrong-3") == "M14 16h1v2h-1z");
}

TEST_CASE("cells are called by what is in them") {
    CHECK(html::columns_text(half_wrong, 0, 15) == "zero, subnormals to 2^0");
    CHECK(html::columns_text(half_wrong, 31, 31) == "Inf, NaN");
    CHECK(html::rows_text(half_wrong, 0, 31) == "all");
    CHECK(html::rows_text(half_wrong, 8, 24) == "+1.5 to -1.5");
    const InputMap scaled{&formats::fp32_by_e8m0, &formats::e4m3, 256, 256, {}};
    CHECK(html::columns_text(scaled, 0x7E, 0x7E) == "0x7E");
    CHECK(html::rows_text(scaled, 0, 0xFE) == "0x00 to 0xFE");
}

TEST_CASE("places with wrong inputs that are far from each other are looked at apart") {
    InputMap map{&formats::fp32,
                 &formats::e4m3,
                 32,
                 256,
                 {{0, 31, {{0, 9, 8, 0}, {10, 10, 8, 8}, {11, 199, 8, 0}, {200, 202, 8, 1}, {203, 255, 8, 0}}}}};
    const std::string figure = html::map_figure(map, "x");
    CHECK(figure.find("Closer: 2<sup>-117</sup></summary>") != std::string::npos);
    CHECK(figure.find("Closer: 2<sup>73</sup> to 2<sup>75</sup></summary>") != std::string::npos);
    map.bands = {};
    CHECK(html::map_figure(map, "x").empty());
}

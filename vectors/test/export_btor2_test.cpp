// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "catch.hpp"

#include "vectors/export/export.hpp"

using namespace mxcert;

namespace {

/// Runs a model of BTOR2 that export_table() wrote: whether `code` is permitted for `x`. Throws std::out_of_range where
/// a line names a node that no line before it defines.
bool permitted_by(const std::string& model, Code x, Code code) {
    std::map<std::size_t, Code> values; // of a sort its width
    std::istringstream lines(model);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(';')) continue;
        std::istringstream words(line);
        std::size_t node = 0;
        std::size_t sort = 0;
        std::string kind;
        words >> node >> kind;
        if (kind == "sort") {
            std::string bitvec;
            words >> bitvec >> values[node];
            continue;
        }
        words >> sort;
        if (kind == "output") return values.at(sort) != 0;
        const Code mask = (Code{1} << values.at(sort)) - 1;
        if (kind == "input") {
            std::string name;
            words >> name;
            values[node] = (name == "x" ? x : code) & mask;
        } else if (kind == "const") {
            std::string digits;
            words >> digits;
            if (digits.size() != values.at(sort)) throw std::runtime_error("a constant of another width: " + line);
            values[node] = std::stoull(digits, nullptr, 2);
        } else {
            std::size_t a = 0;
            std::size_t b = 0;
            std::size_t c = 0;
            words >> a >> b >> c;
            if (kind == "slice")
                values[node] = values.at(a) >> c & mask;
            else if (kind == "ite")
                values[node] = values.at(a) != 0 ? values.at(b) : values.at(c);
            else if (kind == "eq")
                values[node] = values.at(a) == values.at(b) ? 1 : 0;
            else if (kind == "ugt")
                values[node] = values.at(a) > values.at(b) ? 1 : 0;
            else if (kind == "ulte")
                values[node] = values.at(a) <= values.at(b) ? 1 : 0;
            else if (kind == "or")
                values[node] = values.at(a) | values.at(b);
            else
                throw std::runtime_error("an unknown line: " + line);
        }
    }
    throw std::runtime_error("the model has no output");
}

} // namespace

TEST_CASE("a model of BTOR2 permits what the table permits", "[values]") {
    PermitTable table;
    table.from = &formats::bf16;
    table.steps = {{0x0000, 0x00FF, permit_code(0x00), "OFP8-ZERO"},
                   {0x0100, 0x7FFF, permit_code(0x80), "OFP8-ROUND"},
                   {0x8000, 0x9FFF, {{0x01, 0x03}, false}, "OFP8-ROUND"},
                   {0xA000, 0xFFFE, {{0x01}, true}, "OFP8-NAN"},
                   {0xFFFF, 0xFFFF, permit_code(0x00), "OFP8-ZERO"}};
    ExportOptions options;
    options.format = ExportFormat::btor2;
    options.name = "bf16-e5m2-nearest_even-nosat";
    options.note = "a test";
    for (const Format* to : {&formats::e5m2, &formats::e4m3, &formats::e5m2fnuz, &formats::e8m0}) {
        table.to = to;
        const std::string model = export_table(table, options);
        for (const PermitStep& step : table.steps)
            for (const Code x : {step.first, step.last})
                for (Code code = 0; code < 256; ++code) {
                    const bool is_listed =
                        std::find(step.permit.codes.begin(), step.permit.codes.end(), code) != step.permit.codes.end();
                    CAPTURE(to->name, x, code);
                    REQUIRE(permitted_by(model, x, code) == (is_listed || (step.permit.any_nan && to->is_nan(code))));
                }
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/measure_page.hpp"

#include <fmt/format.h>

#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

std::string rows_table(const char* name, const measure::Rows& rows) {
    std::vector<std::vector<std::string>> cells;
    for (const std::vector<std::string>& row : rows) {
        std::vector<std::string>& line = cells.emplace_back();
        for (const std::string& cell : row) line.push_back(escaped(cell));
    }
    const std::vector<std::string> heading = cells.front();
    cells.erase(cells.begin());
    return table(name, heading, cells);
}

std::string plot_html(const std::string& svg) { return scrolling("plot", svg, "plot wide"); }

// A value with its element and scale, by every method.
std::string each_html(const std::vector<measure::Method>& methods, const measure::Measurement& measurement) {
    if (measurement.each.empty() || measurement.each.front().empty()) return {};
    return "<pre>" + escaped(measure::each_text(methods, measurement), true) + "</pre>\n";
}

Page page_of(const std::string& name, const std::string& sentence) {
    return {"measure", name, sentence, Status::pass, {}, {}};
}

} // namespace

std::string measure_page(const std::string& name, const measure::TensorInfo& info,
                         const std::vector<measure::Method>& methods, const measure::Measurement& measurement) {
    Page page = page_of(name, measure::tensor_text(info, measurement));
    page.sections = {
        {"errors", "Errors", rows_table("quality", measure::quality_rows(methods, measurement))},
        {"plot", "Error against magnitude", plot_html(measure::measure_plot(name, methods, measurement))},
        {"bytes", "Bytes",
         paragraphs(measure::shape_sentence(info.shape)) +
             rows_table("bytes", measure::bytes_rows(info.shape, methods))},
        {"each", "Every value", each_html(methods, measurement)},
    };
    return page_html(page);
}

std::string model_page(const std::string& name, const std::vector<measure::Method>& methods,
                       const measure::Model& model) {
    Page page = page_of(name, print::counted(model.tensors.size(), "tensor") + ", SQNR in dB");
    std::string left_out;
    for (const std::string& tensor : model.left_out) left_out += "<li>" + code(tensor) + "</li>\n";
    page.sections = {
        {"tensors", "Tensors", rows_table("quality", measure::sqnr_rows(methods, model))},
        {"plot", "SQNR of the tensors", plot_html(measure::model_plot(name, methods, model))},
        {"methods", "Methods", rows_table("bytes", measure::total_rows(methods, model))},
        {"left-out", "Not measured", left_out.empty() ? "" : "<ul>\n" + left_out + "</ul>\n"},
    };
    return page_html(page);
}

std::string bytes_page(const std::vector<std::uint64_t>& shape, const std::vector<measure::Method>& methods) {
    Page page = page_of(measure::shape_text(shape), measure::shape_sentence(shape));
    page.sections = {{"bytes", "Bytes", rows_table("bytes", measure::bytes_rows(shape, methods))}};
    return page_html(page);
}

} // namespace mxcert::html

// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/measure_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/measure/svg.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::measure {
namespace {

std::string decibels(const Quality& quality) {
    const double sqnr = quality.sqnr();
    if (std::isnan(sqnr)) return "-";
    return std::isinf(sqnr) ? "exact" : fmt::format("{:.2f}", sqnr);
}

/// How many tensors each method suits best.
std::vector<std::size_t> wins_of(const std::vector<Method>& methods, const Model& model) {
    std::vector<std::size_t> wins(methods.size(), 0);
    for (const MeasuredTensor& tensor : model.tensors)
        if (const auto best = tensor.best()) ++wins[*best];
    return wins;
}

/// What the axis of a plot spans: whole tens of dB around all that are numbers.
struct Decibels {
    int low = 0;
    int high = 10;

    explicit Decibels(const Model& model) {
        for (const MeasuredTensor& tensor : model.tensors)
            for (const Quality& quality : tensor.measurement.qualities) {
                const double sqnr = quality.sqnr();
                if (!std::isfinite(sqnr)) continue;
                low = std::min(low, static_cast<int>(std::floor(sqnr / 10)) * 10);
                high = std::max(high, static_cast<int>(std::ceil(sqnr / 10)) * 10);
            }
    }
};

} // namespace

std::optional<std::size_t> MeasuredTensor::best() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < measurement.qualities.size(); ++i) {
        const double sqnr = measurement.qualities[i].sqnr();
        if (std::isnan(sqnr) || measurement.qualities[i].lost != 0) continue;
        if (!best || sqnr > measurement.qualities[*best].sqnr()) best = i;
    }
    return best;
}

Model measure_model(const std::filesystem::path& path, const std::vector<Method>& methods, bool binades,
                    const std::function<void(const std::string& name)>& begins) {
    Model model;
    for (const tensors::SafeTensor& tensor : tensors::safetensors_tensors(path)) {
        if (!tensors::is_taken(tensor) || tensor.begin == tensor.end) {
            model.left_out.push_back(
                fmt::format("{} ({})", tensor.name, tensor.begin == tensor.end ? "no values" : tensor.dtype));
            continue;
        }
        begins(tensor.name);
        const TensorFile file(path, {"", std::nullopt, tensor.name});
        MeasuredTensor measured{tensor.name, file.info(), {}};
        try {
            measured.measurement = measure(file, methods);
        } catch (const std::invalid_argument& error) { // one row is too long for the blocks, or for --rule row
            model.left_out.push_back(fmt::format("{} ({})", tensor.name, error.what()));
            continue;
        }
        if (!binades)
            for (Quality& quality : measured.measurement.qualities) quality.binades.clear();
        model.tensors.push_back(std::move(measured));
    }
    if (model.tensors.empty())
        throw std::runtime_error(
            fmt::format("{}: no tensor of F32, F16 or BF16 that can be measured", print::printable(path.string())));
    return model;
}

Rows sqnr_rows(const std::vector<Method>& methods, const Model& model) {
    Rows rows{{"tensor", "shape"}};
    for (const Method& method : methods) rows.front().push_back(to_string(method));
    rows.front().emplace_back("best");
    for (const MeasuredTensor& tensor : model.tensors) {
        std::vector<std::string>& row = rows.emplace_back();
        row = {print::printable(tensor.name), shape_text(tensor.info.shape)};
        for (const Quality& quality : tensor.measurement.qualities) row.push_back(decibels(quality));
        const auto best = tensor.best();
        row.push_back(best ? to_string(methods[*best]) : "-");
    }
    return rows;
}

Rows total_rows(const std::vector<Method>& methods, const Model& model) {
    Rows totals{{"method", "bytes", "of FP32", "best of"}};
    const std::vector<std::size_t> wins = wins_of(methods, model);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        std::uint64_t bytes = 0;
        std::uint64_t values = 0;
        for (const MeasuredTensor& tensor : model.tensors) {
            const TensorBytes of_tensor = bytes_of_tensor(tensor.info.shape, methods[i]);
            bytes += of_tensor.codes + of_tensor.scales;
            values += tensor.info.values;
        }
        totals.push_back({to_string(methods[i]), print::grouped(bytes),
                          fmt::format("{:.2f} %", 25 * static_cast<double>(bytes) / static_cast<double>(values)),
                          print::counted(wins[i], "tensor")});
    }
    return totals;
}

std::string model_text(const std::string& name, const std::vector<Method>& methods, const Model& model) {
    std::string text =
        fmt::format("{}: {}, SQNR in dB\n\n", print::printable(name), print::counted(model.tensors.size(), "tensor"));
    text += print::columns(sqnr_rows(methods, model)) + "\n" + print::columns(total_rows(methods, model));
    if (!model.left_out.empty()) {
        std::vector<std::string> printable;
        for (const std::string& left_out : model.left_out) printable.push_back(print::printable(left_out));
        text += fmt::format("\nNot measured: {}\n", fmt::join(printable, ", "));
    }
    return text;
}

nlohmann::ordered_json model_json(const std::string& name, const std::vector<Method>& methods, const Model& model) {
    nlohmann::ordered_json json = {{"name", name}};
    json["tensors"] = nlohmann::ordered_json::array();
    for (const MeasuredTensor& tensor : model.tensors) {
        nlohmann::ordered_json entry = measure_json(tensor.name, tensor.info, methods, &tensor.measurement);
        const auto best = tensor.best();
        entry["best"] = best ? nlohmann::ordered_json(to_string(methods[*best])) : nlohmann::ordered_json();
        json["tensors"].push_back(std::move(entry));
    }
    json["left_out"] = model.left_out;
    return json;
}

std::string model_plot(const std::string& name, const std::vector<Method>& methods, const Model& model) {
    constexpr int left = 260;
    constexpr int top = 50;
    constexpr int width = 560;
    constexpr int legend = 230;
    constexpr int line = 20;
    constexpr std::size_t longest_name = 36;
    const int height = line * static_cast<int>(model.tensors.size());
    const int full_height = std::max(top + height + 60, top + line * static_cast<int>(methods.size() + 1));
    constexpr const char* ringed = " stroke=\"#1f2933\" stroke-width=\"2\"";
    const Decibels axis(model);
    const auto x = [&](double sqnr) { return left + width * (sqnr - axis.low) / (axis.high - axis.low); };
    std::string svg =
        svg_begin(left + width + legend, full_height, left, top - 24, "SQNR of the tensors of " + svg_text(name));
    for (int tick = axis.low; tick <= axis.high; tick += 10) {
        svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {} v{}\"/>\n", x(tick), top, height);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(tick),
                           top + height + line, tick);
    }
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">SQNR in dB; a ring: the best</text>\n",
                       left + width / 2, top + height + 2 * line + 4);
    for (std::size_t i = 0; i < model.tensors.size(); ++i) {
        const MeasuredTensor& tensor = model.tensors[i];
        const int y = top + line * static_cast<int>(i) + line / 2;
        svg += fmt::format("<path class=\"grid\" d=\"M{} {} h{}\"/>\n", left, y, width);
        // The end of a long name tells more than its beginning.
        const std::string shown = tensor.name.size() <= longest_name
                                      ? tensor.name
                                      : "..." + tensor.name.substr(tensor.name.size() - longest_name);
        svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 8, y + 4, svg_text(shown));
        const auto best = tensor.best();
        for (std::size_t m = 0; m < methods.size(); ++m) {
            const double sqnr = tensor.measurement.qualities[m].sqnr();
            if (!std::isfinite(sqnr)) continue;
            svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"4\" fill=\"{}\"{}><title>{}: {:.2f} dB{}</title>"
                               "</circle>\n",
                               x(sqnr), y, svg_colour(m), best == m ? ringed : "", to_string(methods[m]), sqnr,
                               best == m ? ", best" : "");
        }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const int y = top + line * static_cast<int>(m) + line / 2;
        svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n<text x=\"{}\" y=\"{}\">{}</text>\n",
                           left + width + 24, y, svg_colour(m), left + width + 36, y + 4, to_string(methods[m]));
    }
    return svg + "</svg>\n";
}

} // namespace mxcert::measure

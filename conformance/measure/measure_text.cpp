// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "conformance/measure/measure.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::measure {
namespace {

std::string short_number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.6g}", x); }

std::string fixed(double x, int digits) {
    return std::isfinite(x) ? fmt::format("{:.{}f}", x, digits) : short_number(x);
}

/// "12.5 %", or as a count where the part would not show.
std::string part(std::uint64_t count, std::uint64_t of) {
    if (count == 0) return "0";
    const double percent = 100 * static_cast<double>(count) / static_cast<double>(of);
    return percent < 0.01 ? print::grouped(count) + " in all" : fmt::format("{:.2f} %", percent);
}

std::string summary_text(const TensorSummary& tensor) {
    std::string text = print::counted(tensor.values, "value");
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count != 0) text += ", " + print::grouped(count) + " " + what;
    };
    add(tensor.nans, "NaN");
    add(tensor.infs, "Inf");
    add(tensor.zeros, "zero");
    if (tensor.amax > 0) text += fmt::format(", magnitudes {:.6g} to {:.6g}", tensor.least, tensor.amax);
    return text;
}

std::string block_text(const Method& method) {
    if (method.block == 0) return "-";
    return method.kind == ScaleKind::tile ? text(method.shape()) : std::to_string(method.block);
}

std::string kind_text(const Method& method) {
    const std::string bits =
        method.element->width() == 8 ? "" : fmt::format(", {} bits", method.element->width()); // of an element
    switch (method.kind) {
    case ScaleKind::block: return fmt::format("E8M0, block {}{}", method.block, bits);
    case ScaleKind::absmax: return fmt::format("FP32, block {}{}", method.block, bits);
    case ScaleKind::tile: return fmt::format("FP32, tile {}{}", text(method.shape()), bits);
    case ScaleKind::row: return "FP32, row" + bits;
    case ScaleKind::nvfp4: return fmt::format("E4M3, block {}, and FP32, tensor{}", method.block, bits);
    case ScaleKind::percentile:
    case ScaleKind::tensor: return "FP32, tensor" + bits;
    case ScaleKind::plain: return "plain, none" + bits;
    }
    return {};
}

} // namespace

std::string tensor_text(const TensorInfo& info, const Measurement& measurement) {
    return fmt::format("{} {}, {}", info.format->name, shape_text(info.shape), summary_text(measurement.tensor));
}

Rows quality_rows(const std::vector<Method>& methods, const Measurement& measurement) {
    const TensorSummary& tensor = measurement.tensor;
    Rows rows{{"element", "scale", "block", "max rel. error", "mean rel. error", "MSE", "SQNR dB", "cosine", "clipped",
               "flushed"}};
    const bool any_lost = std::any_of(measurement.qualities.begin(), measurement.qualities.end(),
                                      [](const Quality& quality) { return quality.lost != 0; });
    if (any_lost) rows.front().emplace_back("no number");
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const Method& method = methods[i];
        const Quality& quality = measurement.qualities[i];
        const bool any = quality.relative != 0;
        rows.push_back({std::string(method.element->name), std::string(method.scale()), block_text(method),
                        any ? short_number(quality.largest_relative) : "-",
                        any ? short_number(quality.mean_relative) : "-", short_number(quality.mse()),
                        fixed(quality.sqnr(), 2), fixed(quality.cosine(), 6), part(quality.clipped, tensor.values),
                        part(quality.flushed, tensor.values)});
        if (any_lost) rows.back().push_back(part(quality.lost, tensor.values));
    }
    return rows;
}

std::string measure_text(const std::string& name, const TensorInfo& info, const std::vector<Method>& methods,
                         const Measurement& measurement) {
    return fmt::format("{}: {}\n\n", print::printable(name), tensor_text(info, measurement)) +
           print::columns(quality_rows(methods, measurement)) + "\n" + bytes_text(info.shape, methods);
}

std::string each_text(const std::vector<Method>& methods, const Measurement& measurement) {
    Rows rows{{"value"}};
    for (const Method& method : methods) {
        rows.front().push_back(to_string(method));
        rows.front().emplace_back("is");
    }
    for (std::size_t i = 0; i < measurement.tensor.values; ++i) {
        std::vector<std::string>& row = rows.emplace_back();
        row.push_back(fmt::format("{:.6g}", measurement.each.front().at(i).value));
        for (std::size_t m = 0; m < methods.size(); ++m) {
            const EachValue& each = measurement.each.at(m).at(i);
            row.push_back(fmt::format("0x{:02X}{}", each.element,
                                      methods[m].kind == ScaleKind::plain ? "" : fmt::format(" x {:.6g}", each.scale)));
            row.push_back(fmt::format("{:.6g}", each.quantized));
        }
    }
    return print::columns(rows);
}

Rows bytes_rows(const std::vector<std::uint64_t>& shape, const std::vector<Method>& methods) {
    const std::uint64_t values = values_of(shape);
    const double fp32 = 4 * static_cast<double>(values);
    const auto ratio = [&](std::uint64_t bytes) {
        return fmt::format("{:.2f} %", 100 * static_cast<double>(bytes) / fp32);
    };
    Rows rows{
        {"scale", "codes", "scales", "bytes", "of FP32", "scales padded", "both ways", "of FP32", "scales padded"}};
    std::vector<std::string> seen;
    for (const Method& method : methods) {
        const std::string kind = kind_text(method);
        if (std::find(seen.begin(), seen.end(), kind) != seen.end()) continue;
        seen.push_back(kind);
        const TensorBytes bytes = bytes_of_tensor(shape, method);
        const std::uint64_t one = bytes.codes + bytes.scales;
        const std::uint64_t both = bytes.both_codes + bytes.both_scales;
        rows.push_back({kind, print::grouped(bytes.codes), print::grouped(bytes.scales), print::grouped(one),
                        ratio(one), print::grouped(bytes.padded_scales), print::grouped(both), ratio(both),
                        print::grouped(bytes.both_padded_scales)});
    }
    return rows;
}

std::string shape_sentence(const std::vector<std::uint64_t>& shape) {
    const std::uint64_t values = values_of(shape);
    return fmt::format("{} {}, {} bytes as FP32", shape_text(shape), print::counted(values, "value"),
                       print::grouped(4 * values));
}

std::string bytes_text(const std::vector<std::uint64_t>& shape, const std::vector<Method>& methods) {
    return shape_sentence(shape) + "\n" + print::columns(bytes_rows(shape, methods));
}

} // namespace mxcert::measure

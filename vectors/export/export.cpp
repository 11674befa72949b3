// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/export.hpp"

#include <array>
#include <stdexcept>
#include <vector>

#include "reference/base/near_names.hpp"
#include "vectors/export/entries.hpp"

namespace mxcert {
namespace {

struct FormatName {
    ExportFormat format;
    std::string_view name;
};
constexpr std::array format_names{
    FormatName{ExportFormat::csv, "csv"}, FormatName{ExportFormat::bin, "bin"}, FormatName{ExportFormat::npy, "npy"},
    FormatName{ExportFormat::hex, "hex"}, FormatName{ExportFormat::c, "c"},
};

constexpr unsigned max_lanes = 64;

} // namespace

ExportFormat parse_export_format(std::string_view text) {
    return find_named("export format", text, format_names).format;
}

std::string export_table(const PermitTable& table, const ExportOptions& options) {
    const bool whole = options.format == ExportFormat::csv || options.format == ExportFormat::c;
    if (whole && (options.first || options.last))
        throw std::invalid_argument("csv and c hold every input: a range is for bin, npy and hex");
    if (options.lanes != 1 && options.format != ExportFormat::hex)
        throw std::invalid_argument("lanes are for hex only");
    if (options.lanes < 1 || options.lanes > max_lanes)
        throw std::invalid_argument("lanes must be 1 to " + std::to_string(max_lanes));
    switch (options.format) {
    case ExportFormat::csv: return export_csv(table);
    case ExportFormat::bin: return export_bin(table, options);
    case ExportFormat::npy: return export_npy(table, options);
    case ExportFormat::hex: return export_hex(table, options);
    case ExportFormat::c: return export_c(table, options);
    }
    throw std::invalid_argument("no such export format");
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/export.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "reference/base/near_names.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

using Text = std::string (*)(const TestVectors&);
using Files = std::vector<ExportedFile> (*)(const TestVectors&);

/// A format, and what writes test vectors in it; json is written with its provenance.
struct FormatRow {
    ExportFormat format;
    std::string_view name;
    bool of_table;         ///< of a conversion it holds the table or entries
    const char* ending;    ///< of a file's name
    Text text = nullptr;   ///< one file
    Files files = nullptr; ///< several
};
constexpr std::array format_rows{
    FormatRow{ExportFormat::csv, "csv", true, "csv", write_csv, nullptr},
    FormatRow{ExportFormat::json, "json", false, "json", nullptr, nullptr},
    FormatRow{ExportFormat::npy, "npy", true, "npy", nullptr, write_npy},
    FormatRow{ExportFormat::c, "c", true, "h", write_c, nullptr},
    FormatRow{ExportFormat::rust, "rust", true, "rs", write_rust, nullptr},
    FormatRow{ExportFormat::hex, "hex", true, "hex", nullptr, write_hex},
    FormatRow{ExportFormat::sv, "sv", false, "sv", nullptr, write_sv},
    FormatRow{ExportFormat::riscv_asm, "riscv-asm", false, "S", write_riscv_asm, nullptr},
    FormatRow{ExportFormat::comparators, "comparators", true, "v"},
    FormatRow{ExportFormat::smt2, "smt2", true, "smt2"},
    FormatRow{ExportFormat::btor2, "btor2", true, "btor2"},
};

const FormatRow& row_of(ExportFormat format) {
    return *std::find_if(format_rows.begin(), format_rows.end(),
                         [&](const FormatRow& row) { return row.format == format; });
}

constexpr unsigned max_lanes = 64;

} // namespace

std::vector<std::string_view> export_format_names() {
    std::vector<std::string_view> names;
    for (const FormatRow& row : format_rows) names.push_back(row.name);
    return names;
}

ExportFormat parse_export_format(std::string_view text) {
    return find_named("export format", text, format_rows).format;
}

bool is_of_table(ExportFormat format) { return row_of(format).of_table; }

void check_options(const ExportOptions& options, bool of_table) {
    const bool entries = of_table && (options.format == ExportFormat::npy || options.format == ExportFormat::hex);
    if (!entries && (options.first || options.last))
        throw std::invalid_argument("a range is for conversions as npy and hex: other exports hold every input, or "
                                    "tests that show every planted bug");
    if (options.lanes != 1 && (options.format != ExportFormat::hex || !of_table))
        throw std::invalid_argument("lanes are for conversions as hex only");
    if (options.lanes < 1 || options.lanes > max_lanes)
        throw std::invalid_argument("lanes must be 1 to " + std::to_string(max_lanes));
}

std::string export_table(const PermitTable& table, const ExportOptions& options) {
    check_options(options, true);
    switch (options.format) {
    case ExportFormat::csv: return export_csv(table);
    case ExportFormat::npy: return export_npy(table, options);
    case ExportFormat::hex: return export_hex(table, options);
    case ExportFormat::c: return export_c(table, options);
    case ExportFormat::rust: return export_rust(table, options);
    case ExportFormat::comparators: return export_comparators(table, options);
    case ExportFormat::smt2: return export_smt2(table, options);
    case ExportFormat::btor2: return export_btor2(table, options);
    default: throw std::invalid_argument("no table is written in this format");
    }
}

bool is_folder(ExportFormat format) { return row_of(format).files != nullptr; }

std::vector<ExportedFile> write_vectors(const TestVectors& vectors, ExportFormat format, const Provenance& provenance) {
    const FormatRow& row = row_of(format);
    if (row.files != nullptr) {
        std::vector<ExportedFile> files = row.files(vectors);
        files.push_back(manifest_of(vectors, provenance, files));
        return files;
    }
    if (row.text == nullptr && format != ExportFormat::json)
        throw std::invalid_argument(std::string(row.name) +
                                    " holds the table of a conversion, and no operation has one");
    const std::string name = vectors.name + "." + row.ending;
    return {{name, row.text != nullptr ? row.text(vectors) : write_json(vectors, provenance)}};
}

} // namespace mxcert

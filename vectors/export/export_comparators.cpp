// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "vectors/export/decision_tree.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/export/permit_conditions.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert {
namespace {

/// A constant of Verilog.
std::string verilog(Code code, int width) { return fmt::format("{}'h{:X}", width, code); }
/// The same of SMT-LIB: binary, as widths that are no multiple of four have no hexadecimal constants.
std::string smt(Code code, int width) {
    std::string digits = "#b";
    for (int bit = width - 1; bit >= 0; --bit) digits += (code >> bit & 1) != 0 ? '1' : '0';
    return digits;
}

ConditionWords in_verilog(int width) {
    return {[=](Code constant) { return "code == " + verilog(constant, width); },
            [](int bits, Code constant) { return fmt::format("code[{}:0] > {}", bits - 1, verilog(constant, bits)); }};
}

ConditionWords in_smt(int width) {
    return {[=](Code constant) { return fmt::format("(= code {})", smt(constant, width)); },
            [](int bits, Code constant) {
                return fmt::format("(bvugt ((_ extract {} 0) code) {})", bits - 1, smt(constant, bits));
            }};
}

} // namespace

std::string export_comparators(const PermitTable& table, const ExportOptions& options) {
    const decision_tree::Rows rows = decision_tree::rows_of(table);
    const int width = table.from->width();
    std::string text = fmt::format("// {}, {}\n// Whether a code is right for an input: {} steps, {} different ones.\n"
                                   "module permits_{} (\n    input  wire [{}:0] x,\n    input  wire [{}:0] code,\n"
                                   "    output wire permitted\n);\n",
                                   options.name, options.note, rows.rows.size(), rows.permits.size(),
                                   identifier_of(options.name), width - 1, table.to->width() - 1);
    for (std::size_t i = 0; i < rows.permits.size(); ++i)
        text +=
            fmt::format("    wire permit{} = {};\n", i,
                        fmt::join(conditions_of(rows.permits[i], *table.to, in_verilog(table.to->width())), " || "));
    const decision_tree::Words words{[&](Code last, const std::string& low, const std::string& high) {
                                         return fmt::format("(x <= {} ?\n{} :\n{})", verilog(last, width), low, high);
                                     },
                                     [](std::size_t permit) { return fmt::format("permit{}", permit); }};
    return text + "    assign permitted = " + tree_of(rows, words) + ";\nendmodule\n";
}

std::string export_smt2(const PermitTable& table, const ExportOptions& options) {
    const decision_tree::Rows rows = decision_tree::rows_of(table);
    const int width = table.from->width();
    std::string text = fmt::format("; {}, {}\n; Whether a code is right for an input: {} steps, {} different ones.\n",
                                   options.name, options.note, rows.rows.size(), rows.permits.size());
    const std::string name = "permits_" + identifier_of(options.name);
    for (std::size_t i = 0; i < rows.permits.size(); ++i)
        text +=
            fmt::format("(define-fun {}.{} ((code (_ BitVec {}))) Bool (or false {}))\n", name, i, table.to->width(),
                        fmt::join(conditions_of(rows.permits[i], *table.to, in_smt(table.to->width())), " "));
    const decision_tree::Words words{[&](Code last, const std::string& low, const std::string& high) {
                                         return fmt::format("(ite (bvule x {})\n{}\n{})", smt(last, width), low, high);
                                     },
                                     [&](std::size_t permit) { return fmt::format("({}.{} code)", name, permit); }};
    return text +
           fmt::format("(define-fun {} ((x (_ BitVec {})) (code (_ BitVec {}))) Bool\n", name, width,
                       table.to->width()) +
           tree_of(rows, words) + ")\n";
}

} // namespace mxcert

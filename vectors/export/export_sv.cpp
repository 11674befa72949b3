// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "vectors/export/words.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

/// Whether a code is NaN, as an expression.
std::string nan_of(const Format& format, const std::string& code) {
    const std::string magnitude = fmt::format("{}[{}:0]", code, format.exponent_bits + format.fraction_bits - 1);
    switch (format.specials) {
    case Specials::ieee:
        return fmt::format("{} > {}'h{:X}", magnitude, format.exponent_bits + format.fraction_bits, format.inf_code());
    case Specials::nan_all_ones: return "&" + magnitude;
    case Specials::nan_minus_zero: return fmt::format("{} === {}'h{:X}", code, format.width(), format.sign_bit());
    default: return "1'b0";
    }
}

/// Names of a group: "word_t" and "WORDS"; of one with sizes "word_1x32_t" and "WORDS_1x32".
std::string with_sizes(const std::string& name, const VectorGroup& group) {
    return group.sizes.empty() ? name : name + "_" + sizes_text(group);
}

std::string group_text(const TestVectors& vectors, const VectorGroup& group) {
    std::size_t words = 0;
    for (const TestVector& test : group.tests) words += test.answers.size();
    std::string text = fmt::format("  localparam int {} = {};\n", with_sizes("WORDS", group), words);
    text += fmt::format("  localparam {} = \"{}\";\n  typedef struct packed {{\n", with_sizes("FILE", group),
                        words_file(vectors, group));
    for (const WordMember& member : members_of(vectors, group))
        text += fmt::format("    logic [{}:0] {}; // {} x {} bits\n",
                            static_cast<std::size_t>(member.bits) * member.count - 1, member.name, member.count,
                            member.bits);
    return text + fmt::format("  }} {}_t;\n\n", with_sizes("word", group));
}

std::string permits_text(const VectorField& field) {
    const int bits = word_bits(*field.format);
    return fmt::format(
        "  // Whether one value of `{0}` is right. `open` is its digit of `{0}_open`.\n"
        "  function automatic logic permits_{0}(input logic [{1}:0] code, input logic [{1}:0] expected,\n"
        "                                       input logic [3:0] open);\n"
        "    permits_{0} = code === expected || open[1] || open[2] || (open[0] && {2});\n"
        "  endfunction\n\n",
        field.name, bits - 1, nan_of(*field.format, "code"));
}

} // namespace

std::vector<ExportedFile> write_sv(const TestVectors& vectors) {
    const std::string name = identifier_of(vectors.name);
    std::string text =
        "// " + note_of(vectors) +
        "\n//\n"
        "// $readmemh(FILE, words) fills an array of WORDS words of word_t. Words with the same `test`\n"
        "// follow each other and hold the answers to one test: any of them is right as a whole. A digit\n"
        "// of `..._open` belongs to a value: 1 every NaN code is right as well, 2 further codes are,\n"
        "// which the JSON lists, 4 every code is.\n";
    text += fmt::format("package mxcert_{};\n\n", name);
    for (const VectorGroup& group : vectors.groups) text += group_text(vectors, group);
    for (const VectorField& field : vectors.outputs) text += permits_text(field);
    std::vector<ExportedFile> files{{fmt::format("mxcert_{}.sv", name), text + "endpackage\n"}};
    for (ExportedFile& file : write_hex(vectors)) files.push_back(std::move(file));
    return files;
}

} // namespace mxcert

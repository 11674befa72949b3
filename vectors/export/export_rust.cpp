// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "vectors/export/source_text.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

std::string rust_type(const Format& format) { return "u" + std::to_string(8 * format.bytes()); }

std::string slice(const std::vector<Code>& codes, const Format& format) {
    std::string text;
    for (const Code code : codes) text += (text.empty() ? "0x" : ", 0x") + hex(code, format);
    return "&[" + text + "]";
}

std::string words(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + source_text::literal_of(name);
    return "&[" + text + "]";
}

std::string open_slice(const VectorAnswer& answer, std::size_t output) {
    const std::vector<std::uint8_t> bits = openness(answer, output);
    for (const std::uint8_t value : bits)
        if (value != 0) return fmt::format("&[{}]", fmt::join(bits, ", "));
    return "&[]";
}

std::string test_text(const TestVectors& vectors, const VectorGroup& group, const TestVector& test,
                      std::size_t number) {
    const VectorAnswer& answer = test.answers[number];
    std::string text =
        fmt::format("    Test {{ id: {}, answer: {}, flags: {}, bugs: {}, clauses: {}, comment: {}, sizes: [{}]",
                    source_text::literal_of(test.id), number, test.flags, words(test.bugs), words(test.clauses),
                    source_text::literal_of(test.comment), fmt::join(group.sizes, ", "));
    for (std::size_t i = 0; i < vectors.inputs.size(); ++i)
        text += fmt::format(", {}: {}", vectors.inputs[i].name, slice(test.inputs[i], *vectors.inputs[i].format));
    for (std::size_t i = 0; i < vectors.outputs.size(); ++i)
        text += fmt::format(", {0}: {1}, {0}_open: {2}", vectors.outputs[i].name,
                            slice(answer.outputs[i], *vectors.outputs[i].format), open_slice(answer, i));
    return text + " },\n";
}

} // namespace

std::string export_rust(const PermitTable& table, const ExportOptions& options) {
    const std::vector<Entry> rows = source_text::steps_of(table);
    std::string text = fmt::format("// {}, {}\n\n"
                                   "/// Every input up to `last`, from the step before it, gives `code`.\n"
                                   "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n"
                                   "pub struct Step {{\n"
                                   "    pub last: {},\n"
                                   "    pub code: {},\n"
                                   "    /// 1: any NaN code is permitted as well; 2: further codes are.\n"
                                   "    pub flags: u8,\n}}\n\n"
                                   "pub const STEPS: &[Step] = &[\n",
                                   options.name, options.note, rust_type(*table.from), rust_type(*table.to));
    for (const Entry& row : rows)
        text += fmt::format("    Step {{ last: 0x{}, code: 0x{}, flags: {} }},\n", hex(row.input, *table.from),
                            hex(row.code, *table.to), row.flags);
    return text + fmt::format("];\n\n"
                              "/// The step that holds an input.\n"
                              "pub fn find(input: {}) -> &'static Step {{\n"
                              "    &STEPS[STEPS.partition_point(|step| step.last < input)]\n}}\n",
                              rust_type(*table.from));
}

std::string write_rust(const TestVectors& vectors) {
    std::string text = fmt::format("// {}\n//\n// flags:\n", note_of(vectors));
    for (const CaseFlagInfo& info : all_case_flags())
        text += fmt::format("//   {:<4} {}: {}\n", bit(info.flag), info.name, info.says);
    text +=
        "// open, for each value, or empty: 1 every NaN code is right as well, 2 further codes are, which the JSON\n"
        "// lists, 4 every code is.\n\n"
        "pub struct Test {\n"
        "    pub id: &'static str,\n"
        "    /// 0, or further answers to the test before: any is right.\n"
        "    pub answer: u16,\n"
        "    pub flags: u16,\n"
        "    /// Classes of bugs that the test shows.\n"
        "    pub bugs: &'static [&'static str],\n"
        "    pub clauses: &'static [&'static str],\n"
        "    pub comment: &'static str,\n";
    text +=
        fmt::format("    /// {}\n    pub sizes: [usize; {}],\n", fmt::join(vectors.sizes, ", "), vectors.sizes.size());
    for (const VectorField& field : vectors.inputs)
        text += fmt::format("    /// {}\n    pub {}: &'static [{}],\n", field.format->title, field.name,
                            rust_type(*field.format));
    for (const VectorField& field : vectors.outputs)
        text += fmt::format("    /// {0}\n    pub {1}: &'static [{2}],\n    pub {1}_open: &'static [u8],\n",
                            field.format->title, field.name, rust_type(*field.format));
    text += "}\n\npub const TESTS: &[Test] = &[\n";
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests)
            for (std::size_t number = 0; number < test.answers.size(); ++number)
                text += test_text(vectors, group, test, number);
    return text + "];\n";
}

} // namespace mxcert

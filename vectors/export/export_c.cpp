// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "vectors/export/source_text.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

using source_text::comment;
using source_text::literal_of;
using source_text::replaced;

std::string c_type(const Format& format) { return "uint" + std::to_string(8 * format.bytes()) + "_t"; }

std::string c_constant(Code code, const Format& format) {
    std::string digits = "0x" + hex(code, format);
    if (format.bytes() < 4) return digits;
    return "UINT" + std::to_string(8 * format.bytes()) + "_C(" + digits + ")";
}

/// The values of one field of all tests, one after the other, as a flat array.
class FlatArray {
  public:
    FlatArray(std::string name, std::string type) : name_(std::move(name)), type_(std::move(type)) {}

    /// An expression that points to these values.
    [[nodiscard]] std::string add(const std::vector<std::string>& values) {
        std::string place = fmt::format("&{}[{}]", name_, count_);
        text_ += fmt::format("    {},\n", fmt::join(values, ", "));
        count_ += values.size();
        return place;
    }
    /// "" where nothing was added: C has no empty arrays.
    [[nodiscard]] std::string definition() const {
        if (count_ == 0) return "";
        return fmt::format("static const {} {}[{}] = {{\n{}}};\n\n", type_, name_, count_, text_);
    }

  private:
    std::string name_;
    std::string type_;
    std::string text_;
    std::size_t count_ = 0;
};

std::vector<std::string> constants(const std::vector<Code>& codes, const Format& format) {
    std::vector<std::string> texts;
    for (const Code code : codes) texts.push_back(c_constant(code, format));
    return texts;
}

std::string struct_of(const TestVectors& vectors, const std::string& name) {
    std::string text =
        replaced("typedef struct @_test {\n"
                 "    const char *id;\n"
                 "    unsigned answer;     /* 0, or further answers to the test before, any is right */\n"
                 "    uint16_t flags;      /* the bits above */\n"
                 "    const char *bugs;    /* classes of bugs that the test shows */\n"
                 "    const char *clauses;\n"
                 "    const char *comment;\n",
                 '@', name);
    for (const std::string& size : vectors.sizes) text += fmt::format("    size_t size_{};\n", size);
    for (const VectorField& field : vectors.inputs)
        text += fmt::format("    const {} *{};\n    size_t {}_count;\n", c_type(*field.format), field.name, field.name);
    for (const VectorField& field : vectors.outputs)
        text += fmt::format("    const {} *{};\n    const uint8_t *{}_open; /* NULL: no value is open */\n"
                            "    size_t {}_count;\n",
                            c_type(*field.format), field.name, field.name, field.name);
    return text + replaced("} @_test;\n\n", '@', name);
}

} // namespace

std::string export_c(const PermitTable& table, const ExportOptions& options) {
    const std::string name = "mxcert_" + identifier_of(options.name);
    const std::vector<Entry> rows = source_text::steps_of(table);
    std::string text =
        "/* " + comment(options.name + ", " + options.note) +
        "\n * Every input up to `last`, from the row before it, gives `code`. flags: 1 any NaN code is permitted as"
        "\n * well, 2 further codes are. */\n";
    text += replaced(
        "#ifndef @_h\n#define @_h\n\n#include <stddef.h>\n#include <stdint.h>\n\ntypedef struct @_step {\n", '@', name);
    text += "    " + c_type(*table.from) + " last;\n    " + c_type(*table.to) + " code;\n    uint8_t flags;\n";
    text += replaced("} @_step;\n\nstatic const @_step @_steps[", '@', name) + std::to_string(rows.size()) + "] = {\n";
    for (const Entry& row : rows)
        text += "    {" + c_constant(row.input, *table.from) + ", " + c_constant(row.code, *table.to) + ", " +
                std::to_string(row.flags) + "},\n";
    text += replaced("};\n\n/* The row that holds an input. */\nstatic inline const @_step *@_find(", '@', name) +
            c_type(*table.from) +
            " input) {\n    size_t low = 0;\n    size_t high = " + std::to_string(rows.size() - 1) + ";\n";
    text += replaced("    while (low < high) {\n"
                     "        const size_t middle = low + (high - low) / 2;\n"
                     "        if (@_steps[middle].last < input)\n"
                     "            low = middle + 1;\n"
                     "        else\n"
                     "            high = middle;\n"
                     "    }\n"
                     "    return &@_steps[low];\n"
                     "}\n\n#endif\n",
                     '@', name);
    return text;
}

std::string write_c(const TestVectors& vectors) {
    const std::string name = "mxcert_" + identifier_of(vectors.name);
    std::vector<FlatArray> inputs;
    std::vector<FlatArray> outputs;
    for (const VectorField& field : vectors.inputs) inputs.emplace_back(name + "_" + field.name, c_type(*field.format));
    for (const VectorField& field : vectors.outputs)
        outputs.emplace_back(name + "_" + field.name, c_type(*field.format));
    FlatArray opens(name + "_open", "uint8_t");
    std::string rows;
    std::size_t count = 0;
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests) {
            std::vector<std::string> input_places;
            for (std::size_t i = 0; i < inputs.size(); ++i)
                input_places.push_back(fmt::format("{}, {}",
                                                   inputs[i].add(constants(test.inputs[i], *vectors.inputs[i].format)),
                                                   test.inputs[i].size()));
            for (std::size_t number = 0; number < test.answers.size(); ++number, ++count) {
                const VectorAnswer& answer = test.answers[number];
                rows +=
                    fmt::format("    {{{}, {}, {}, {}, {}, {}", literal_of(test.id), number, test.flags,
                                literal_of(fmt::format("{}", fmt::join(test.bugs, " "))),
                                literal_of(fmt::format("{}", fmt::join(test.clauses, " "))), literal_of(test.comment));
                for (const std::uint64_t size : group.sizes) rows += fmt::format(", {}", size);
                rows += fmt::format(", {}", fmt::join(input_places, ", "));
                for (std::size_t i = 0; i < outputs.size(); ++i) {
                    std::string open = "NULL";
                    std::vector<std::string> bits;
                    bool any = false;
                    for (const std::uint8_t value : openness(answer, i)) {
                        bits.push_back(std::to_string(value));
                        any = any || value != 0;
                    }
                    if (any) open = opens.add(bits);
                    rows += fmt::format(", {}, {}, {}",
                                        outputs[i].add(constants(answer.outputs[i], *vectors.outputs[i].format)), open,
                                        answer.outputs[i].size());
                }
                rows += "},\n";
            }
        }
    std::string text = "/* " + comment(note_of(vectors)) + "\n *\n * flags:";
    for (const CaseFlagInfo& info : all_case_flags())
        text += fmt::format("\n *   {:<4} {}: {}", bit(info.flag), info.name, info.says);
    text += "\n * open: 1 every NaN code is right as well, 2 further codes are, which the JSON lists, 4 every code is."
            " */\n";
    text += replaced("#ifndef @_h\n#define @_h\n\n#include <stddef.h>\n#include <stdint.h>\n\n", '@', name);
    text += struct_of(vectors, name);
    for (const FlatArray& array : inputs) text += array.definition();
    for (const FlatArray& array : outputs) text += array.definition();
    text += opens.definition();
    text += fmt::format("static const {0}_test {0}_tests[{1}] = {{\n{2}}};\n\n#endif\n", name, count, rows);
    return text;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "vectors/export/entries.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

std::string cell(const std::vector<Code>& codes, const Format& format) {
    std::string text;
    for (const Code code : codes) text += (text.empty() ? "" : " ") + hex(code, format);
    return text;
}

/// No field is quoted, so none has a comma.
std::string without_commas(std::string text) {
    std::replace(text.begin(), text.end(), ',', ';');
    return text;
}

std::string row(const TestVectors& vectors, const VectorGroup& group, const TestVector& test, std::size_t number) {
    const VectorAnswer& answer = test.answers[number];
    std::string text = fmt::format("{},{},{}", test.id, number, sizes_text(group));
    for (std::size_t i = 0; i < vectors.inputs.size(); ++i)
        text += "," + cell(test.inputs[i], *vectors.inputs[i].format);
    for (std::size_t i = 0; i < vectors.outputs.size(); ++i)
        text += "," + cell(answer.outputs[i], *vectors.outputs[i].format);
    std::vector<std::string> open;
    for (const OpenValue& value : answer.open) {
        const VectorField& field = vectors.outputs[value.output];
        open.push_back(fmt::format("{}[{}]={}", field.name, value.index, to_string(value, *field.format)));
    }
    return text + fmt::format(",{},{},{},{},{}\n", fmt::join(open, " "), fmt::join(names_of(test.flags), " "),
                              fmt::join(test.bugs, " "), fmt::join(test.clauses, " "), without_commas(test.comment));
}

} // namespace

std::string export_csv(const PermitTable& table) {
    std::string text = "first,last,permit,clause\n";
    for (const PermitStep& step : table.steps) {
        text += hex(step.first, *table.from) + ',' + hex(step.last, *table.from) + ',';
        text += to_string(step.permit, *table.to) + ',';
        text += step.clause;
        text += '\n';
    }
    return text;
}

std::string write_csv(const TestVectors& vectors) {
    std::string text = "id,answer,sizes";
    for (const VectorField& field : vectors.inputs) text += "," + field.name;
    for (const VectorField& field : vectors.outputs) text += "," + field.name;
    text += ",open,flags,bugs,clauses,comment\n";
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests)
            for (std::size_t number = 0; number < test.answers.size(); ++number)
                text += row(vectors, group, test, number);
    return text;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "vectors/export/entries.hpp"
#include "vectors/export/words.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

/// {flags, code, input}, the input in the lowest bits, each in whole hexadecimal digits.
std::string word_of(const Entry& entry, const PermitTable& table) {
    std::string word(1, static_cast<char>('0' + entry.flags));
    return word + hex(entry.code, *table.to) + hex(entry.input, *table.from);
}

/// Value 0 in the lowest bits.
std::string digits_of(const std::vector<Code>& codes, const Format& format) {
    std::string digits;
    for (std::size_t i = codes.size(); i-- > 0;) digits += hex(codes[i], format);
    return digits;
}

} // namespace

std::vector<WordMember> members_of(const TestVectors& vectors, const VectorGroup& group) {
    const TestVector& first = group.tests.front();
    std::vector<WordMember> members{{"test", 32, 1}};
    for (std::size_t i = 0; i < vectors.outputs.size(); ++i)
        members.push_back({vectors.outputs[i].name + "_open", 4, first.answers.front().outputs[i].size()});
    for (std::size_t i = 0; i < vectors.outputs.size(); ++i)
        members.push_back(
            {vectors.outputs[i].name, word_bits(*vectors.outputs[i].format), first.answers.front().outputs[i].size()});
    for (std::size_t i = 0; i < vectors.inputs.size(); ++i)
        members.push_back({vectors.inputs[i].name, word_bits(*vectors.inputs[i].format), first.inputs[i].size()});
    return members;
}

std::string words_of(const TestVectors& vectors, const VectorGroup& group) {
    std::string text = "// " + note_of(vectors) + "\n// a word, from the highest bits:";
    for (const WordMember& member : members_of(vectors, group))
        text += fmt::format(" {}[{} x {} bits]", member.name, member.count, member.bits);
    text += "; value 0 in the lowest bits of each\n";
    for (std::size_t number = 0; number < group.tests.size(); ++number) {
        const TestVector& test = group.tests[number];
        for (const VectorAnswer& answer : test.answers) {
            text += fmt::format("{:08X}", number);
            for (std::size_t i = 0; i < vectors.outputs.size(); ++i) {
                const std::vector<std::uint8_t> bits = openness(answer, i);
                for (std::size_t bit = bits.size(); bit-- > 0;) text += static_cast<char>('0' + bits[bit]);
            }
            for (std::size_t i = 0; i < vectors.outputs.size(); ++i)
                text += digits_of(answer.outputs[i], *vectors.outputs[i].format);
            for (std::size_t i = 0; i < vectors.inputs.size(); ++i)
                text += digits_of(test.inputs[i], *vectors.inputs[i].format);
            text += '\n';
        }
    }
    return text;
}

std::string words_file(const TestVectors& vectors, const VectorGroup& group) {
    const std::string sizes = sizes_text(group);
    return identifier_of(vectors.name) + (sizes.empty() ? "" : "." + sizes) + ".hex";
}

std::string export_hex(const PermitTable& table, const ExportOptions& options) {
    std::string text =
        fmt::format("// {}, {}\n// a word: {} lane(s), lane 0 in the lowest bits; a lane: {{flags[3:0], "
                    "code[{} bits], input[{} bits]}}\n",
                    options.name, options.note, options.lanes, word_bits(*table.to), word_bits(*table.from));
    std::vector<std::string> lanes;
    const auto write_word = [&] {
        std::for_each(lanes.rbegin(), lanes.rend(), [&](const std::string& lane) { text += lane; });
        text += '\n';
        lanes.clear();
    };
    for_each_entry(table, options, [&](const Entry& entry) {
        lanes.push_back(word_of(entry, table));
        if (lanes.size() == options.lanes) write_word();
    });
    if (!lanes.empty()) {
        // The last entry once more in the lanes left over: every lane of every word can be checked.
        lanes.resize(options.lanes, std::string(lanes.back()));
        write_word();
    }
    return text;
}

std::vector<ExportedFile> write_hex(const TestVectors& vectors) {
    std::vector<ExportedFile> files;
    for (const VectorGroup& group : vectors.groups)
        files.push_back({words_file(vectors, group), words_of(vectors, group)});
    return files;
}

} // namespace mxcert

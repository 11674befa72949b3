// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "vectors/export/entries.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert {
namespace {

void append_little_endian(std::string& text, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

/// Of a member of a record.
struct NumpyMember {
    std::string name;
    std::string type;       ///< as NumPy writes it: "<u4"
    std::size_t length = 0; ///< of an array; 0: it is none
};

/// A byte has no order.
std::string numpy_type(int bytes) { return bytes == 1 ? "|u1" : "<u" + std::to_string(bytes); }

/// A file of so many records, which follow each other without gaps.
std::string numpy_file(const std::vector<NumpyMember>& members, std::size_t count, const std::string& records) {
    std::string description;
    for (const NumpyMember& member : members) {
        description += fmt::format("{}('{}', '{}'", description.empty() ? "" : ", ", member.name, member.type);
        description += member.length == 0 ? ")" : fmt::format(", ({},))", member.length);
    }
    std::string header = fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}", description, count);
    // The data start at a multiple of 64: magic (6), version (2), length (2), header with its line feed.
    constexpr std::size_t before = 10;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    append_little_endian(text, header.size(), 2);
    return text + header + records;
}

std::string joined(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// A group of tests with arrays of the same lengths.
std::string numpy_group(const TestVectors& vectors, const VectorGroup& group) {
    std::size_t id = 1;
    std::size_t bugs = 1;
    std::size_t clauses = 1;
    for (const TestVector& test : group.tests) {
        id = std::max(id, test.id.size());
        bugs = std::max(bugs, joined(test.bugs).size());
        clauses = std::max(clauses, joined(test.clauses).size());
    }
    const auto text_type = [](std::size_t length) { return "|S" + std::to_string(length); };
    std::vector<NumpyMember> members{{"id", text_type(id)},
                                     {"answer", "<u2"},
                                     {"flags", "<u2"},
                                     {"bugs", text_type(bugs)},
                                     {"clauses", text_type(clauses)}};
    const TestVector& first = group.tests.front();
    for (std::size_t i = 0; i < vectors.inputs.size(); ++i)
        members.push_back(
            {vectors.inputs[i].name, numpy_type(vectors.inputs[i].format->bytes()), first.inputs[i].size()});
    for (std::size_t i = 0; i < vectors.outputs.size(); ++i) {
        const std::size_t length = first.answers.front().outputs[i].size();
        members.push_back({vectors.outputs[i].name, numpy_type(vectors.outputs[i].format->bytes()), length});
        members.push_back({vectors.outputs[i].name + "_open", "|u1", length});
    }
    std::string records;
    std::size_t count = 0;
    const auto append_text = [&](std::string text, std::size_t length) {
        text.resize(length, '\0');
        records += text;
    };
    for (const TestVector& test : group.tests) {
        for (std::size_t number = 0; number < test.answers.size(); ++number, ++count) {
            append_text(test.id, id);
            append_little_endian(records, number, 2);
            append_little_endian(records, test.flags, 2);
            append_text(joined(test.bugs), bugs);
            append_text(joined(test.clauses), clauses);
            for (std::size_t i = 0; i < vectors.inputs.size(); ++i)
                for (const Code code : test.inputs[i])
                    append_little_endian(records, code, vectors.inputs[i].format->bytes());
            const VectorAnswer& answer = test.answers[number];
            for (std::size_t i = 0; i < vectors.outputs.size(); ++i) {
                for (const Code code : answer.outputs[i])
                    append_little_endian(records, code, vectors.outputs[i].format->bytes());
                for (const std::uint8_t open : openness(answer, i)) records += static_cast<char>(open);
            }
        }
    }
    return numpy_file(members, count, records);
}

} // namespace

std::string export_npy(const PermitTable& table, const ExportOptions& options) {
    std::string records;
    std::size_t count = 0;
    for_each_entry(table, options, [&](const Entry& entry) {
        append_little_endian(records, entry.input, table.from->bytes());
        append_little_endian(records, entry.code, table.to->bytes());
        append_little_endian(records, entry.flags, 1);
        ++count;
    });
    return numpy_file(
        {{"input", numpy_type(table.from->bytes())}, {"code", numpy_type(table.to->bytes())}, {"flags", "|u1"}}, count,
        records);
}

std::vector<ExportedFile> write_npy(const TestVectors& vectors) {
    std::vector<ExportedFile> files;
    for (const VectorGroup& group : vectors.groups)
        files.push_back({sizes_text(group) + ".npy", numpy_group(vectors, group)});
    return files;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/entries.hpp"

namespace mxcert {
namespace {

void append_little_endian(std::string& text, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

/// The type of a member as NumPy writes it: a byte has no order.
std::string numpy_type(const Format& format) {
    return format.bytes() == 1 ? "|u1" : "<u" + std::to_string(format.bytes());
}

} // namespace

std::string export_bin(const PermitTable& table, const ExportOptions& options) {
    std::string text;
    for_each_entry(table, options, [&](const Entry& entry) {
        append_little_endian(text, entry.input, table.from->bytes());
        append_little_endian(text, entry.code, table.to->bytes());
        append_little_endian(text, entry.flags, 1);
    });
    return text;
}

std::string export_npy(const PermitTable& table, const ExportOptions& options) {
    const std::string entries = export_bin(table, options);
    const auto entry_bytes = static_cast<std::size_t>(table.from->bytes() + table.to->bytes() + 1);
    std::string header = "{'descr': [('input', '" + numpy_type(*table.from) + "'), ('code', '" + numpy_type(*table.to) +
                         "'), ('flags', '|u1')], 'fortran_order': False, 'shape': (" +
                         std::to_string(entries.size() / entry_bytes) + ",), }";
    // The data start at a multiple of 64: magic (6), version (2), length (2), header with its line feed.
    constexpr std::size_t before = 10;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    append_little_endian(text, header.size(), 2);
    return text + header + entries;
}

} // namespace mxcert

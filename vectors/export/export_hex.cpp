// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "vectors/export/entries.hpp"

namespace mxcert {
namespace {

/// {flags, code, input}, the input in the lowest bits, each in whole hexadecimal digits.
std::string word_of(const Entry& entry, const PermitTable& table) {
    std::string word(1, static_cast<char>('0' + entry.flags));
    return word + hex(entry.code, *table.to) + hex(entry.input, *table.from);
}

} // namespace

std::string export_hex(const PermitTable& table, const ExportOptions& options) {
    const auto bits_of = [](const Format& format) { return std::to_string((format.width() + 3) / 4 * 4); };
    std::string text = "// " + options.name + ", " + options.note + "\n// a word: " + std::to_string(options.lanes) +
                       " lane(s), lane 0 in the lowest bits; a lane: {flags[3:0], code[" + bits_of(*table.to) +
                       " bits], input[" + bits_of(*table.from) + " bits]}\n";
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

} // namespace mxcert

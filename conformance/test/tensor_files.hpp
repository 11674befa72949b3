// SPDX-License-Identifier: Apache-2.0
// Files with tensors, right and wrong.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "reference/format.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::test {

/// A number in so many bytes, the lowest first.
inline std::string little_endian(std::uint64_t number, unsigned bytes) {
    std::string text;
    for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
    return text;
}

inline void write_file(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
}

/// Codes of a format as they lie in files.
inline std::string values_text(const Format& format, const std::vector<Code>& codes) {
    std::string text;
    for (const Code code : codes) text += little_endian(code, static_cast<unsigned>(format.bytes()));
    return text;
}

/// A npy file with this dictionary.
inline std::string npy_file(const std::string& dictionary, const std::string& data, int version = 1) {
    std::string header = dictionary;
    header += '\n';
    return "\x93NUMPY" + std::string{static_cast<char>(version), '\0'} +
           little_endian(header.size(), version == 1 ? 2 : 4) + header + data;
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

inline std::string safetensors_file(const std::string& header, const std::string& data) {
    return little_endian(header.size(), 8) + header + data;
}

} // namespace mxcert::test

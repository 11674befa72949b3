// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vectors/export/test_vectors.hpp"

// Tests as words for $readmemh: hex writes them, sv describes them.
namespace mxcert {

/// Bits of a value in a word: whole hexadecimal digits.
[[nodiscard]] constexpr int word_bits(const Format& format) { return (format.width() + 3) / 4 * 4; }

/// A part of a word.
struct WordMember {
    std::string name;
    int bits = 0;          ///< of a value
    std::size_t count = 0; ///< of values; value 0 is in the lowest bits
};

/// From the highest bits to the lowest: the number of the test, how open each value is, outputs, inputs.
[[nodiscard]] std::vector<WordMember> members_of(const TestVectors& vectors, const VectorGroup& group);

/// The lines of a group, and the name of their file.
[[nodiscard]] std::string words_of(const TestVectors& vectors, const VectorGroup& group);
[[nodiscard]] std::string words_file(const TestVectors& vectors, const VectorGroup& group);

} // namespace mxcert

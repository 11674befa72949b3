// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mxcert::cases {

/// The smallest case of a row that was found to fail.
struct SmallestCase {
    std::string sizes;         ///< "2x32"
    std::string given;         ///< as parse_given() reads it
    std::string finding;       ///< what is wrong in it, in words
    std::string arrays;        ///< its inputs in C
    std::uint64_t telling = 0; ///< codes that are not the plain ones of their inputs
    std::uint64_t codes = 0;   ///< of all inputs
};

} // namespace mxcert::cases

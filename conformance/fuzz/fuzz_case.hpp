// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/conversion.hpp"

namespace mxcert::fuzz {

/// A value as a backend gets it.
struct FuzzValue {
    Code input = 0;
    std::uint32_t random = 0; ///< stochastic roundings only
    friend bool operator==(const FuzzValue&, const FuzzValue&) = default;
};

/// One request to a backend: a few values in this order, and how they lie in memory.
struct FuzzCase {
    Conversion conversion;
    std::vector<FuzzValue> values;
    std::uint64_t batch = 0; ///< values a call of the backend; 0: all of them
    unsigned shift = 0;      ///< values by which the buffers are moved up from a multiple of 4096 bytes, 0 to 63
    friend bool operator==(const FuzzCase&, const FuzzCase&) = default;
};

inline constexpr std::size_t max_case_values = 4096; ///< the stock worker makes one call of so many
inline constexpr unsigned max_case_shift = 63;

/// "fp32-e4m3-nearest_even-sat:3F880001,3F880000@batch=1@shift=3", the inputs as the tables print them; a random word
/// follows its input: "3F880001/0000002A". What is 0 is left out.
[[nodiscard]] std::string to_string(const FuzzCase& fuzz_case);
/// The same for people, its codes with 0x. Both are read.
[[nodiscard]] std::string shown(const FuzzCase& fuzz_case);

/// The reverse; the digits may be of either case. Throws std::invalid_argument that says which part is wrong.
[[nodiscard]] FuzzCase parse_fuzz_case(std::string_view text);

} // namespace mxcert::fuzz

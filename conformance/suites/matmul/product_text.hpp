// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/verdict/verdict.hpp"

// What rows of products say, of "matmul" and of "linear".
namespace mxcert::suites {

/// The reason of a FAIL: "3 elements of D are not permitted".
[[nodiscard]] std::string failed_products(const verdict::Row& row);

/// What a row that passes does not say: which products were refused, and how many elements of D were passed over.
/// `how`: "without a bound not judged".
[[nodiscard]] std::string left_out_products(const std::vector<std::string>& refused, std::uint64_t elements,
                                            std::string_view how);

} // namespace mxcert::suites

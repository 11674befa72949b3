// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// The columns of D that have a kind of value beside ordinary ones, in two vectors of 16.
constexpr bool is_special_column(std::size_t column) { return column == 7 || column == 20; }

/// Products whose D has nothing but zeros of a sign, NaN, Inf, values beyond the largest, subnormals, or with c every
/// special value of c; and ordinary values beside them, in other rows and in other columns. Code that treats a vector
/// of them, or with one of them, by itself must not differ.
void for_each_alike_case(const Matmul& matmul, const TakeMatmulCase& take);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/suites/linear/linear_case.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// D of nothing but values of one kind, and of two columns of them beside ordinary ones: code that treats a whole
/// vector by itself must not differ. `seed`: of scales and random words that are given.
void for_each_alike_case(const Linear& linear, std::uint64_t seed, const TakeLinearCase& take);

} // namespace mxcert::suites

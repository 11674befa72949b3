// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/cases/given_case.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {

/// Multiplications of a drawn product: a bound, of any order, is proven in exact arithmetic.
[[nodiscard]] constexpr std::uint64_t most_drawn(bool any_order) { return any_order ? 1U << 11U : 1U << 15U; }

/// A random product of a form with three axes: of at most `most` multiplications, with tails of blocks and without.
/// Elements of up to 8 bits are any, or finite, or mostly zeros; wider values and scales are mostly within 8 binades of
/// 1, so that none of them hides all others.
[[nodiscard]] cases::GivenCase draw_product(SplitMix64& random, const cases::CaseForm& form, std::uint64_t most);

/// The inputs of such a case whose sizes are known.
void draw_operands(SplitMix64& random, const cases::CaseForm& form, cases::GivenCase& given_case);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/dot/accumulator.hpp"
#include "reference/fast/term.hpp"

namespace mxcert::fast {

/// What a sum of Accumulator::promote products is added to, after it. `scales`: null, or for ScaleUse::promotion the
/// exact product of both.
[[nodiscard]] inline Term promote(const Accumulator& model, const Term& promoted, const Term& sum, const Term* scales) {
    const Format& result = *model.result;
    if (scales == nullptr) return nearest(result, add(promoted, sum));
    Term scaled = multiply(sum, nearest(result, *scales));
    if (!model.promote_fma) scaled = nearest(result, scaled);
    return nearest(result, add(promoted, scaled));
}

} // namespace mxcert::fast

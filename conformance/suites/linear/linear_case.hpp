// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// One product: its sizes and its tensors.
struct LinearCase {
    std::string name;
    recipe::LayerSizes sizes;
    recipe::CodeMatrix left; ///< as the tensor lies, codes of the source
    recipe::CodeMatrix right;
    recipe::Scales left_scales; ///< where they are given
    recipe::Scales right_scales;
    std::vector<Code> c;        ///< as D lies; zeros where the operation has none
    std::vector<Code> random{}; ///< a word for each gradient, as it lies, where they are rounded at random
};

/// Takes a case; false if there is no use in going on.
using TakeLinearCase = std::function<bool(const LinearCase&)>;

/// Whether the recipe leaves an element of an operand open: a NaN, or an Inf if its source does not say what that
/// gives. Nothing can be said of the product then.
[[nodiscard]] bool has_open_elements(const Linear& linear, const LinearCase& linear_case);

/// The largest side of a block, at least 32: sizes of multiples of it are taken by everybody.
[[nodiscard]] std::size_t largest_side(const recipe::LayerProduct& operands);

/// The product of the quantized operands by the fast models; `checked`: by both. Throws std::logic_error where they
/// disagree: nothing may be judged then.
[[nodiscard]] MatmulCase product_of(const Linear& linear, const LinearCase& linear_case, bool checked = false);

/// The request to a backend.
[[nodiscard]] frames::RunCase run_of(const Linear& linear, const LinearCase& linear_case);

/// A case that was written down.
[[nodiscard]] LinearCase case_of(const Linear& linear, const cases::GivenCase& given_case);

} // namespace mxcert::suites

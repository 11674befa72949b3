// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/suites/matmul/cases.hpp"

// Cases for a product of a linear layer: tensors of high precision, quantized and multiplied.
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

/// Tensors of ordinary, small and large values, such that blocks of rows and blocks of columns differ in their scales,
/// that each scale rule and each format of elements gives other elements, and that some lines are zero. Sizes that a
/// recipe refuses are left out. With C each is followed by a second step, whose C is the D of the first.
void for_each_value_case(const Linear& linear, unsigned samples, std::uint64_t seed, const TakeLinearCase& take);

/// NaN, Inf unless an MXFP8 recipe does not say what it gives, -0, zeros, subnormals and the largest value in each
/// tensor, and a D of nothing but one kind of these.
void for_each_special_case(const Linear& linear, std::uint64_t seed, const TakeLinearCase& take);

/// Whether the recipe leaves an element of an operand open: a NaN, or an Inf if its source does not say what that
/// gives. Nothing can be said of the product then.
[[nodiscard]] bool has_open_elements(const Linear& linear, const LinearCase& linear_case);

/// The largest side of a block, at least 32: sizes of multiples of it are taken by everybody.
[[nodiscard]] std::size_t largest_side(const recipe::LayerProduct& operands);

/// The product of the quantized operands by the fast models; `checked`: by both. Throws std::logic_error where they
/// disagree: nothing may be judged then.
[[nodiscard]] MatmulCase product_of(const Linear& linear, const LinearCase& linear_case, bool checked = false);

/// What a backend is asked.
[[nodiscard]] frames::RunCase run_of(const Linear& linear, const LinearCase& linear_case);

/// A case that was written down.
[[nodiscard]] LinearCase case_of(const Linear& linear, const cases::GivenCase& given_case);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conformance/suites/scaled_matmul/cases.hpp"

// What a product with an epilogue gives, right or in a wrong way.
namespace mxcert::suites {

/// The values of which the amax is the largest.
enum class AmaxOf : std::uint8_t {
    values,   ///< before the scale of D: right
    scaled,   ///< after it, before they are rounded
    rounded,  ///< of D
    positive, ///< of the values that are not negative
};

/// A way to make D and its amax of the operands. The defaults are what the operation says.
struct ScaledWay {
    const Epilogue* epilogue = nullptr; ///< null: the declared one
    bool bias_first = false;            ///< the bias is added to the sum before the scales
    bool without_bias = false;
    bool bias_of_rows = false; ///< that of the row's number
    bool inverse_a = false;    ///< 1 / scale is taken for the scale
    bool inverse_b = false;
    bool without_a = false; ///< the scale is taken for 1
    bool without_b = false;
    bool first_of_a = false; ///< the first scale for all rows
    bool first_of_b = false;
    bool inverse_d = false;
    bool without_d = false;
    bool through_bf16 = false; ///< values are rounded to BF16 before they are rounded to D
    AmaxOf amax = AmaxOf::values;
};

/// What comes out.
struct ScaledAnswer {
    std::vector<Code> d;
    Code amax = 0;
    bool any_amax = false; ///< a value is NaN, of which no document says what the amax is
};

/// The answers of an operation.
class ScaledModel {
  public:
    explicit ScaledModel(const ScaledMatmul& scaled) : scaled_(scaled) {}

    /// The sums of the products, in rows. Throws std::logic_error if the models disagree on one in sixteen, the first
    /// among them: nothing can be judged then.
    [[nodiscard]] std::vector<Code> sums(const ScaledCase& scaled_case) const;
    /// D and amax of the sums. Throws as sums() does.
    [[nodiscard]] ScaledAnswer answer(const ScaledCase& scaled_case, const std::vector<Code>& sums,
                                      const ScaledWay& way = {}) const;

    /// Whether an answer that came is this one; where `wrong` is given, what differs, in words.
    [[nodiscard]] bool is(const ScaledAnswer& answer, const ScaledCase& scaled_case,
                          const std::vector<frames::Values>& outputs, std::vector<std::string>* wrong = nullptr) const;

  private:
    [[nodiscard]] Code value(const ScaledCase& scaled_case, Code sum, std::size_t row, std::size_t column,
                             const ScaledWay& way) const;

    const ScaledMatmul& scaled_;
};

} // namespace mxcert::suites

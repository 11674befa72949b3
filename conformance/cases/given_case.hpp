// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/frames/run.hpp"
#include "reference/operation/operation.hpp"

// A case of an operation as its sizes and the codes of its inputs: what can be written down, made smaller and asked
// again.
namespace mxcert::cases {

/// A side of an input: an entry for every `each` of an axis of the case, and for those that are left at its end.
struct FormSide {
    static constexpr std::size_t fixed = ~std::size_t{0}; ///< as an axis: of none, `each` entries always
    static constexpr std::size_t block = ~std::size_t{0}; ///< as `each`: what the case names last

    std::size_t axis = 0;
    std::size_t each = 1; ///< 0: one entry for all
};

/// An input as it lies: rows of columns.
struct FormTensor {
    std::string_view name; ///< "values"
    const Format* format = nullptr;
    Code plain = 0; ///< the code that says least: 0, of a scale 1
    FormSide rows;
    FormSide columns;
};

/// What a case of an operation is made of.
struct CaseForm {
    struct AxisOf {
        std::string_view name; ///< "rows"
        std::size_t unit = 1;  ///< values of a block along it, or FormSide::block
        bool is_block = false; ///< no size, but that of blocks
    };
    std::vector<AxisOf> axes;
    std::vector<FormTensor> tensors; ///< in the order of the inputs
};

/// Of the operations "quantize", "dequantize", "quantize_float", "dequantize_float", "matmul", "linear" and "layout". A
/// case of a layout is the size of the scales, whose bytes tell their places. Throws std::invalid_argument for another.
[[nodiscard]] CaseForm form_of(const Operation& operation);
/// Whether the operation has one.
[[nodiscard]] bool can_be_given(const Operation& operation);

/// A case of a form.
struct GivenCase {
    std::vector<std::uint64_t> sizes; ///< of the axes, none of them 0; of blocks last where the operation takes any
    std::vector<std::vector<Code>> tensors; ///< as they lie

    friend bool operator==(const GivenCase&, const GivenCase&) = default;
};

/// A number of values of a block: that one, or of the case.
[[nodiscard]] std::uint64_t values_of_block(std::size_t each, const std::vector<std::uint64_t>& sizes);

/// Rows and columns of an input.
[[nodiscard]] Extent extent_of(const FormTensor& tensor, const std::vector<std::uint64_t>& sizes);

/// The case that a run asks.
[[nodiscard]] GivenCase given_of(const CaseForm& form, const frames::RunCase& run);

/// "2x32=3F800001,00000000*63": the sizes, then the codes of each input, as tables print them, with '/' between inputs;
/// "*63": so many times. "7x9" if the form has no inputs.
[[nodiscard]] std::string to_string(const CaseForm& form, const GivenCase& given_case);

/// The reverse; the digits may be of either case. Throws std::invalid_argument that says what is wrong.
[[nodiscard]] GivenCase parse_given(const CaseForm& form, std::string_view text);

/// The inputs as arrays in C, a line each; of an input of zeros but for a few entries these alone.
[[nodiscard]] std::string c_arrays(const CaseForm& form, const GivenCase& given_case);

/// How many codes are not the plain ones of their inputs.
[[nodiscard]] std::uint64_t count_telling(const CaseForm& form, const GivenCase& given_case);

} // namespace mxcert::cases

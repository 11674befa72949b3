// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/suites/matrix.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// A matrix that shows what joins the values of a block to its scale and to their places: a case of the suite of
/// "quantize".
struct QuantizeCase {
    std::string name;               ///< of all its lines
    std::vector<std::string> lines; ///< what each line is about; empty where the name says it
    BlockMatrix matrix;
    std::vector<Code> values; ///< line after line

    /// "the maximum in each lane: lane 5, negative".
    [[nodiscard]] std::string title(std::uint64_t line) const;
};

/// The cases of a quantizer with blocks of `block` elements: the maximum in each lane and of each sign; NaN, Inf, -0,
/// the smallest and the largest subnormal in each lane; blocks of nothing else; a tail shorter than a block; matrices
/// in which every block is told from every other by its scale, as far as a byte goes.
[[nodiscard]] std::vector<QuantizeCase> quantize_cases(const Quantize& quantize, unsigned block);
/// One more, of 1024 lines of 1024, with blocks of every kind.
[[nodiscard]] QuantizeCase square_case(const Quantize& quantize, unsigned block);
/// One more, of 8192 lines of 8192: several hundred megabytes.
[[nodiscard]] QuantizeCase large_case(const Quantize& quantize, unsigned block);

/// A matrix of elements and scales for a dequantizer, in which each tells its place, with a tail.
struct DequantizeCase {
    std::string name;
    BlockMatrix matrix;
    std::vector<Code> elements; ///< line after line
    std::vector<Code> scales;   ///< line after line
};
[[nodiscard]] std::vector<DequantizeCase> dequantize_cases(const Dequantize& dequantize, unsigned block);
[[nodiscard]] DequantizeCase square_case(const Dequantize& dequantize, unsigned block);
[[nodiscard]] DequantizeCase large_case(const Dequantize& dequantize, unsigned block);

/// What a backend is asked.
[[nodiscard]] frames::RunCase run_of(const Quantize& quantize, const QuantizeCase& quantize_case);
[[nodiscard]] frames::RunCase run_of(const Dequantize& dequantize, const DequantizeCase& dequantize_case);

/// Transformer Engine takes lines in multiples of this.
inline constexpr std::uint64_t whole_lines = 32;
/// The case with its last line repeated up to such a multiple, for a backend that refuses other sizes.
[[nodiscard]] QuantizeCase filled(QuantizeCase quantize_case);
[[nodiscard]] DequantizeCase filled(DequantizeCase dequantize_case);

/// A case that was written down.
[[nodiscard]] QuantizeCase case_of(const Quantize& quantize, const cases::GivenCase& given_case);
[[nodiscard]] DequantizeCase case_of(const Dequantize& dequantize, const cases::GivenCase& given_case);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// A matrix in blocks of a shape, both in rows.
struct FloatMatrix {
    Extent values;
    BlockShape shape;

    [[nodiscard]] Extent scales() const { return scales_of(values, shape); }
    [[nodiscard]] std::uint64_t blocks() const { return count(scales(), "scales"); }
    [[nodiscard]] BlockRange block(std::uint64_t number) const;
    /// Where the scale of a block would lie if those were in columns.
    [[nodiscard]] std::uint64_t place_in_columns(std::uint64_t number) const {
        const Extent all = scales();
        return number % all.columns * all.rows + number / all.columns;
    }
    /// Where a lane of a block lies; lanes count the values of the block in rows.
    [[nodiscard]] std::uint64_t place(const BlockRange& block, std::uint64_t lane) const;
    /// Whether a block at an end is smaller than the others: such a matrix may be refused.
    [[nodiscard]] bool has_tail() const;
};

/// At least `blocks` whole blocks beside each other and below each other, or one where a block is all of the matrix. A
/// side that is as long as the matrix has whole_side values.
[[nodiscard]] FloatMatrix grid_of(const BlockShape& shape, std::uint64_t blocks);
inline constexpr std::uint64_t whole_side = 24;

inline constexpr std::uint64_t large_block = 1024;         ///< blocks of more values are asked fewer things
inline constexpr std::uint64_t values_at_once = 1U << 21U; ///< of a matrix, unless a block has more

/// A matrix that a quantizer with float scales is asked for.
struct FloatCase {
    std::string name;
    std::vector<std::string> blocks; ///< what each block is about; empty where the name says it
    FloatMatrix matrix;
    frames::Values values;
    std::vector<Code> amaxes{}; ///< of the blocks, where it is their scales that are asked

    /// "the maximum in each lane: lane 5, negative" of the block of that number.
    [[nodiscard]] std::string title(std::uint64_t block) const;
};

/// A matrix that a dequantizer is asked for.
struct FloatDequantizeCase {
    std::string name;
    FloatMatrix matrix;
    frames::Values elements;
    frames::Values scales;
};

/// Lanes of a row or column that get each special value.
enum class SpecialLanes : std::uint8_t {
    each,
    ends_of_powers, ///< where vectors and the halves of a reduction end: each power of two, the lane before it, the
                    ///< last
};

/// Calls with each case of what joins the values of a block to its scale and to their places, until a call returns
/// false: the maximum in each lane and of each sign; special values in each lane, in pairs and alone; blocks that fall
/// in size; smaller blocks at the ends; matrices in which each block tells its place by its scale. Of blocks of more
/// than 1024 values the lanes are the first row, the first column and the diagonal, the signs in turn.
void for_each_case(const QuantizeFloat& quantize, const std::function<bool(const FloatCase&)>& call,
                   SpecialLanes special_lanes = SpecialLanes::each);

/// Matrices in which each value tells its element and its scale.
[[nodiscard]] std::vector<FloatDequantizeCase> dequantize_cases(const DequantizeFloat& dequantize);

/// A run of a case: its shape, inputs and outputs.
[[nodiscard]] frames::RunCase run_of(const QuantizeFloat& quantize, const FloatCase& float_case);
[[nodiscard]] frames::RunCase run_of(const DequantizeFloat& dequantize,
                                     const FloatDequantizeCase& float_dequantize_case);

/// A case that was written down.
[[nodiscard]] FloatCase case_of(const QuantizeFloat& quantize, const cases::GivenCase& given_case);
[[nodiscard]] FloatDequantizeCase case_of(const DequantizeFloat& dequantize, const cases::GivenCase& given_case);

} // namespace mxcert::suites

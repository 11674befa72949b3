// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/dot/accumulator.hpp"
#include "vectors/cases/dot_cases.hpp"

// Golden products: dot products with the answer of one accumulator, as few as tell it from all others that take the
// same formats and from itself with any one parameter changed.
namespace mxcert {

/// What a file of vectors/products is about.
struct ProductFile {
    const Accumulator* accumulator = nullptr; ///< points into accumulators()
    const Format* scale = nullptr;            ///< of the blocks; null: none

    /// "hopper_fp8_f32.csv"; with another scale than the accumulator's first one "blackwell_mxf4nvf4-ue4m3.csv".
    [[nodiscard]] std::string name() const;
};

/// Every file: one of each accumulator, with the first of its scales if it has some, and one of each instruction that
/// takes UE4M3, NVFP4's scale, besides.
[[nodiscard]] std::vector<ProductFile> product_files();

/// The rows of a file.
struct GoldenProducts {
    DotCases asked;
    std::vector<Code> answers; ///< of Accumulator::result, one a case
};

/// What an accumulator gives for the cases, one code each. Throws std::invalid_argument if it does not take the
/// formats.
[[nodiscard]] std::vector<Code> answers_of(const Accumulator& accumulator, const DotCases& cases);

/// What an accumulator is told from: all others that take these formats and scales of so many elements, and itself with
/// another value of one parameter.
[[nodiscard]] std::vector<Accumulator> rivals(const Accumulator& accumulator, const DotFormat& format,
                                              std::size_t block);

/// Throws std::logic_error if the two models disagree.
[[nodiscard]] GoldenProducts golden_products(const ProductFile& file);

/// As text: the line `about,a_format,b_format,scale_format,block,k,a,b,scales_a,scales_b,c,d`, then a row a dot
/// product. a, b and scales are codes one after the other in upper-case hexadecimal digits, all of the width of their
/// format; what is left out at the end of a and b is +0. LF endings.
[[nodiscard]] std::string write_products(const GoldenProducts& golden);

/// The reverse. Throws csv::Error with file and line on anything write_products() would not write; `name` stands for
/// the text in errors.
[[nodiscard]] GoldenProducts parse_products(std::string_view text, std::string_view name, const ProductFile& file);

} // namespace mxcert

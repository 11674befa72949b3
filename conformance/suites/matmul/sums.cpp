// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/sums.hpp"

#include "conformance/frames/words.hpp"
#include "reference/fast/matmul/accumulate_matmul.hpp"
#include "reference/fast/matmul/matmul.hpp"

namespace mxcert::suites {
namespace {

/// The matrices of a case in memory.
class Operands {
  public:
    Operands(const DotFormat& format, const MatmulCase& matmul_case)
        : a_(values(matmul_case.a, format.a)), b_(values(matmul_case.b, format.b)),
          scales_a_(values(matmul_case.scales_a, format.scale_a)),
          scales_b_(values(matmul_case.scales_b, format.scale_b)), c_(values(matmul_case.c, format.c)) {}

    [[nodiscard]] fast::MatmulBuffers buffers() const {
        return {address(a_), address(b_), address(scales_a_), address(scales_b_), address(c_)};
    }

  private:
    static frames::Values values(const std::vector<Code>& codes, const Format* format) {
        return format == nullptr ? frames::Values() : frames::values_of(codes, *format);
    }
    static const void* address(const frames::Values& values) {
        return values.bytes().empty() ? nullptr : values.bytes().data();
    }

    frames::Values a_;
    frames::Values b_;
    frames::Values scales_a_;
    frames::Values scales_b_;
    frames::Values c_;
};

frames::Values unwritten(const DotFormat& format, const MatmulCase& matmul_case) {
    return {matmul_case.shape.m * matmul_case.shape.n, frames::bytes_of(*format.to)};
}

} // namespace

frames::Values sums_of(const Accumulator& accumulator, const DotFormat& format, const MatmulCase& matmul_case) {
    frames::Values sums = unwritten(format, matmul_case);
    fast::matmul(accumulator, format, matmul_case.shape, Operands(format, matmul_case).buffers(), sums.bytes().data(),
                 1);
    return sums;
}

frames::Values exact_sums_of(const DotFormat& format, const Choices& choices, const MatmulCase& matmul_case) {
    frames::Values sums = unwritten(format, matmul_case);
    fast::matmul(format, choices, matmul_case.shape, Operands(format, matmul_case).buffers(), sums.bytes().data(), 1);
    return sums;
}

} // namespace mxcert::suites

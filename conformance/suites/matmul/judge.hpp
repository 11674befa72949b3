// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/suites/matmul/cases.hpp"
#include "conformance/suites/question.hpp"

namespace mxcert::suites {

/// What an element of D may be: the codes from `low` to `high` in the order of their values.
struct MatmulPermit {
    bool judged = true; ///< false: no bound can be given
    bool any_nan = false;
    Code low = 0;
    Code high = 0; ///< +0 and -0 are one value where these differ
};

/// How an exact sum becomes an element of D: to nearest even, to Inf beyond the largest value if there is one.
[[nodiscard]] Choices nearest(const Format& to);

/// A result of the sum as it comes out: rounded to the format of D to nearest even, to Inf beyond its largest value.
[[nodiscard]] Code narrowed(const Format& result, const Format& output, Code code);

/// The same by the epilogue of the operation, where it has one.
[[nodiscard]] Code element_of(const Matmul& matmul, const MatmulCase& matmul_case, Code result);

/// What the elements of D may be, by both models. A product whose order is given has one answer: the accumulator's, or
/// the exact sum rounded once. One of any order has the exact answer where no order loses anything, and otherwise a
/// proven bound (docs/matmul.md).
class MatmulJudge {
  public:
    explicit MatmulJudge(const Matmul& matmul);
    ~MatmulJudge();
    MatmulJudge(const MatmulJudge&) = delete;
    MatmulJudge& operator=(const MatmulJudge&) = delete;

    /// What element (row, column) may be. Throws std::logic_error where the models disagree: nothing may be judged
    /// then.
    [[nodiscard]] MatmulPermit permit(const MatmulCase& matmul_case, std::size_t row, std::size_t column);

    [[nodiscard]] bool allows(const MatmulPermit& permit, Code answer) const;

    /// "is 3F800000, not 40000000"; "is 3F800000, not from 40000000 to 40000002".
    [[nodiscard]] std::string text(const MatmulPermit& permit, Code answer) const;

    /// What every element of D may be, in rows. Throws as permit() does.
    [[nodiscard]] std::vector<MatmulPermit> permits(const MatmulCase& matmul_case);
    /// The elements of D that are not permitted, in words; those without a bound are not compared.
    [[nodiscard]] Findings compare(const MatmulCase& matmul_case, const std::vector<MatmulPermit>& permitted,
                                   const frames::Values& answers) const;
    /// Makes the first element that is compared one that is not permitted.
    void spoil(const std::vector<MatmulPermit>& permitted, frames::Values& answers) const;

    /// Whether the product gives all of D, but for some elements of which nothing can be said: a bound leaves those
    /// open that may overflow.
    [[nodiscard]] bool explains(const MatmulCase& matmul_case, const frames::Values& answers);

  private:
    class Models;
    /// `fast_sum`: by the fast model, if it is known already.
    [[nodiscard]] MatmulPermit permit(const MatmulCase& matmul_case, std::size_t row, std::size_t column,
                                      std::optional<Code> fast_sum);
    [[nodiscard]] MatmulPermit permit_of(const MatmulCase& matmul_case, std::size_t row, std::size_t column,
                                         std::optional<Code> fast_sum);

    const Matmul& matmul_;
    std::unique_ptr<Models> models_;
    DotLine line_;
    std::uint64_t asked_ = 0;
};

} // namespace mxcert::suites

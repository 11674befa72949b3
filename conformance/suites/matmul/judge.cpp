// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/judge.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/suites/matmul/sums.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/bound.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/epilogue.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"
#include "reference/fast/sum/epilogue.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// The exact models are slow: one element in so many is asked of them as well, and each of a small sum.
constexpr std::uint64_t exact_one_in = 127; // no multiple of which is a row
constexpr std::uint64_t bound_one_in = 64;  ///< where the case is exact by the way it was made
constexpr std::size_t small_sum = 4;
/// Of a product of more than this, so many times fewer elements.
constexpr std::uint64_t ordinary_products = 1U << 20U;
std::uint64_t times_fewer(const MatmulShape& shape) { return 1 + shape.m * shape.n * shape.k / ordinary_products; }
/// Of an explained product, for each element of which nothing can be said, as many come.
constexpr std::uint64_t judged_for_open = 8;

/// Codes of a format with a sign in the order of their values; both zeros are 0.
std::int64_t ordinal(const Format& format, Code code) {
    const auto magnitude = static_cast<std::int64_t>(code & format.magnitude_mask());
    return (code & format.sign_bit()) != 0 ? -magnitude : magnitude;
}

} // namespace

Choices nearest(const Format& to) {
    Choices choices = dot_choices();
    if (!to.has_inf()) choices.overflow = Overflow::sat;
    return choices;
}

Code narrowed(const Format& result, const Format& output, Code code) {
    if (&output == &result) return code;
    if (result.is_nan(code)) return output.inf_code() | 1;
    Choices choices;
    choices.overflow = Overflow::nosat;
    return exact::convert(result, output, choices, code).code;
}

Code element_of(const Matmul& matmul, const MatmulCase& matmul_case, Code result) {
    if (matmul.epilogue == nullptr) return narrowed(*matmul.format.to, *matmul.output, result);
    return fast::as_element(
        *matmul.output, fast::after_sum(*matmul.epilogue, {result, matmul_case.tensor_a, matmul_case.tensor_b, {}}));
}

/// The fast models of the operation, made once.
class MatmulJudge::Models {
  public:
    explicit Models(const Matmul& matmul) : matmul_(matmul) {
        if (is_exact(*matmul.accumulator))
            exact_.emplace(matmul.format, nearest(*matmul.format.to));
        else
            accumulate_.emplace(*matmul.accumulator, matmul.format);
        if (matmul.any_order) exact_.emplace(matmul.format, nearest(*matmul.format.to));
    }

    /// The one result of a given order.
    [[nodiscard]] Code given(const DotOperands& operands) {
        return accumulate_ ? (*accumulate_)(operands) : (*exact_)(operands);
    }
    /// The one element of a given order.
    [[nodiscard]] Code given_by_exact(const MatmulCase& matmul_case, const DotOperands& operands) const {
        const Code result = accumulate_ ? exact::accumulate(*matmul_.accumulator, matmul_.format, operands)
                                        : exact::dot(matmul_.format, nearest(*matmul_.format.to), operands);
        if (matmul_.epilogue == nullptr) return narrowed(*matmul_.format.to, *matmul_.output, result);
        return exact::as_element(
            *matmul_.output,
            exact::after_sum(*matmul_.epilogue, {result, matmul_case.tensor_a, matmul_case.tensor_b, {}}));
    }
    /// The exact sum, rounded once to the result.
    [[nodiscard]] Code sum(const DotOperands& operands) { return (*exact_)(operands); }
    /// sum() of any order, and given() of others, of each element.
    [[nodiscard]] frames::Values sums(const MatmulCase& matmul_case) const {
        return matmul_.any_order || !accumulate_
                   ? exact_sums_of(matmul_.format, nearest(*matmul_.format.to), matmul_case)
                   : sums_of(*matmul_.accumulator, matmul_.format, matmul_case);
    }

    /// The result next to a real number, on that side.
    [[nodiscard]] Code beside(const exact::Rational& number, Rounding side) const {
        exact::Value value;
        value.negative = number < 0;
        value.magnitude = abs(number);
        return exact::result(*matmul_.format.to, dot_choices(side), value);
    }

  private:
    const Matmul& matmul_;
    std::optional<fast::Dot> exact_;
    std::optional<fast::Accumulate> accumulate_;
};

MatmulJudge::MatmulJudge(const Matmul& matmul) : matmul_(matmul), models_(std::make_unique<Models>(matmul)) {}
MatmulJudge::~MatmulJudge() = default;

MatmulPermit MatmulJudge::permit(const MatmulCase& matmul_case, std::size_t row, std::size_t column) {
    return permit(matmul_case, row, column, std::nullopt);
}

MatmulPermit MatmulJudge::permit(const MatmulCase& matmul_case, std::size_t row, std::size_t column,
                                 std::optional<Code> fast_sum) {
    MatmulPermit permit = permit_of(matmul_case, row, column, fast_sum);
    const Format& output = *matmul_.output;
    if (matmul_.epilogue == nullptr || permit.any_nan) return permit;
    // Amaxes whose product is Inf make NaN of a sum of zero.
    permit.any_nan = output.is_nan(permit.low) && output.is_nan(permit.high);
    permit.judged = permit.judged && (permit.any_nan || !(output.is_nan(permit.low) || output.is_nan(permit.high)));
    return permit;
}

MatmulPermit MatmulJudge::permit_of(const MatmulCase& matmul_case, std::size_t row, std::size_t column,
                                    std::optional<Code> fast_sum) {
    const Format& output = *matmul_.output;
    const Format& result = *matmul_.format.to;
    const auto element = [&](Code code) { return element_of(matmul_, matmul_case, code); };
    const auto gathered = [&] {
        gather(matmul_case.shape, matmul_case.operands(), row, column, line_);
        return line_.operands(matmul_case.shape, matmul_case.c[row * matmul_case.shape.n + column]);
    };
    if (!fast_sum) fast_sum = matmul_.any_order ? models_->sum(gathered()) : models_->given(gathered());
    const Code sum = *fast_sum;
    MatmulPermit permit;
    permit.low = permit.high = element(sum);
    if (!matmul_.any_order) {
        if (asked_++ % (exact_one_in * times_fewer(matmul_case.shape)) == 0 || matmul_case.shape.k <= small_sum)
            if (!same(output, permit.low, models_->given_by_exact(matmul_case, gathered())))
                throw std::logic_error(fmt::format("the two models disagree on element {},{} of {}: nothing can be "
                                                   "judged",
                                                   row, column, matmul_case.name));
        permit.any_nan = output.is_nan(permit.low);
        return permit;
    }
    permit.any_nan = result.is_nan(sum);
    if (permit.any_nan || (matmul_case.exact && asked_++ % (bound_one_in * times_fewer(matmul_case.shape)) != 0))
        return permit;
    const DotOperands operands = gathered();
    const std::optional<exact::Bound> bound = exact::bound(*matmul_.accumulator, matmul_.format, operands);
    if (!bound) {
        // An operand is infinite, and so is the sum; or it is too large to say.
        const bool infinite = (sum & result.magnitude_mask()) == result.inf_code();
        bool of_operands = false;
        for (const Code code : operands.a)
            of_operands |= exact::decode(*matmul_.format.a, code).kind == exact::Kind::inf;
        for (const Code code : operands.b)
            of_operands |= exact::decode(*matmul_.format.b, code).kind == exact::Kind::inf;
        of_operands |= exact::decode(result, operands.c).kind == exact::Kind::inf;
        permit.judged = infinite && of_operands;
        return permit;
    }
    permit.low = element(models_->beside(bound->sum - bound->error, Rounding::up));
    permit.high = element(models_->beside(bound->sum + bound->error, Rounding::down));
    if (matmul_case.exact && bound->error != 0)
        throw std::logic_error(fmt::format("element {},{} of {} depends on the order: nothing can be judged", row,
                                           column, matmul_case.name));
    // Where nothing is lost, in whatever order, the other model has the same answer.
    if (bound->error == 0 && (ordinal(output, permit.low) != ordinal(output, element(sum)) ||
                              ordinal(output, permit.low) != ordinal(output, permit.high)))
        throw std::logic_error(fmt::format("the two models disagree on element {},{} of {}: nothing can be judged", row,
                                           column, matmul_case.name));
    return permit;
}

bool MatmulJudge::allows(const MatmulPermit& permit, Code answer) const {
    const Format& output = *matmul_.output;
    if (!permit.judged) return true;
    if (permit.any_nan || output.is_nan(answer)) return permit.any_nan && output.is_nan(answer);
    if (!matmul_.any_order) return answer == permit.low;
    const std::int64_t at = ordinal(output, answer);
    return ordinal(output, permit.low) <= at && at <= ordinal(output, permit.high);
}

std::string MatmulJudge::text(const MatmulPermit& permit, Code answer) const {
    const Format& output = *matmul_.output;
    const std::string is = "is " + code_text(output, answer) + ", not ";
    if (permit.any_nan) return is + "NaN";
    if (permit.low == permit.high) return is + code_text(output, permit.low);
    return fmt::format("{}from {} to {}", is, code_text(output, permit.low), code_text(output, permit.high));
}

std::vector<MatmulPermit> MatmulJudge::permits(const MatmulCase& matmul_case) {
    const frames::Values sums = models_->sums(matmul_case);
    std::vector<MatmulPermit> all;
    for (std::size_t row = 0; row < matmul_case.shape.m; ++row)
        for (std::size_t column = 0; column < matmul_case.shape.n; ++column)
            all.push_back(permit(matmul_case, row, column, sums.get(row * matmul_case.shape.n + column)));
    return all;
}

Findings MatmulJudge::compare(const MatmulCase& matmul_case, const std::vector<MatmulPermit>& permitted,
                              const frames::Values& answers) const {
    Findings findings;
    for (std::size_t at = 0; at < answers.count(); ++at) {
        if (!permitted[at].judged) continue;
        ++findings.compared;
        if (!allows(permitted[at], answers.get(at)))
            findings.add(fmt::format("{}: element {},{} {}", matmul_case.name, at / matmul_case.shape.n,
                                     at % matmul_case.shape.n, text(permitted[at], answers.get(at))));
    }
    return findings;
}

void MatmulJudge::spoil(const std::vector<MatmulPermit>& permitted, frames::Values& answers) const {
    const Format& output = *matmul_.output;
    const Code nan = output.has_nan() ? output.magnitude_mask() : output.last_code();
    const auto first =
        std::find_if(permitted.begin(), permitted.end(), [](const MatmulPermit& permit) { return permit.judged; });
    if (first != permitted.end())
        answers.set(static_cast<std::uint64_t>(first - permitted.begin()), first->any_nan ? 0 : nan);
}

bool MatmulJudge::explains(const MatmulCase& matmul_case, const frames::Values& answers) {
    std::uint64_t open = 0;
    try {
        for (std::size_t at = 0; at < answers.count(); ++at) {
            const MatmulPermit permitted = permit(matmul_case, at / matmul_case.shape.n, at % matmul_case.shape.n);
            if (!permitted.judged)
                ++open;
            else if (!allows(permitted, answers.get(at)))
                return false;
        }
    } catch (const std::logic_error&) {
        return false; // of operands that the case was not made for nothing can be said
    }
    return open * judged_for_open <= answers.count();
}

} // namespace mxcert::suites

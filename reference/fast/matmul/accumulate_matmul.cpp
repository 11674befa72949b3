// SPDX-License-Identifier: Apache-2.0
// Whole products by an accumulator. A panel of columns of B is packed, and each row of A goes through it. What is not
// finite, and accumulators that no loop has, go element by element.
#include "reference/fast/matmul/accumulate_matmul.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "reference/fast/accumulate.hpp"
#include "reference/fast/sum/aligned_lanes.hpp"
#include "reference/fast/sum/float_lanes.hpp"
#include "reference/fast/sum/operands.hpp"
#include "reference/fast/sum/promote.hpp"

namespace mxcert::fast {
namespace {

/// One product by one accumulator.
struct AccumulateJob {
    const Accumulator& model;
    MatmulJob matrices;
    Isa isa;
};

/// Elements one after the other.
class ByElement {
  public:
    static constexpr std::size_t width = 16;

    explicit ByElement(const AccumulateJob& job)
        : matrices_(job.matrices), accumulate_(job.model, job.matrices.format) {}

    void operator()(std::size_t row, std::size_t column) {
        matrices_.gather(row, column, line_);
        const Code c = matrices_.c_at(row, column);
        // No product adds nothing, whatever an accumulator makes of c.
        matrices_.store_d(row, column, line_.a.empty() ? c : accumulate_(line_.operands(matrices_.shape, c)));
    }
    void columns(std::size_t begin, std::size_t end) {
        for (std::size_t row = 0; row < matrices_.shape.m; ++row)
            for (std::size_t column = begin; column < end; ++column) (*this)(row, column);
    }

  private:
    const MatmulJob& matrices_;
    Accumulate accumulate_;
    DotLine line_;
};

/// Accumulators with small terms.
class ByAlignedLanes {
  public:
    static constexpr std::size_t width = lane_count;

    explicit ByAlignedLanes(const AccumulateJob& job)
        : model_(job.model), matrices_(job.matrices), by_element_(job),
          plan_(aligned_plan(job.model, job.matrices.format)), add_(add_aligned(job.isa)) {
        const MatmulShape& shape = matrices_.shape;
        fill(small_a_, *matrices_.format.a);
        fill(small_b_, *matrices_.format.b);
        // Zeros to whole instructions only where these are not in the order of the products.
        const bool in_order = model_.grouping != Grouping::two_of_four;
        order_.resize(in_order ? shape.k : groups_of(model_, shape.k) * model_.group);
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = std::min(place_in_order(model_, i), shape.k);
        for (std::vector<std::int16_t>* line : {&significands_a_, &exponents_a_}) line->resize(order_.size());
        for (std::vector<std::int16_t>* lines : {&significands_b_, &exponents_b_})
            lines->resize(order_.size() * lane_count);
    }

    void columns(std::size_t begin, std::size_t end) {
        const DotFormat& format = matrices_.format;
        const MatmulShape& shape = matrices_.shape;
        const MatmulBuffers& operands = matrices_.operands;
        for (std::size_t j = 0; j < lane_count; ++j) {
            // Lanes beyond the last column repeat it.
            const std::size_t column = std::min(begin + j, end - 1);
            pack(
                small_b_, *format.b, operands.b, exponent_scale(format.scale_b), operands.scales_b, shape.b_scale.along,
                [&](std::size_t l) { return shape.b_at(l, column); },
                [&](std::size_t t) { return shape.b_scale_at(t, column); }, significands_b_.data() + j,
                exponents_b_.data() + j, lane_count);
        }
        for (std::size_t row = 0; row < shape.m; ++row) {
            pack(
                small_a_, *format.a, operands.a, exponent_scale(format.scale_a), operands.scales_a, shape.a_scale.along,
                [&](std::size_t l) { return shape.a_at(row, l); },
                [&](std::size_t t) { return shape.a_scale_at(row, t); }, significands_a_.data(), exponents_a_.data(),
                1);
            one_row(row, begin, end);
        }
    }

  private:
    using Small = std::vector<SmallFactor>; ///< of every code of up to eight bits

    void fill(Small& small, const Format& format) const {
        if (format.width() > 8) return;
        for (Code code = 0; code <= format.last_code(); ++code) small.push_back(small_factor(model_, format, code));
    }
    /// The format of scales that are part of a product's exponent.
    [[nodiscard]] const Format* exponent_scale(const Format* scale) const {
        return model_.scale_use == ScaleUse::exponents ? scale : nullptr;
    }
    /// A row of A or a column of B, each element `stride` after the one before.
    template <class ElementAt, class ScaleAt>
    void pack(const Small& small, const Format& format, const void* codes, const Format* scale, const void* scales,
              std::size_t along, ElementAt element_at, ScaleAt scale_at, std::int16_t* significands,
              std::int16_t* exponents, std::size_t stride) const {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const std::size_t l = order_[i];
            const Code code = l < matrices_.shape.k ? load_at(format, codes, element_at(l)) : 0;
            SmallFactor factor = small.empty() ? small_factor(model_, format, code) : small[code];
            if (scale != nullptr)
                factor.exponent +=
                    small_factor(model_, *scale, load_at(*scale, scales, scale_at(along == 0 ? 0 : l / along)))
                        .exponent;
            significands[i * stride] = static_cast<std::int16_t>(factor.significand);
            exponents[i * stride] = static_cast<std::int16_t>(factor.exponent);
        }
    }

    void one_row(std::size_t row, std::size_t begin, std::size_t end) {
        const std::size_t k = order_.size();
        LaneSums sums{};
        Term promoted[lane_count] = {};
        for (std::size_t j = 0; j < lane_count; ++j) {
            promoted[j] = term_of(*model_.result, matrices_.c_at(row, std::min(begin + j, end - 1)));
            sums.set(plan_, j, promoted[j]);
        }
        const std::size_t step = model_.promote == 0 ? k : model_.promote;
        if (model_.promote != 0) sums.clear(plan_);
        for (std::size_t l = 0; l < k; l += step) {
            const std::size_t count = std::min(step, k - l);
            add_(plan_,
                 {significands_a_.data() + l, exponents_a_.data() + l, significands_b_.data() + l * lane_count,
                  exponents_b_.data() + l * lane_count, count},
                 sums);
            if (model_.promote == 0) continue;
            for (std::size_t column = begin; column < end; ++column)
                promote(row, column, l + count - 1, sums, column - begin, promoted[column - begin]);
            sums.clear(plan_);
        }
        for (std::size_t column = begin; column < end; ++column) {
            const std::size_t j = column - begin;
            const Term sum = model_.promote == 0 ? sums.get(plan_, j) : promoted[j];
            if (sums.special[j] != 0 || sum.kind != TermKind::finite)
                by_element_(row, column);
            else
                matrices_.store_d(row, column, nearest_code(sum));
        }
    }
    void promote(std::size_t row, std::size_t column, std::size_t last, const LaneSums& sums, std::size_t lane,
                 Term& promoted) const {
        const Term sum = sums.get(plan_, lane);
        if (model_.scale_use != ScaleUse::promotion) {
            promoted = fast::promote(model_, promoted, sum, nullptr);
            return;
        }
        const auto& [format, shape, operands, d] = matrices_;
        const auto scale = [&](const Format& scale_format, const void* scales, std::size_t at) {
            return term_of(scale_format, load_at(scale_format, scales, at));
        };
        const auto block = [&](std::size_t along) { return along == 0 ? 0 : last / along; };
        const Term scales =
            multiply(scale(*format.scale_a, operands.scales_a, shape.a_scale_at(row, block(shape.a_scale.along))),
                     scale(*format.scale_b, operands.scales_b, shape.b_scale_at(block(shape.b_scale.along), column)));
        promoted = fast::promote(model_, promoted, sum, &scales);
    }
    [[nodiscard]] Code nearest_code(const Term& sum) const {
        Choices choices;
        choices.overflow = Overflow::nosat;
        return result_of(*model_.result, choices, sum);
    }

    const Accumulator& model_;
    const MatmulJob& matrices_;
    ByElement by_element_;
    AlignedPlan plan_;
    AddAligned add_;
    Small small_a_;
    Small small_b_;
    std::vector<std::size_t> order_; ///< what is added when; k: a zero
    std::vector<std::int16_t> significands_a_;
    std::vector<std::int16_t> exponents_a_;
    std::vector<std::int16_t> significands_b_;
    std::vector<std::int16_t> exponents_b_;
};

/// The floating-point environment that IEEE 754 begins with, until the end of a scope.
class DefaultFloats {
  public:
    DefaultFloats() {
        std::fegetenv(&before_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloats() { std::fesetenv(&before_); }
    DefaultFloats(const DefaultFloats&) = delete;
    DefaultFloats& operator=(const DefaultFloats&) = delete;

  private:
    std::fenv_t before_{};
};

/// Accumulators of software.
template <class Real> class ByFloatLanes {
  public:
    static constexpr std::size_t width = float_lanes;

    explicit ByFloatLanes(const AccumulateJob& job)
        : model_(job.model), matrices_(job.matrices), by_element_(job), add_(add_floats<Real>(job.isa)),
          a_(job.matrices.shape.k), b_(job.matrices.shape.k * float_lanes) {
        fill(values_a_, *matrices_.format.a);
        fill(values_b_, *matrices_.format.b);
    }

    void columns(std::size_t begin, std::size_t end) {
        const auto& [format, shape, operands, d] = matrices_;
        for (std::size_t l = 0; l < shape.k; ++l)
            for (std::size_t j = 0; j < float_lanes; ++j)
                b_[l * float_lanes + j] = value(
                    values_b_, *format.b, load_at(*format.b, operands.b, shape.b_at(l, std::min(begin + j, end - 1))));
        for (std::size_t row = 0; row < shape.m; ++row) {
            for (std::size_t l = 0; l < shape.k; ++l)
                a_[l] = value(values_a_, *format.a, load_at(*format.a, operands.a, shape.a_at(row, l)));
            one_row(row, begin, end);
        }
    }

  private:
    void fill(std::vector<Real>& values, const Format& format) const {
        if (format.width() > 8) return;
        for (Code code = 0; code <= format.last_code(); ++code) values.push_back(number(format, code));
    }
    [[nodiscard]] static Real number(const Format& format, Code code) {
        const Term term = term_of(format, code);
        Real magnitude = std::numeric_limits<Real>::quiet_NaN();
        if (term.kind == TermKind::inf) magnitude = std::numeric_limits<Real>::infinity();
        if (term.kind == TermKind::finite)
            magnitude = std::ldexp(static_cast<Real>(static_cast<std::uint64_t>(term.significand)), term.exponent);
        return term.negative ? -magnitude : magnitude;
    }
    [[nodiscard]] static Real value(const std::vector<Real>& values, const Format& format, Code code) {
        return values.empty() ? number(format, code) : values[code];
    }

    void one_row(std::size_t row, std::size_t begin, std::size_t end) {
        Real sums[float_lanes];
        for (std::size_t j = 0; j < float_lanes; ++j)
            sums[j] = number(*model_.result, matrices_.c_at(row, std::min(begin + j, end - 1)));
        add_(model_.sum == GroupSum::fma, model_.group, a_.data(), b_.data(), matrices_.shape.k, sums);
        for (std::size_t column = begin; column < end; ++column) {
            const auto sum = static_cast<float>(sums[column - begin]);
            if (std::isnan(sum))
                by_element_(row, column);
            else
                matrices_.store_d(row, column, std::bit_cast<std::uint32_t>(sum));
        }
    }

    const Accumulator& model_;
    const MatmulJob& matrices_;
    ByElement by_element_;
    AddFloats<Real> add_;
    std::vector<Real> values_a_; ///< of every code of up to eight bits
    std::vector<Real> values_b_;
    std::vector<Real> a_;
    std::vector<Real> b_;
};

template <class Columns>
void in_panels(const AccumulateJob& job, unsigned threads, const std::function<void(std::uint64_t)>& done) {
    const MatmulShape& shape = job.matrices.shape;
    in_threads(threads_for(shape, threads), [&](std::size_t first, std::size_t step) {
        const DefaultFloats floats;
        Columns columns(job);
        for (std::size_t begin = first * Columns::width; begin < shape.n; begin += step * Columns::width) {
            const std::size_t end = std::min(begin + Columns::width, shape.n);
            columns.columns(begin, end);
            if (done) done(shape.m * (end - begin));
        }
    });
}

} // namespace

void matmul(const Accumulator& accumulator, const DotFormat& format, const MatmulShape& shape,
            const MatmulBuffers& operands, void* d, unsigned threads, Isa isa,
            const std::function<void(std::uint64_t)>& done) {
    check(accumulator, format, shape.a_scale.along, shape.b_scale.along);
    if (threads == 0) throw std::invalid_argument("a matmul runs on one thread at least");
    require(isa);
    const AccumulateJob job{accumulator, {format, shape, operands, static_cast<unsigned char*>(d)}, isa};
    check(job.matrices);
    const bool empty = shape.k == 0;
    if (!empty && has_aligned_lanes(accumulator, format)) return in_panels<ByAlignedLanes>(job, threads, done);
    if (!empty && has_float_lanes<float>(accumulator, format))
        return in_panels<ByFloatLanes<float>>(job, threads, done);
    if (!empty && has_float_lanes<double>(accumulator, format))
        return in_panels<ByFloatLanes<double>>(job, threads, done);
    in_panels<ByElement>(job, threads, done);
}

} // namespace mxcert::fast

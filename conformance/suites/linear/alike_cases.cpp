// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/alike_cases.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/linear/layer_maker.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/matmul/alike_cases.hpp"

namespace mxcert::suites {
namespace {

using recipe::CodeMatrix;
using recipe::LayerSizes;

/// Makes the cases of an operation, in one size.
class LayerAlikeMaker {
  public:
    LayerAlikeMaker(const Linear& linear, const LayerSizes& sizes, std::uint64_t seed, const TakeLinearCase& take)
        : linear_(linear), sizes_(sizes), seed_(seed), take_(take), maker_(linear), left_(*linear.operands.left.source),
          right_(*linear.operands.right.source), c_(*linear.matmul.format.c), one_left_(code_of(left_, 1)),
          one_right_(code_of(right_, 1)) {}

    void everywhere() {
        for (const Special& special : element_specials(left_))
            take(fmt::format("{} everywhere left, 1 everywhere right", special.name), special.code, {one_right_},
                 {special.code == left_.sign_bit() ? zero_of_c(true) : 0});
        for (const bool negative : {false, true}) {
            const char* const sign = negative ? "-" : "";
            take(fmt::format("{}the largest value left, the largest right", sign),
                 left_.with_sign(left_.max_code(), negative), {right_.max_code()}, {0});
            // Their products are subnormal in D, if sources go so far.
            const int exponent = (linear_.matmul.output->emin() - 10) / 2;
            const Code small_left = Maker(left_).normal(std::max(exponent, left_.emin()), 0);
            const Code small_right = Maker(right_).normal(std::max(exponent, right_.emin()), 0);
            take(fmt::format("{}small values left, small values right", sign), left_.with_sign(small_left, negative),
                 {small_right}, {0});
        }
        if (!linear_.matmul.has_c) return;
        for (const Special& special : element_specials(c_))
            take(fmt::format("zeros left, {} everywhere in C", special.name), 0, {one_right_}, {special.code});
    }

    /// Two columns of D differ in kind: through two lines of the right tensor, or C.
    void beside() {
        for (const Special& special : element_specials(right_))
            if (!right_.is_finite(special.code))
                take(fmt::format("{} in two lines right", special.name), one_left_, {one_right_, special.code}, {0});
        for (const bool negative : {false, true}) {
            const char* const sign = negative ? "-" : "";
            take(fmt::format("{}1 left, 0 in two lines right", sign), left_.with_sign(one_left_, negative),
                 {one_right_, 0}, {zero_of_c(negative)});
            // The sums of some 64 products are subnormal in D for two lines, and not for the others, if sources go so
            // far.
            const int exponent = linear_.matmul.output->emin() - 5;
            const int of_left = exponent / 2;
            const int of_right = exponent - of_left;
            constexpr int below = 3;
            if (of_left < left_.emin() || of_right - below < right_.emin()) continue;
            take(fmt::format("{}small values left, smaller ones in two lines right", sign),
                 left_.with_sign(Maker(left_).normal(of_left, 0), negative),
                 {Maker(right_).normal(of_right, 0), Maker(right_).normal(of_right - below, 0)}, {0});
        }
        if (!linear_.matmul.has_c) return;
        for (const Special& special : element_specials(c_))
            take(fmt::format("zeros left, {} in two columns of C", special.name), 0, {one_right_},
                 {code_of(c_, 1), special.code});
    }

  private:
    /// The code of two lines or columns, and that of all others.
    struct Lines {
        Lines(Code all) : ordinary(all), special(all) {} // NOLINT(google-explicit-constructor)
        Lines(Code ordinary, Code special) : ordinary(ordinary), special(special) {}
        [[nodiscard]] Code at(std::size_t column) const { return is_special_column(column) ? special : ordinary; }
        Code ordinary;
        Code special;
    };

    [[nodiscard]] Code zero_of_c(bool negative) const { return negative && linear_.matmul.has_c ? c_.sign_bit() : 0; }

    void take(const std::string& name, Code left, const Lines& right, const Lines& c) {
        if (!more_) return;
        LinearCase linear_case = maker_.make(layer_patterns[0], sizes_, seed_);
        std::fill(linear_case.left.codes.begin(), linear_case.left.codes.end(), left);
        CodeMatrix& values = linear_case.right;
        const bool by_column = linear_.operands.right.along == Axis::column;
        for (std::size_t i = 0; i < values.codes.size(); ++i)
            values.codes[i] = right.at(by_column ? i % values.columns : i / values.columns);
        const std::size_t columns = linear_.shape(sizes_).n;
        for (std::size_t i = 0; i < linear_case.c.size(); ++i) linear_case.c[i] = c.at(i % columns);
        linear_case.name = fmt::format("{}, {}", name, recipe::text(sizes_));
        if (!has_open_elements(linear_, linear_case)) more_ = take_(linear_case);
    }

    const Linear& linear_;
    LayerSizes sizes_;
    std::uint64_t seed_;
    const TakeLinearCase& take_;
    LinearMaker maker_;
    const Format& left_;
    const Format& right_;
    const Format& c_;
    Code one_left_;
    Code one_right_;
    bool more_ = true;
};

} // namespace

void for_each_alike_case(const Linear& linear, std::uint64_t seed, const TakeLinearCase& take) {
    const recipe::Product product = linear.operands.product;
    const std::size_t side = largest_side(linear.operands);
    const LayerSizes narrow = of_product(product, 3, 33, 70);
    const LayerSizes sizes = linear.matmul.any_order && !is_refused(linear, narrow)
                                 ? narrow
                                 : of_product(product, 32, 32, side > 32 ? side : 64);
    if (is_refused(linear, sizes)) return;
    LayerAlikeMaker maker(linear, sizes, seed, take);
    maker.everywhere();
    maker.beside();
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
// The bound of docs/matmul.md, term by term as it stands there, with its names. The proof is by induction over the
// groups. B_j, the part of B of the first j groups, is the cuts of their terms, j rho U and j omega Q. Before a group
// the carried value d is within B_(j-1) of the exact sum so far, which is at most S in magnitude, so |d| <= S +
// B_(j-1) <= T.
//
// 1. The unit. The largest exponent in the group is one of the e_i, or that of c or d. A value of the result's format
//    has the exponent max(floor(log2 |d|), emin) <= binade(T); a zero has -126 <= binade(T) or is counted among the
//    e_i and e_c. So it is at most E, and the group's unit u at most U. Both are powers of two.
// 2. The terms. A cut toward zero moves t by |t| mod u <= |t| mod U, and by less than U. A cut to nearest moves t by
//    the smaller of |t| mod u and u minus that: at most |t| mod U and U/2. A cut down moves a negative t that is no
//    multiple of u by up to u: there cut(t) is U, unless U divides t. All groups together give the first sum.
// 3. The carried value. d, or c in the first group, is one more term: at most rho U.
// 4. The result. The sum s to be rounded is within B_(j-1), the cuts of this group and rho U of the exact sum, so |s|
//    <= T. Rounding moves it by at most omega times the distance of neighbours at |s|, at most Q. T does not
//    overflow, so neither does s.
//
// So d is within B_j of the exact sum after the group, and finally within B. If U and Q divide all terms and c, every
// sum is by the same induction a multiple of both: nothing is cut or rounded, and B = 0. f depends on T only through
// floor(log2 T) and does not decrease, so the sequence of the B_k repeats or doubles T again and again.
#include "reference/exact/bound.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/exact/products.hpp"

namespace mxcert::exact {
namespace {

/// x mod 2^place, x >= 0.
Rational rest(const Rational& x, int place) { return x - times_power_of_two(in_units(x, place).whole, place); }

/// What a rounding may be off by, in steps of the grid.
Rational part_of_step(Rounding rounding) { return rounding == Rounding::nearest_even ? Rational(1, 2) : Rational(1); }

class Bounding {
  public:
    Bounding(const Accumulator& model, const DotFormat& format, const DotOperands& operands)
        : model_(model), grid_(grid_of(model)) {
        const Products products(model, format, operands);
        Accumulator unflushed = model;
        unflushed.flush = false;
        const Products given(unflushed, format, operands);
        n_ = products.size();
        const Value c = products.c();
        finite_ = c.kind == Kind::finite;
        for (std::size_t i = 0; i < n_ && finite_; ++i) {
            const Value product = given.product(i);
            finite_ = product.kind == Kind::finite && !(model.large_is_inf && product.magnitude >= power_of_two(128));
            if (!finite_) break;
            exact_ += number(product);
            const Value taken = model.flush ? products.product(i) : product;
            if (model.flush) fixed_ += abs(number(product) - number(taken));
            if (rounds_products()) fixed_ += product_error(taken);
        }
        if (!finite_) return;
        exact_ += number(given.c());
        fixed_ += abs(number(given.c()) - number(c));
        for (const AlignedTerm& term : products.terms(0, n_, 1)) take(term);
        exponent_of_c_ = products.exponent(*model.result, c);
        take_granule(number(c));
        size_of_c_ = abs(number(c));
        total_ = size_of_c_;
        for (const Rational& size : sizes_) total_ += size;
    }

    [[nodiscard]] std::optional<Bound> run() const {
        if (!finite_) return {};
        Rational error = fixed_;
        for (int i = 0; i < 64; ++i) {
            const Rational largest = total_ + error;
            if (largest > decode(grid_, grid_.max_code()).magnitude ||
                largest > decode(*model_.arithmetic, model_.arithmetic->max_code()).magnitude)
                return {};
            const Rational next = fixed_ + steps(largest);
            if (next == error) return Bound{exact_, error};
            error = next;
        }
        return {};
    }

  private:
    [[nodiscard]] bool rounds_products() const {
        return model_.sum == GroupSum::multiply_add || model_.sum == GroupSum::tree || model_.sum == GroupSum::pairs;
    }
    /// Whether sums of a group are rounded level by level, each of the products alone.
    [[nodiscard]] bool has_levels() const { return model_.sum == GroupSum::tree || model_.sum == GroupSum::pairs; }
    /// The levels of a group: of a tree, or the pairs, a running sum and the last sum.
    [[nodiscard]] int levels() const {
        const std::size_t group = model_.group == 0 ? n_ : model_.group;
        if (model_.sum == GroupSum::pairs) return static_cast<int>((group + 3) / 4) + 2;
        int levels = 0;
        while ((std::size_t{1} << static_cast<unsigned>(levels)) < group) ++levels;
        return levels;
    }
    /// What a term of this magnitude loses where it is cut, in units of up to 2^place.
    [[nodiscard]] Rational lost_by_cut(const Rational& size, int place, const Rational& most) const {
        const Rational below = rest(size, place);
        // Cut down, a negative term may lose what the unit has beside that; to odd, any term.
        if ((model_.align == Rounding::down || model_.align == Rounding::to_odd) && below != 0) return most;
        return std::min(most, below);
    }
    /// Whether a sum of the arithmetic is no number of the result yet.
    [[nodiscard]] bool rounds_again() const {
        return grid_.fraction_bits != model_.arithmetic->fraction_bits || grid_.bias != model_.arithmetic->bias;
    }
    /// What rounding a product loses, whatever the order.
    [[nodiscard]] Rational product_error(const Value& product) const {
        if (product.magnitude.is_zero()) return 0;
        const Rational rounded = round(*model_.arithmetic, product.magnitude, false, Rounding::nearest_even).value;
        const bool flushed = model_.flush && rounded < power_of_two(model_.arithmetic->emin());
        return abs(product.magnitude - (flushed ? Rational(0) : rounded));
    }
    void take(const AlignedTerm& term) {
        highest_ = sizes_.empty() ? term.exponent : std::max(highest_, term.exponent);
        sizes_.push_back(abs(term.number));
        take_granule(term.number);
    }
    void take_granule(const Rational& x) {
        if (x.is_zero()) return;
        granule_ = has_granule_ ? std::min(granule_, x.last_bit()) : x.last_bit();
        has_granule_ = true;
    }

    /// The place of the last bit of results whose magnitude is at most `largest`.
    [[nodiscard]] static int last_place(const Format& format, const Rational& largest) {
        return binade(format, largest) - format.fraction_bits;
    }
    [[nodiscard]] static int binade(const Format& format, const Rational& largest) {
        return largest == 0 ? format.emin() : std::max(floor_log2(largest), format.emin());
    }
    [[nodiscard]] Rational groups() const { return {groups_of(model_, n_)}; }
    [[nodiscard]] Rational promotions() const {
        return model_.promote == 0 ? Rational(0) : Rational(n_ / model_.promote + (n_ % model_.promote != 0 ? 1 : 0));
    }

    /// What all steps lose together if no sum is larger than `largest`.
    [[nodiscard]] Rational steps(const Rational& largest) const {
        const Rational running = model_.promote == 0 ? largest : largest - size_of_c_;
        const int result_place = last_place(grid_, running);
        const Rational of_result = part_of_step(model_.rounding) * power_of_two(result_place);
        if (model_.sum == GroupSum::exact) return exact(largest, result_place, of_result);
        return is_aligned(model_) ? aligned(largest, running, result_place, groups() * of_result)
                                  : rounded(largest, result_place, of_result);
    }
    /// Whether every number that can occur is a multiple of 2^place, so that nothing is cut there.
    [[nodiscard]] bool exact_below(int place) const { return !has_granule_ || place <= granule_; }

    /// Sums of groups that are exact until c comes to them.
    [[nodiscard]] Rational exact(const Rational& largest, int result_place, const Rational& of_result) const {
        const int place_of_sums = last_place(*model_.arithmetic, largest);
        const bool rounds_before_c = model_.addend == Addend::rounded;
        if (exact_below(result_place) && (!rounds_before_c || exact_below(place_of_sums))) return 0;
        if (!rounds_before_c) return groups() * of_result;
        // The sum of the group and that with c.
        const Rational of_sums = part_of_step(model_.arithmetic_rounding) * power_of_two(place_of_sums);
        return groups() * (2 * of_sums + (rounds_again() ? of_result : Rational(0)));
    }

    [[nodiscard]] Rational aligned(const Rational& largest, const Rational& running, int result_place,
                                   const Rational& of_results) const {
        const bool in_group = model_.addend == Addend::in_group;
        // A sum that is promoted begins with +0, and c comes in only then.
        const int of_c = model_.promote == 0 ? exponent_of_c_ : model_.zero_exponent;
        const int of_sums = std::max({binade(*model_.result, running), of_c, model_.zero_exponent});
        const int e = std::max(highest_, of_sums);
        const int place = (in_group ? e : highest_) - model_.fraction;
        const bool cuts_c = model_.addend == Addend::aligned_down;
        const int coarsest =
            cuts_c ? std::max(place, e - std::min(model_.sum_fraction, model_.addend_fraction)) : place;
        const int place_of_sums = last_place(*model_.arithmetic, largest);
        const bool exact = exact_below(coarsest) && exact_below(result_place) &&
                           (model_.addend != Addend::rounded || exact_below(place_of_sums)) &&
                           (model_.promote == 0 || exact_below(last_place(*model_.result, largest)));
        const Rational promoted = promotions() * power_of_two(last_place(*model_.result, largest) - 1);
        if (exact) return 0;
        const Rational unit = power_of_two(place);
        const Rational most = part_of_step(model_.align) * unit;
        Rational error = promoted;
        if (model_.addend != Addend::rounded || rounds_again()) error += of_results;
        for (const Rational& size : sizes_) error += lost_by_cut(size, place, most);
        if (in_group) return error + groups() * most;
        if (model_.sum == GroupSum::even_odd) error += 2 * groups() * unit;
        // The sum of the group and that with c.
        if (!cuts_c)
            return error + 2 * groups() * part_of_step(model_.arithmetic_rounding) * power_of_two(place_of_sums);
        return error + groups() * (power_of_two(e - model_.sum_fraction) + power_of_two(e - model_.addend_fraction));
    }

    [[nodiscard]] Rational rounded(const Rational& largest, int result_place, const Rational& of_result) const {
        const Format& arithmetic = *model_.arithmetic;
        const int place = last_place(arithmetic, largest);
        const bool flushes = model_.flush && !exact_below(arithmetic.emin());
        if (fixed_ == 0 && exact_below(place) && exact_below(result_place) && !flushes) return 0;
        const Rational half = power_of_two(place - 1);
        const Rational n(n_);
        Rational error = rounds_again() ? groups() * of_result : Rational(0);
        if (has_levels()) {
            error += groups() * half;
        } else {
            // With FMA the first sum of a group is rounded as well.
            const bool first = model_.sum == GroupSum::fma && model_.addend == Addend::rounded;
            error += (first ? n + groups() : n) * half;
        }
        const int sums_beside = model_.sum == GroupSum::pairs ? 2 : 1;
        if (model_.flush) error += (n + sums_beside * groups()) * power_of_two(arithmetic.emin());
        if (has_levels()) {
            // Each level loses a part of all its sums together, which are the products and what was lost of them.
            const Rational part = levels() * power_of_two(-arithmetic.fraction_bits - 1);
            error += part * (total_ - size_of_c_ + fixed_ + error) / (1 - part);
        }
        return error;
    }

    const Accumulator& model_;
    Format grid_;
    std::size_t n_ = 0;
    bool finite_ = true;
    Rational exact_;              ///< the sum that the operands say
    Rational fixed_;              ///< lost whatever the order: flushed operands, rounded products
    Rational total_;              ///< of the magnitudes of all terms and c
    std::vector<Rational> sizes_; ///< magnitudes of the terms
    int highest_ = 0;             ///< the largest exponent of a product
    Rational size_of_c_;
    int exponent_of_c_ = 0;
    bool has_granule_ = false;
    int granule_ = 0; ///< all terms and c are multiples of 2^granule
};

} // namespace

std::optional<Bound> bound(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands) {
    check(accumulator, format, operands);
    if (operands.a.empty()) throw std::invalid_argument("an accumulator has products to add");
    if (accumulator.scale_use == ScaleUse::promotion) return {};
    return Bounding(accumulator, format, operands).run();
}

} // namespace mxcert::exact

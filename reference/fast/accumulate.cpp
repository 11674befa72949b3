// SPDX-License-Identifier: Apache-2.0
// Accumulators in integers. A group is held in a fixed array when it is small, which those of devices are.
#include "reference/fast/accumulate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "reference/fast/dot.hpp"
#include "reference/fast/factor.hpp"
#include "reference/fast/sum/aligned.hpp"
#include "reference/fast/sum/operands.hpp"
#include "reference/fast/sum/promote.hpp"
#include "reference/fast/sum/small_terms.hpp"
#include "reference/fast/wide_sum.hpp"

namespace mxcert::fast {
namespace {

/// Most terms of an aligned sum that any accumulator has: products of a group, and c.
constexpr std::size_t most_terms = 129;

} // namespace

/// A dot product by a model; the operands are those of the call in progress.
class Accumulate::Steps {
  public:
    Steps(const Accumulator& model, const DotFormat& format)
        : model_(model), format_(format), grid_(grid_of(model)), emin_(grid_.emin()), emax_(grid_.emax()),
          a_(*format.a), b_(*format.b), a_scales_(format.scale_a == nullptr ? *format.a : *format.scale_a),
          b_scales_(format.scale_b == nullptr ? *format.b : *format.scale_b) {
        result_choices_.rounding = model.rounding;
        result_choices_.overflow = model.overflow;
        nearest_.overflow = Overflow::nosat;
        arithmetic_choices_.rounding = model.arithmetic_rounding;
        arithmetic_choices_.overflow = Overflow::nosat;
        scaled_ = format.scale_a != nullptr && model.scale_use != ScaleUse::promotion;
        kept_from_a_ = kept_from(*format.a, model.flushed_as == nullptr ? *format.a : *model.flushed_as);
        kept_from_b_ = kept_from(*format.b, model.flushed_as == nullptr ? *format.b : *model.flushed_as);
        up_ = places_up(model, format);
        is_quick_ = has_small_terms(model, format);
        if (is_quick_) {
            fill(small_a_, *format.a);
            fill(small_b_, *format.b);
        }
        if (model.sum == GroupSum::exact && !is_exact(model)) wide_.emplace(sum_of_products(format, *model.result));
        if (!is_exact(model)) return;
        Choices choices = dot_choices(model.rounding);
        choices.nan = model.nan;
        exact_.emplace(format_, choices);
    }

    Code run(const DotOperands& operands) {
        operands_ = operands;
        if (model_.grouping == Grouping::two_of_four) {
            set_order(operands.a.size());
            operands_.a = take_two_of_four(grouped_a_, operands.a);
            operands_.b = take_two_of_four(grouped_b_, operands.b);
        }
        if (exact_) return (*exact_)(operands);
        const std::size_t n = operands_.a.size();
        const std::size_t group = model_.group == 0 ? n : model_.group;
        Term sum = operand(*model_.result, kept_from(*model_.result, *model_.result), operands_.c);
        Term promoted = sum;
        if (model_.promote != 0) sum = {};
        for (std::size_t begin = 0; begin < n; begin += group) {
            const std::size_t end = std::min(begin + group, n);
            sum = step(begin, end, sum);
            if (model_.promote == 0 || (end % model_.promote != 0 && end != n)) continue;
            promoted = promote(promoted, sum, end - 1);
            sum = {};
        }
        return code_of(model_.promote != 0 ? promoted : sum);
    }

  private:
    /// The places of n products in the order of their groups.
    void set_order(std::size_t n) {
        const std::size_t places = groups_of(model_, n) * model_.group;
        for (std::size_t i = order_.size(); i < places; ++i) order_.push_back(place_in_order(model_, i));
        order_.resize(places);
    }
    /// The codes in the order of the groups, and zeros to whole instructions.
    [[nodiscard]] std::span<const Code> take_two_of_four(std::vector<Code>& grouped,
                                                         std::span<const Code> codes) const {
        grouped.resize(order_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) grouped[i] = order_[i] < codes.size() ? codes[order_[i]] : 0;
        return grouped;
    }
    [[nodiscard]] Term operand(const Format& format, Code smallest, Code code) const {
        if (model_.flush && format.is_finite(code) && (code & format.magnitude_mask()) < smallest) return {};
        return term_of(format, code);
    }
    /// What is promoted after the product `last`, with the sum since then.
    [[nodiscard]] Term promote(const Term& promoted, const Term& sum, std::size_t last) const {
        if (model_.scale_use != ScaleUse::promotion) return fast::promote(model_, promoted, sum, nullptr);
        const Term scales = multiply(scale(*format_.scale_a, operands_.scales_a, operands_.block_a, last),
                                     scale(*format_.scale_b, operands_.scales_b, operands_.block_b, last));
        return fast::promote(model_, promoted, sum, &scales);
    }
    [[nodiscard]] Term scale(const Format& format, std::span<const Code> scales, std::size_t block,
                             std::size_t i) const {
        Term term = term_of(format, scales[block == 0 ? 0 : i / block]);
        if (model_.scale_use == ScaleUse::terms) term.negative = false;
        return term;
    }
    [[nodiscard]] Term product(std::size_t i) const {
        Term term = multiply(operand(*format_.a, kept_from_a_, operands_.a[i]),
                             operand(*format_.b, kept_from_b_, operands_.b[i]));
        if (!scaled_) return term;
        term = multiply(term, scale(*format_.scale_a, operands_.scales_a, operands_.block_a, i));
        return multiply(term, scale(*format_.scale_b, operands_.scales_b, operands_.block_b, i));
    }
    /// What a factor adds to the exponent of its term.
    [[nodiscard]] int exponent(const Format& format, const Term& term) const {
        return term.significand == 0 ? model_.zero_exponent : term.exponent + format.fraction_bits;
    }

    [[nodiscard]] Term in_arithmetic(const Term& exact, bool sticky = false) const {
        const Format& format = *model_.arithmetic;
        const Term term = rounded(format, arithmetic_choices_, exact, sticky);
        if (model_.flush && term.kind == TermKind::finite &&
            term.exponent + width_of(term.significand) <= format.emin())
            return {TermKind::finite, term.negative, 0, 0};
        return term;
    }
    [[nodiscard]] Term to_result(const Term& exact, bool sticky = false) const {
        Term term = rounded(grid_, result_choices_, exact, sticky);
        // With the bits of the result's format, which the next group goes by.
        const int more = model_.result->fraction_bits - grid_.fraction_bits;
        term.significand <<= more;
        term.exponent -= more;
        if (model_.zero_sign == ZeroSign::dropped && term.is_zero()) term.negative = false;
        return term;
    }

    /// The same of units x 2^place, quickly where the rounding is that of a device.
    [[nodiscard]] Term to_result(std::int64_t units, int place) const {
        const bool negative = units < 0;
        const auto bits = static_cast<std::uint64_t>(units);
        const std::uint64_t magnitude = negative ? 0 - bits : bits;
        const bool even = model_.rounding == Rounding::nearest_even;
        if (magnitude == 0) return {TermKind::finite, false, 0, emin_ - model_.result->fraction_bits};
        const int binade = std::max(place + 63 - std::countl_zero(magnitude), emin_);
        const int last = binade - model_.result_fraction;
        const int down = last - place;
        if ((!even && model_.rounding != Rounding::toward_zero) || binade >= emax_ || down > 62)
            return to_result(Term{TermKind::finite, negative, magnitude, place});
        const int more = model_.result->fraction_bits - model_.result_fraction;
        std::uint64_t kept = down <= 0 ? magnitude << -down : magnitude >> down;
        if (even && down > 0) {
            const std::uint64_t rest = magnitude - (kept << down);
            const std::uint64_t half = std::uint64_t{1} << (down - 1);
            kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
        }
        // A carry into the next binade leaves a significand of one bit more, and zeros below.
        const bool carried = kept >> (model_.result_fraction + 1) != 0;
        const bool sign = negative && (kept != 0 || model_.zero_sign == ZeroSign::kept);
        return {TermKind::finite, sign, (carried ? kept >> 1 : kept) << more, last - more + (carried ? 1 : 0)};
    }

    /// The code of a value of the result's format, with its significand at the place of its binade.
    [[nodiscard]] Code code_of(const Term& term) const {
        if (term.kind != TermKind::finite || term.significand == 0) {
            Choices choices = nearest_;
            choices.nan = model_.nan;
            return result_of(*model_.result, choices, term);
        }
        const int bits = model_.result->fraction_bits;
        const auto binades = static_cast<Code>(term.exponent + bits - emin_);
        return (binades << bits) + static_cast<Code>(term.significand) +
               (term.negative ? model_.result->sign_bit() : 0);
    }

    /// A code of a small format: from the table, or of 16 bits.
    template <bool of_eight_bits> [[nodiscard]] SmallFactor read_small(const std::array<SmallFactor, 256>& small,
                                                                       const Format& format, Code code) const {
        if constexpr (of_eight_bits) return small[code];
        const Code magnitude = code & format.magnitude_mask();
        const auto field = static_cast<std::int32_t>(magnitude >> format.fraction_bits);
        const auto fraction = static_cast<std::int32_t>(magnitude & format.fraction_mask());
        const std::int32_t significand = fraction + (field != 0 ? 1 << format.fraction_bits : 0);
        const std::int32_t finite = significand == 0 ? model_.zero_exponent : std::max(field, 1) - format.bias;
        const bool negative = (code & format.sign_bit()) != 0;
        return {negative ? -significand : significand, magnitude >= format.inf_code() ? not_finite : finite};
    }
    void fill(std::array<SmallFactor, 256>& small, const Format& format) const {
        if (format.width() > 8) return;
        for (Code code = 0; code <= format.last_code(); ++code) small[code] = small_factor(model_, format, code);
    }
    /// aligned_step() for products of small formats, cut toward zero: 32 bits hold each term.
    template <bool of_eight_bits>
    [[nodiscard]] Term quick_step(std::size_t begin, std::size_t end, const Term& c) const {
        std::int32_t terms[most_small_terms];
        std::int32_t exponents[most_small_terms];
        const std::size_t n = end - begin;
        if (c.kind != TermKind::finite) return aligned_step(begin, end, c);
        std::int32_t highest = exponent(*model_.result, c);
        const Code* const a = operands_.a.data() + begin;
        const Code* const b = operands_.b.data() + begin;
        for (std::size_t i = 0; i < n;) {
            const Scale scale = scaled_ ? scale_of(begin + i) : Scale{};
            if (scale.special) return aligned_step(begin, end, c);
            const std::size_t stop = scaled_ ? same_scale(begin + i, end) - begin : n;
            for (; i < stop; ++i) {
                const SmallFactor x = read_small<of_eight_bits>(small_a_, *format_.a, a[i]);
                const SmallFactor y = read_small<of_eight_bits>(small_b_, *format_.b, b[i]);
                terms[i] = x.significand * y.significand * (1 << up_);
                exponents[i] = x.exponent + y.exponent + scale.exponent;
                highest = std::max(highest, exponents[i]);
            }
        }
        if (highest >= not_finite / 2) return aligned_step(begin, end, c);
        const auto c_significand = static_cast<std::int64_t>(c.significand);
        std::int64_t sum =
            moved_toward_zero(c.negative ? -c_significand : c_significand, c.exponent - (highest - model_.fraction));
        for (std::size_t i = 0; i < n; ++i) {
            const int down = std::min(highest - exponents[i], 31);
            const auto below = static_cast<std::int32_t>((std::uint32_t{1} << down) - 1);
            sum += (terms[i] + ((terms[i] >> 31) & below)) >> down;
        }
        return to_result(sum, highest - model_.fraction);
    }

    [[nodiscard]] Term step(std::size_t begin, std::size_t end, const Term& c) {
        if (is_quick_)
            return format_.a->width() <= 8 ? quick_step<true>(begin, end, c) : quick_step<false>(begin, end, c);
        switch (model_.sum) {
        case GroupSum::aligned:
        case GroupSum::even_odd:
        case GroupSum::scaled_terms: return aligned_step(begin, end, c);
        case GroupSum::exact: return exact_step(begin, end, c);
        default: break;
        }
        if (model_.addend == Addend::in_group) return to_result(sequence(begin, end, c));
        return to_result(in_arithmetic(add(c, alone(begin, end))));
    }
    /// The sum of a group without c.
    [[nodiscard]] Term alone(std::size_t begin, std::size_t end) const {
        if (model_.sum == GroupSum::tree) return tree(begin, end);
        return model_.sum == GroupSum::pairs ? pairs(begin, end) : sequence(begin, end, {});
    }
    [[nodiscard]] Term exact_step(std::size_t begin, std::size_t end, const Term& c) {
        if (model_.addend == Addend::rounded) {
            const Term special = special_of(begin, end, {});
            if (special.kind != TermKind::finite) return to_result(in_arithmetic(add(c, special)));
            const WideSum::Leading sum = exact_sum(begin, end, nullptr);
            return to_result(in_arithmetic(add(c, in_arithmetic(sum.term, sum.sticky))));
        }
        const Term special = special_of(begin, end, c);
        if (special.kind != TermKind::finite) return to_result(special);
        const WideSum::Leading sum = exact_sum(begin, end, &c);
        return to_result(sum.term, sum.sticky);
    }
    /// Of finite products, and c where it is given. A zero is negative if all terms are.
    [[nodiscard]] WideSum::Leading exact_sum(std::size_t begin, std::size_t end, const Term* c) {
        wide_->clear();
        bool positive = c != nullptr && !c->negative;
        if (c != nullptr) wide_->add(*c);
        for (std::size_t i = begin; i < end; ++i) {
            const Term term = product(i);
            positive = positive || !term.negative;
            wide_->add(term);
        }
        WideSum::Leading sum = wide_->leading();
        if (sum.term.significand == 0) sum.term.negative = !positive;
        return sum;
    }
    [[nodiscard]] Term pairs(std::size_t begin, std::size_t end) const {
        Term even;
        Term odd;
        for (std::size_t i = begin; i < end; i += 4) {
            even = in_arithmetic(add(even, pair(i, end)));
            if (i + 2 < end) odd = in_arithmetic(add(odd, pair(i + 2, end)));
        }
        return in_arithmetic(add(even, odd));
    }
    [[nodiscard]] Term pair(std::size_t i, std::size_t end) const {
        const Term first = in_arithmetic(product(i));
        return i + 1 < end ? in_arithmetic(add(first, in_arithmetic(product(i + 1)))) : first;
    }
    [[nodiscard]] Term sequence(std::size_t begin, std::size_t end, Term sum) const {
        const bool twice = model_.sum == GroupSum::multiply_add;
        for (std::size_t i = begin; i < end; ++i) {
            const Term exact = product(i);
            const Term next = in_arithmetic(add(sum, twice ? in_arithmetic(exact) : exact));
            // Member by member: a copy of 16 bytes at a time waits until the parts are stored.
            sum.kind = next.kind;
            sum.negative = next.negative;
            sum.significand = next.significand;
            sum.exponent = next.exponent;
        }
        return sum;
    }
    [[nodiscard]] Term tree(std::size_t begin, std::size_t end) const {
        if (end - begin == 1) {
            const Term term = product(begin);
            return term.is_zero() ? Term{} : in_arithmetic(term);
        }
        const std::size_t middle = begin + (end - begin) / 2;
        return in_arithmetic(add(tree(begin, middle), tree(middle, end)));
    }
    [[nodiscard]] Term aligned_step(std::size_t begin, std::size_t end, const Term& c) const {
        std::array<Aligned, most_terms> terms;
        std::size_t n = 0;
        if (c.kind != TermKind::finite || !gather(begin, end, terms, n)) {
            const Term special = special_of(begin, end, c);
            if (special.kind != TermKind::finite) return to_result(special);
        }
        if (model_.addend == Addend::rounded) {
            const AlignedSum sum = products_alone(terms.data(), n);
            return to_result(in_arithmetic(add(c, in_arithmetic(term_of_units(sum)))));
        }
        const auto c_significand = static_cast<std::int64_t>(c.significand);
        const Aligned of_c{c.negative ? -c_significand : c_significand, c.exponent, exponent(*model_.result, c)};
        if (model_.addend == Addend::in_group) {
            terms.at(n++) = of_c;
            const AlignedSum sum = align(terms.data(), n, 1, model_.fraction, model_.align);
            return to_result(sum.units, sum.exponent - model_.fraction);
        }
        const AlignedSum sum = above_c(terms.data(), n, of_c);
        return to_result(sum.units, sum.exponent - model_.sum_fraction);
    }
    /// The Inf or NaN that operands or large products make of a group, or zero.
    [[nodiscard]] Term special_of(std::size_t begin, std::size_t end, const Term& c) const {
        bool nan = c.kind == TermKind::nan;
        bool infinite[2] = {};
        bool large[2] = {};
        infinite[c.negative ? 1 : 0] = c.kind == TermKind::inf;
        for (std::size_t i = begin; i < end; ++i) {
            const Term term = product(i);
            nan = nan || term.kind == TermKind::nan;
            infinite[term.negative ? 1 : 0] |= term.kind == TermKind::inf;
            if (model_.large_is_inf && term.exponent + width_of(term.significand) > 128)
                large[term.negative ? 1 : 0] = true;
        }
        if (nan || (infinite[0] && infinite[1])) return {TermKind::nan, false, 0, 0};
        if (infinite[0] || infinite[1]) return {TermKind::inf, infinite[1], 0, 0};
        if (large[0] && large[1]) return {TermKind::nan, false, 0, 0};
        if (large[0] || large[1]) return {TermKind::inf, large[1], 0, 0};
        return {};
    }

    /// What a factor adds to the exponent of its term.
    [[nodiscard]] int exponent(const Factor& factor) const {
        return factor.exponent == Factor::of_zero ? model_.zero_exponent : factor.exponent;
    }
    [[nodiscard]] Factor read(const Factors& factors, const Format& format, Code smallest, Code code) const {
        const Factor factor = factors(code);
        if (!model_.flush || factor.special || (code & format.magnitude_mask()) >= smallest) return factor;
        return {0, 0, Factor::of_zero, false};
    }
    /// The scales of a product together.
    struct Scale {
        std::int64_t significand = 1;
        int place = 0;
        int exponent = 0;
        bool special = false;
    };
    [[nodiscard]] Scale scale_of(std::size_t i) const {
        const Factor a = a_scales_(operands_.scales_a[operands_.block_a == 0 ? 0 : i / operands_.block_a]);
        const Factor b = b_scales_(operands_.scales_b[operands_.block_b == 0 ? 0 : i / operands_.block_b]);
        std::int64_t significand = std::int64_t{a.significand} * b.significand;
        if (model_.scale_use == ScaleUse::terms && significand < 0) significand = -significand;
        return {significand, a.place + b.place, exponent(a) + exponent(b), a.special || b.special};
    }
    /// The first place from i on, up to end, where a scale changes.
    [[nodiscard]] std::size_t same_scale(std::size_t i, std::size_t end) const {
        for (const std::size_t block : {operands_.block_a, operands_.block_b})
            if (block != 0) end = std::min(end, (i / block + 1) * block);
        return end;
    }
    /// The terms of a group. Says whether all are finite, and small enough for every accumulator; if not, some may be
    /// of no use.
    [[nodiscard]] bool gather(std::size_t begin, std::size_t end, std::array<Aligned, most_terms>& terms,
                              std::size_t& n) const {
        const bool joined = model_.sum == GroupSum::scaled_terms;
        // Four significands below 2 are a product below 2^4.
        const int least_large = model_.large_is_inf ? 124 : std::numeric_limits<int>::max();
        bool fine = true;
        for (std::size_t i = begin; i < end;) {
            const Scale scale = scaled_ ? scale_of(i) : Scale{};
            const std::size_t stop = scaled_ ? same_scale(i, end) : end;
            fine = fine && !scale.special;
            for (; i < stop; ++i) {
                const Factor a = read(a_, *format_.a, kept_from_a_, operands_.a[i]);
                const Factor b = read(b_, *format_.b, kept_from_b_, operands_.b[i]);
                const int of_product = exponent(a) + exponent(b);
                fine = fine && !a.special && !b.special && of_product + scale.exponent < least_large;
                const Aligned aligned{std::int64_t{a.significand} * b.significand * scale.significand,
                                      a.place + b.place + scale.place, scale.exponent + (joined ? 0 : of_product)};
                if (joined && (i - begin) % scaled_term_size != 0)
                    join(terms.at(n - 1), aligned);
                else
                    terms.at(n++) = aligned;
            }
        }
        return fine;
    }
    /// Adds an element of the same block: its place differs where it is zero or subnormal.
    static void join(Aligned& sum, const Aligned& aligned) {
        if (aligned.significand == 0) return;
        if (sum.significand == 0) {
            sum.significand = aligned.significand;
            sum.place = aligned.place;
            return;
        }
        const int place = std::min(sum.place, aligned.place);
        sum.significand = moved(sum.significand, sum.place - place, Rounding::down) +
                          moved(aligned.significand, aligned.place - place, Rounding::down);
        sum.place = place;
    }
    /// The aligned sum of a group's products, in units of its exponent.
    [[nodiscard]] AlignedSum products_alone(const Aligned* terms, std::size_t n) const {
        const bool halves = model_.sum == GroupSum::even_odd;
        AlignedSum sum = align(terms, n, halves ? 2 : 1, model_.fraction, model_.align);
        if (halves && n > 1) {
            const AlignedSum odd = align(terms + 1, n - 1, 2, model_.fraction, model_.align);
            const int e = std::max(sum.exponent, odd.exponent);
            sum.units =
                moved(sum.units, sum.exponent - e, Rounding::down) + moved(odd.units, odd.exponent - e, Rounding::down);
            sum.exponent = e;
        }
        return sum;
    }
    [[nodiscard]] Term term_of_units(const AlignedSum& sum) const {
        const bool negative = sum.units < 0;
        const auto bits = static_cast<std::uint64_t>(sum.units);
        return {TermKind::finite, negative, negative ? 0 - bits : bits, sum.exponent - model_.fraction};
    }
    [[nodiscard]] AlignedSum above_c(const Aligned* terms, std::size_t n, const Aligned& c) const {
        const AlignedSum sum = products_alone(terms, n);
        const int e = std::max(sum.exponent, c.exponent);
        const int finer = model_.sum_fraction - model_.addend_fraction;
        const int from = model_.sum_fraction - model_.fraction;
        std::int64_t units = moved(sum.units, from + sum.exponent - e, Rounding::down);
        if (model_.addend_window == 0 || c.exponent >= e - model_.addend_window)
            units += moved(c.significand, c.place - (e - model_.addend_fraction), Rounding::down) *
                     (std::int64_t{1} << finer);
        return {units, e};
    }
    Accumulator model_;
    DotFormat format_;
    DotOperands operands_;
    std::vector<std::size_t> order_; ///< Grouping::two_of_four: the place that each product of the groups comes from
    std::vector<Code> grouped_a_;    ///< Grouping::two_of_four
    std::vector<Code> grouped_b_;
    Format grid_;
    bool is_quick_ = false;
    int up_ = 0; ///< bits by which a product's significand moves up to the last place that stays
    std::array<SmallFactor, 256> small_a_{};
    std::array<SmallFactor, 256> small_b_{};
    int emin_;
    int emax_;
    Factors a_;
    Factors b_;
    Factors a_scales_;
    Factors b_scales_;
    Choices result_choices_;
    Choices nearest_;
    Choices arithmetic_choices_;
    bool scaled_ = false;  ///< products have scales
    Code kept_from_a_ = 0; ///< magnitudes below are flushed
    Code kept_from_b_ = 0;
    std::optional<Dot> exact_;    ///< is_exact()
    std::optional<WideSum> wide_; ///< GroupSum::exact in groups
};

Accumulate::Accumulate(const Accumulator& accumulator, const DotFormat& format) {
    check(accumulator, format);
    steps_ = std::make_unique<Steps>(accumulator, format);
}
Accumulate::~Accumulate() = default;
Accumulate::Accumulate(Accumulate&&) noexcept = default;
Accumulate& Accumulate::operator=(Accumulate&&) noexcept = default;

Code Accumulate::operator()(const DotOperands& operands) { return steps_->run(operands); }

Code accumulate(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands) {
    check(accumulator, format, operands);
    if (operands.a.empty()) throw std::invalid_argument("an accumulator has products to add");
    return Accumulate(accumulator, format)(operands);
}

} // namespace mxcert::fast

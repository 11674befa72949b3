// SPDX-License-Identifier: Apache-2.0
// The conversion of one value in the order of OFP8 v1.0 5.2.1: specials, rounding with the exponent unbounded, then
// overflow. Where an amax becomes a scale, the quotient comes before (MX v1.0 6.3).
#include <stdexcept>

#include "reference/exact/exact.hpp"
#include "reference/scale_rule.hpp"

namespace mxcert::exact {
namespace {

constexpr Code fp32_1e_30 = 0x0DA24260;

/// One conversion in progress: what is given, and the Result as it grows.
class Conversion {
  public:
    Conversion(const Format& from, const Format& to, const Choices& choices, Random random, std::vector<Step>* trace)
        : from_(from), to_(to), choices_(choices), random_(random), trace_(trace) {}

    Result run(Code code) {
        Result result = decided(code);
        // IEEE 754 6.1: what an infinity becomes is exact, and a NaN has no value to differ from.
        result.inexact = result.inexact && is_number(code);
        return result;
    }

  private:
    /// Whether the source has a value: it is neither Inf nor NaN, nor under a scale that is NaN.
    [[nodiscard]] bool is_number(Code code) const {
        if (from_.scale == nullptr) return from_.is_finite(code);
        return !from_.scale->is_nan(from_.scale_of(code)) && from_.value->is_finite(from_.value_of(code));
    }

    Result decided(Code code) {
        Value value = choices_.via != Via::none ? through_intermediate(code) : operand(code);
        consult(Choice::via, !embeds(from_, formats::fp16) || !embeds(from_, formats::bf16));

        if (value.kind == Kind::nan) return from_nan(value, code);
        if (from_.rectified && from_.is_negative(code)) return rectified(code);
        if (value.kind == Kind::finite && flushes_input(code)) {
            value.magnitude = 0;
            note(Rule::flush, "a subnormal source is flushed to zero");
        }
        if (to_.element != nullptr) value = scale_quotient(value);
        if (!to_.is_signed && value.negative && (value.kind == Kind::inf || !value.magnitude.is_zero())) {
            if (done_with_negative()) return result_;
            value.negative = false;
        }
        if (value.kind == Kind::inf) return from_inf(value);
        if (value.magnitude.is_zero()) return from_zero(value, Rule::zero);
        return from_finite(value);
    }

    /// PTX `.relu`: what is negative gives +0.
    Result rectified(Code code) {
        result_.inexact = code != from_.sign_bit();
        return finish(Rule::negative, 0, "the rectifier gives +0 for what is negative");
    }
    /// Notes that a choice has a say for this input.
    void consult(Choice choice, bool matters = true) {
        if (matters) result_.consulted |= bit(choice);
    }
    void note(Rule rule, std::string text) {
        if (trace_ != nullptr) trace_->push_back({rule, std::move(text)});
    }
    Result finish(Rule rule, Code code, const char* text) {
        result_.rule = rule;
        result_.code = code;
        note(rule, text);
        return result_;
    }
    [[nodiscard]] Code signed_code(bool negative, Code magnitude) const {
        if (to_.encoding == Encoding::twos_complement && negative) // no zero: there is no -0
            return 2 * to_.sign_bit() - magnitude;
        return negative ? magnitude | to_.sign_bit() : magnitude;
    }
    /// MX 5.3.4. The code that a magnitude beyond the largest saturates to.
    [[nodiscard]] Code farthest_code(bool negative) {
        if (to_.encoding == Encoding::twos_complement && negative) {
            consult(Choice::lowest);
            if (choices_.lowest == Lowest::used) return to_.sign_bit();
        }
        return signed_code(negative, to_.max_code());
    }

    // K9; MX 5.1, 6.3. The value of the source, with its scale if it has one.
    Value operand(Code code) {
        if (from_.scale == nullptr) return decode(from_, code);
        Value scale = decode(*from_.scale, from_.scale_of(code));
        Value value = decode(*from_.value, from_.value_of(code));
        if (scale.kind == Kind::nan) value = {Kind::nan, value.negative, 0, 0};
        if (value.kind != Kind::finite || value.magnitude.is_zero()) return value;
        const bool divides = from_.scaling == Scaling::divide;
        const bool is_e8m0 = from_.scale->name == formats::e8m0.name;
        if (divides && is_e8m0 && from_.scale_of(code) == 0) scale.magnitude = smallest_divisor(scale.magnitude);
        if (trace_ != nullptr)
            note(Rule::scaled, decimal(value.magnitude) + (divides ? " / " : " x ") + decimal(scale.magnitude));
        return divides ? divided(value, scale.magnitude) : multiplied(value, scale.magnitude);
    }

    // K9. What a value under the smallest scale is divided by.
    Rational smallest_divisor(const Rational& scale) {
        consult(Choice::smallest_scale);
        switch (choices_.smallest_scale) {
        case SmallestScale::by_value: return scale;
        case SmallestScale::second: return 2 * scale;
        case SmallestScale::one: return 1;
        }
        throw std::logic_error("no such smallest scale");
    }

    // K11. The first of two roundings, to a 16-bit format, not saturating (IEEE 754 7.4 where it overflows).
    Value through_intermediate(Code code) {
        consult(Choice::via);
        const bool bf16 = choices_.via == Via::bf16_nearest_even;
        const Format& middle = bf16 ? formats::bf16 : formats::fp16;
        Choices first;
        first.rounding = choices_.via == Via::fp16_toward_zero ? Rounding::toward_zero : Rounding::nearest_even;
        first.overflow = Overflow::nosat;
        first.directed_overflow = DirectedOverflow::max;
        first.nan = NanRule::payload_sign;
        const Result rounded = convert(from_, middle, first, code);
        result_.inexact = rounded.inexact;
        Value value = decode(middle, rounded.code);
        if (value.kind == Kind::finite && trace_ != nullptr)
            note(Rule::via, "rounded to " + std::string(middle.name) + " first: " + decimal(value.magnitude));
        return value;
    }

    [[nodiscard]] bool flushes_input(Code code) {
        const bool subnormal = from_.is_subnormal(code);
        consult(Choice::flush, subnormal);
        return subnormal && (choices_.flush == Flush::input || choices_.flush == Flush::both);
    }

    /// A magnitude as an arithmetic of this format gives it: to nearest even, Inf beyond its largest value (K2, K8).
    Value in(const Format& arithmetic, Value value) {
        if (value.kind != Kind::finite || value.magnitude.is_zero()) return value;
        const Rational before = value.magnitude;
        value.magnitude = round(arithmetic, before, false, Rounding::nearest_even).value;
        if (decode(arithmetic, arithmetic.max_code()).magnitude < value.magnitude) {
            value.kind = Kind::inf;
            value.magnitude = 0;
        } else if (!value.magnitude.is_zero() && value.magnitude < power_of_two(arithmetic.emin())) {
            consult(Choice::flush);
            if (choices_.flush == Flush::product) {
                value.magnitude = 0;
                note(Rule::flush, "a subnormal of " + std::string(arithmetic.name) + " is flushed to zero");
            }
        }
        if (value.kind == Kind::inf || value.magnitude != before) result_.inexact = true;
        return value;
    }

    /// A finite value other than zero times a scale in the chosen arithmetic (K9).
    Value multiplied(Value value, const Rational& scale) {
        consult(Choice::arithmetic);
        value.magnitude *= scale;
        if (choices_.arithmetic == Arithmetic::exact) return value;
        return in(choices_.arithmetic == Arithmetic::bf16_divide ? formats::bf16 : formats::fp32, value);
    }

    /// The same divided by a scale, or by the divisor of a scale rule (K2, K9).
    Value divided(Value value, const Rational& divisor) {
        consult(Choice::arithmetic);
        switch (choices_.arithmetic) {
        case Arithmetic::exact: value.magnitude /= divisor; return value;
        case Arithmetic::fp32_multiply: {
            const Value reciprocal = in(formats::fp32, {Kind::finite, false, 1 / divisor, 0});
            value = in(formats::fp32, value);
            value.magnitude *= reciprocal.magnitude;
            return in(formats::fp32, value);
        }
        case Arithmetic::fp32_log2: // a logarithm makes the power of two, no division
        case Arithmetic::fp32_divide:
            value = in(formats::fp32, value);
            value.magnitude /= divisor;
            return in(formats::fp32, value);
        case Arithmetic::bf16_divide:
            value = in(formats::bf16, value);
            value.magnitude /= divisor;
            return in(formats::bf16, value);
        }
        throw std::logic_error("no such arithmetic");
    }

    // K2. A quotient whose power of two is found by way of an FP32 logarithm.
    Value by_logarithm(Value value, const Rational& divisor) {
        const bool of_amax = divisor == power_of_two(floor_log2(divisor));
        if (of_amax) {
            consult(Choice::arithmetic);
            value = in(formats::fp32, value);
        } else {
            value = divided(value, divisor);
        }
        if (value.kind != Kind::finite || value.magnitude.is_zero()) return value;
        value.magnitude = by_log2(formats::fp32, value.magnitude);
        if (of_amax) value.magnitude /= divisor;
        return value;
    }

    // K1, K2. What the power of two is taken of: the amax over the rule's divisor.
    Value scale_quotient(Value value) {
        const Rational least = decode(formats::fp32, fp32_1e_30).magnitude;
        const bool raised = value.kind == Kind::finite && value.magnitude < least;
        consult(Choice::least_amax, raised);
        const bool is_least = raised && choices_.least_amax == LeastAmax::fp32_1e_30;
        if (is_least) value.magnitude = least;
        if (value.kind == Kind::finite && value.magnitude.is_zero()) return value;
        if (info(choices_.rule).rounds_first && value.kind == Kind::finite) {
            consult(Choice::rule);
            // The least amax is a value of FP32: FP16 does not have it.
            const Format& amax = is_least ? formats::fp32 : from_;
            Format grid = amax;
            grid.fraction_bits = to_.element->fraction_bits;
            if (grid.fraction_bits < amax.fraction_bits) {
                value.magnitude = round(grid, value.magnitude, false, Rounding::nearest_away).value;
                if (decode(grid, grid.max_code()).magnitude < value.magnitude)
                    value = {Kind::inf, value.negative, 0, 0};
            }
        }
        if (value.kind == Kind::inf) {
            consult(Choice::inf_amax);
            if (choices_.inf_amax == InfAmax::overflows) return value;
            value = {Kind::finite, value.negative, power_of_two(from_.emax() + 1), 0};
            result_.inexact = true;
            note(Rule::round, "the amax is taken for the power of two after the largest value");
        }
        consult(Choice::rule);
        const Quotient quotient = quotient_of(choices_.rule, *to_.element);
        rounding_ = quotient.rounding;
        if (trace_ != nullptr)
            note(Rule::round, "the quotient " + decimal(value.magnitude) + " / " + decimal(quotient.divisor) +
                                  " is to be rounded to a power of two");
        value = choices_.arithmetic == Arithmetic::fp32_log2 ? by_logarithm(value, quotient.divisor)
                                                             : divided(value, quotient.divisor);
        if (trace_ != nullptr && choices_.arithmetic != Arithmetic::exact)
            note(Rule::round, std::string(value_name(choices_, Choice::arithmetic)) + " gives " +
                                  (value.kind == Kind::inf ? "Inf" : decimal(value.magnitude)));
        return value;
    }

    // OFP8 Table 3 row NaN; K14, K15.
    Result from_nan(const Value& value, Code source) {
        consult(Choice::nan);
        const Code code = nan_code(choices_.nan, value.negative, value.payload);
        if (from_.scale != nullptr && from_.scale->is_nan(from_.scale_of(source)))
            return finish(Rule::scale_nan, code, "a scale that is NaN makes every value NaN");
        return finish(Rule::nan, code, "NaN gives NaN; its code is a choice");
    }

    [[nodiscard]] Code nan_code(NanRule rule, bool negative, Code payload) const {
        const Code largest = to_.max_code();
        if (rule == NanRule::max) return largest;
        if (rule == NanRule::max_sign) return signed_code(negative, largest);
        if (rule == NanRule::zero) return 0;
        if (rule == NanRule::zero_inverted) return to_.has_minus_zero() ? signed_code(!negative, 0) : 0;
        if (!to_.has_nan()) return largest; // MX 5.3.2, 5.3.3: implementation-defined; PTX: the largest, positive
        if (to_.specials == Specials::nan_minus_zero) return to_.sign_bit();
        const Code ones = to_.magnitude_mask();
        if (to_.specials == Specials::nan_all_ones) {
            switch (rule) {
            case NanRule::canonical:
            case NanRule::quiet:
            case NanRule::fp32_ones:
            case NanRule::bf16_ones: return ones;
            case NanRule::inverted_first: return signed_code(!negative, ones);
            case NanRule::negative: return signed_code(true, ones);
            default: return signed_code(negative, ones);
            }
        }
        const Code quiet = to_.inf_code() | (Code{1} << (to_.fraction_bits - 1));
        switch (rule) {
        case NanRule::canonical: return ones;
        case NanRule::sign: return signed_code(negative, ones);
        case NanRule::negative: return signed_code(true, ones);
        case NanRule::fp32_ones: return ones_of(formats::fp32);
        case NanRule::bf16_ones: return ones_of(formats::bf16);
        case NanRule::quiet: return quiet;
        case NanRule::quiet_sign: return signed_code(negative, quiet);
        case NanRule::payload_sign: return signed_code(negative, quiet | payload >> (payload_bits - to_.fraction_bits));
        default: return signed_code(!negative, to_.inf_code() + 1); // inverted_first
        }
    }

    /// The NaN of all ones of a narrower format, widened.
    [[nodiscard]] Code ones_of(const Format& narrower) const {
        const int beyond = std::max(0, to_.fraction_bits - narrower.fraction_bits);
        return to_.magnitude_mask() >> beyond << beyond;
    }

    // K17. True if the negative value is done with; false if it goes on as its magnitude.
    bool done_with_negative() {
        consult(Choice::negative);
        switch (choices_.negative) {
        case Negative::magnitude:
            result_.inexact = true;
            note(Rule::negative, "the target has no sign: the magnitude is converted");
            return false;
        case Negative::zero:
            finish(Rule::negative, 0, "the target has no sign: negative gives the smallest code");
            break;
        case Negative::nan:
            finish(Rule::negative, nan_code(NanRule::canonical, false, 0),
                   "the target has no sign: negative gives NaN");
            break;
        }
        result_.inexact = true;
        return true;
    }

    // OFP8 Table 3 row Inf.
    Result from_inf(const Value& value) {
        // An infinite element is an infinite value, whatever its scale (MX 5.1).
        const bool has_value = embeds(from_.value != nullptr ? *from_.value : from_, to_);
        consult(Choice::overflow, !has_value);
        if (choices_.overflow == Overflow::sat && !has_value) {
            result_.inexact = true;
            return finish(Rule::inf_sat, farthest_code(value.negative),
                          "Inf saturates to the largest finite magnitude");
        }
        return finish(Rule::inf_nosat, special_overflow(value.negative), "Inf gives Inf, or NaN where there is no Inf");
    }

    /// Inf; NaN where the format has none; the largest magnitude where it has neither.
    Code special_overflow(bool negative) {
        if (to_.has_inf()) return signed_code(negative, to_.inf_code());
        result_.inexact = true;
        if (!to_.has_nan()) return farthest_code(negative);
        if (to_.specials == Specials::nan_minus_zero) return to_.sign_bit();
        consult(Choice::overflow_nan, to_.is_signed);
        return signed_code(overflow_nan_is_negative(choices_, negative), to_.magnitude_mask());
    }

    // OFP8 Table 3 rows zero and underflow; K16, K17.
    Result from_zero(const Value& value, Rule rule) {
        if (!to_.has_zero()) {
            consult(Choice::zero);
            result_.inexact = true;
            switch (choices_.zero) {
            case Zero::smallest: break;
            case Zero::nan:
                return finish(rule, nan_code(NanRule::canonical, false, 0), "the target has no zero: zero gives NaN");
            case Zero::one: return finish(rule, encode(to_, 1), "the target has no zero: zero gives 1");
            case Zero::lowered: {
                const int e = to_.element != nullptr ? to_.element->emax() : 0;
                return finish(rule, encode(to_, power_of_two(-e)), "the target has no zero: zero gives 2^-emax");
            }
            }
            return finish(rule, 0, "the target has no zero: zero gives the smallest code");
        }
        const bool can_keep = value.negative && to_.has_minus_zero();
        consult(Choice::zero_sign, can_keep);
        const bool keep = can_keep && (choices_.zero_sign == ZeroSign::kept ||
                                       (choices_.zero_sign == ZeroSign::input_dropped && rule == Rule::underflow));
        return finish(rule, signed_code(keep, 0), rule == Rule::zero ? "zero gives zero" : "rounds to zero");
    }

    // K6. Values below the second code of a format without subnormals. True if that decided.
    bool done_with_lowest_binade(const Value& value) {
        if (to_.has_subnormals || value.magnitude >= power_of_two(to_.emin() + 1)) return false;
        const Rational smallest = power_of_two(to_.emin());
        consult(Choice::lowest_binade);
        const bool up = choices_.lowest_binade == LowestBinade::up_nonzero ||
                        (choices_.lowest_binade == LowestBinade::up_above_smallest && smallest < value.magnitude);
        if (up) {
            result_.inexact = true;
            finish(Rule::lowest_binade, 1, "below the second code: goes to the second code");
            return true;
        }
        if (value.magnitude >= smallest) return false;
        result_.inexact = true;
        if (choices_.lowest_binade == LowestBinade::zero_below && choices_.zero == Zero::nan) {
            consult(Choice::zero);
            finish(Rule::lowest_binade, nan_code(NanRule::canonical, false, 0),
                   "below the smallest code: as zero, NaN");
            return true;
        }
        consult(Choice::zero, choices_.lowest_binade == LowestBinade::zero_below);
        finish(Rule::lowest_binade, 0, "below the smallest code: gives the smallest code");
        return true;
    }

    // OFP8 5.2.1: round with the exponent unbounded, then look for overflow.
    Result from_finite(const Value& value) {
        if (done_with_lowest_binade(value)) return result_;
        const bool same_values = to_.element == nullptr && embeds(from_, to_);
        const Rounded rounded = round(to_, value.magnitude, value.negative, rounding_, random_);
        // What is dequantized lies on the grid of a wide target, but at its ends.
        const bool on_grid =
            from_.scale != nullptr && from_.value->width() < to_.width() && rounded.lower == rounded.upper;
        consult(Choice::rounding, !same_values && to_.element == nullptr && !on_grid);
        Rational largest = decode(to_, to_.max_code()).magnitude;
        if (to_.encoding == Encoding::twos_complement && value.negative && largest < rounded.value) {
            consult(Choice::lowest);
            if (choices_.lowest == Lowest::used) largest = decode(to_, to_.sign_bit()).magnitude;
        }
        if (rounded.value != value.magnitude) {
            result_.inexact = true;
            if (trace_ != nullptr) // the text costs more than the rounding
                note(Rule::round, "between " + decimal(rounded.lower) + " and " + decimal(rounded.upper) + ": " +
                                      std::string(to_string(rounding_)) + " gives " + decimal(rounded.value));
        }
        if (overflows(value.magnitude, rounded.value, largest)) return from_overflow(value);
        if (rounded.value.is_zero()) return from_zero(value, Rule::underflow);
        const bool subnormal =
            to_.has_subnormals && to_.encoding != Encoding::twos_complement && rounded.value < power_of_two(to_.emin());
        consult(Choice::flush, subnormal);
        if (subnormal && (choices_.flush == Flush::output || choices_.flush == Flush::both)) {
            result_.inexact = true;
            note(Rule::flush, "a subnormal result is flushed to zero");
            return from_zero(value, Rule::underflow);
        }
        const bool is_lowest = decode(to_, to_.max_code()).magnitude < rounded.value;
        const Code code = is_lowest ? to_.sign_bit() : signed_code(value.negative, encode(to_, rounded.value));
        return finish(same_values ? Rule::value : Rule::round, code,
                      same_values ? "the target has this value" : "in range");
    }

    // K13.
    bool overflows(const Rational& magnitude, const Rational& rounded, const Rational& largest) {
        if (largest >= magnitude) return false;
        consult(Choice::overflow_test);
        if (choices_.overflow_test == OverflowTest::before_rounding) return true;
        if (largest < rounded) return true;
        const int top = to_.encoding == Encoding::twos_complement ? to_.emin() : to_.emax();
        const Rational tie = largest + power_of_two(top - to_.fraction_bits - 1);
        // From the tie upward, not the tie alone: for a rounding that stays below it, one point would stand by itself.
        return choices_.overflow_test == OverflowTest::tie_overflows && magnitude >= tie;
    }

    // OFP8 Table 3 row overflow; K12.
    Result from_overflow(const Value& value) {
        result_.overflow = true;
        result_.inexact = true;
        consult(Choice::overflow);
        if (choices_.overflow != Overflow::nosat)
            return finish(Rule::overflow_sat, farthest_code(value.negative),
                          "beyond the largest finite magnitude: saturates to it");
        consult(Choice::rounding, to_.element == nullptr);
        if (!points_away_from_overflow(value.negative))
            return finish(Rule::overflow_nosat, special_overflow(value.negative),
                          "beyond the largest finite magnitude: Inf, or NaN where there is no Inf");
        consult(Choice::directed_overflow);
        if (choices_.directed_overflow == DirectedOverflow::max)
            return finish(Rule::directed_overflow, farthest_code(value.negative),
                          "beyond the largest finite magnitude, rounded toward zero: stays there");
        return finish(Rule::directed_overflow, special_overflow(value.negative),
                      "beyond the largest finite magnitude: Inf, or NaN where there is no Inf");
    }

    [[nodiscard]] bool points_away_from_overflow(bool negative) const {
        switch (rounding_) {
        case Rounding::toward_zero:
        case Rounding::to_odd: return true;
        case Rounding::up: return negative;
        case Rounding::down: return !negative;
        default: return false;
        }
    }

    const Format& from_;
    const Format& to_;
    const Choices& choices_;
    Random random_;
    std::vector<Step>* trace_;
    Rounding rounding_ = choices_.rounding; ///< a scale rule brings its own
    Result result_;
};

} // namespace

Result convert(const Format& from, const Format& to, const Choices& choices, Code code, Random random,
               std::vector<Step>* trace) {
    if (to.flags_of != nullptr) return convert_flags(from, to, choices, code, random, trace);
    if ((choices.rule != ScaleRule::none) != (to.element != nullptr))
        throw std::invalid_argument("a scale rule and a format of scales come together");
    if (to.scale != nullptr) throw std::invalid_argument("nothing is converted to a format with a given scale");
    if (is_stochastic(choices.rounding)) check_random(to, choices.rounding, random);
    return Conversion(from, to, choices, random, trace).run(code);
}

Code converted(const Format& from, const Format& to, Code code) {
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    return convert(from, to, nosat, code).code;
}

} // namespace mxcert::exact

// SPDX-License-Identifier: Apache-2.0
// The exceptions of one conversion in the order of IEEE 754 7: invalid, overflow, underflow, inexact.
#include "reference/flags.hpp"

#include "reference/exact/exact.hpp"

namespace mxcert::exact {
namespace {

/// The flags of a conversion that was made.
class Exceptions {
  public:
    Exceptions(const Format& from, const Format& to, const Choices& choices, Random random, std::vector<Step>* trace)
        : from_(from), to_(to), choices_(choices), random_(random), trace_(trace) {}

    Result run(Code code) {
        const Result converted = convert(from_, to_, choices_, code, random_, trace_);
        const Value value = decode(from_, code);
        switch (value.kind) {
        case Kind::nan: from_nan(converted, code); break;
        case Kind::inf: from_inf(converted); break;
        case Kind::finite: from_finite(converted, value); break;
        }
        if (result_.code != 0) consult(Choice::exceptions);
        if (choices_.exceptions == mxcert::Exceptions::none) result_.code = 0;
        if (trace_ != nullptr) trace_->push_back({result_.rule, "raises " + flags_text(result_.code)});
        return result_;
    }

  private:
    void consult(Choice choice) { result_.consulted |= bit(choice); }
    void consult(const Result& converted, ChoiceSet choices) { result_.consulted |= converted.consulted & choices; }
    void finish(Rule rule, Code flags) {
        result_.rule = rule;
        result_.code = flags;
    }

    // IEEE 754 6.2, 7.2.
    void from_nan(const Result& converted, Code code) {
        consult(Choice::invalid_nan);
        const Format& format = from_.value != nullptr ? *from_.value : from_;
        const bool only_nan = format.specials == Specials::nan_all_ones;
        bool invalid = false;
        switch (choices_.invalid_nan) {
        case InvalidNan::signalling: invalid = is_signalling(format, from_.value_of(code)); break;
        case InvalidNan::signalling_e4m3: invalid = only_nan || is_signalling(format, from_.value_of(code)); break;
        case InvalidNan::every: invalid = true; break;
        case InvalidNan::never: break;
        }
        finish(converted.rule, invalid ? bit(Flag::invalid) : 0);
    }

    // IEEE 754 6.1, 7.2, 7.4.
    void from_inf(const Result& converted) {
        consult(converted, bit(Choice::overflow));
        if (to_.is_inf(converted.code)) return finish(converted.rule, 0);
        consult(Choice::inf_flags);
        switch (choices_.inf_flags) {
        case InfFlags::none: return finish(converted.rule, 0);
        case InfFlags::overflow: return finish(converted.rule, bit(Flag::overflow) | bit(Flag::inexact));
        case InfFlags::invalid: return finish(converted.rule, bit(Flag::invalid));
        }
    }

    void from_finite(const Result& converted, const Value& value) {
        constexpr ChoiceSet first_steps =
            bit(Choice::via) | bit(Choice::flush) | bit(Choice::negative) | bit(Choice::zero) | bit(Choice::lowest);
        consult(converted, first_steps | bit(Choice::overflow_test));
        if (beyond(value)) consult(converted, bit(Choice::rounding));
        if (converted.overflow) return finish(Rule::overflow_nosat, bit(Flag::overflow) | bit(Flag::inexact));
        if (!converted.inexact) return finish(Rule::value, 0);
        if (is_tiny(value)) return finish(Rule::underflow, bit(Flag::underflow) | bit(Flag::inexact));
        finish(Rule::round, bit(Flag::inexact));
    }

    /// Whether a magnitude lies beyond the largest finite one, so that its rounding says whether it overflows.
    [[nodiscard]] bool beyond(const Value& value) const {
        return decode(to_, to_.max_code()).magnitude < value.magnitude;
    }

    // IEEE 754 7.5.
    bool is_tiny(const Value& value) {
        if (!to_.has_subnormals || to_.encoding == Encoding::twos_complement) return false;
        const Rational normal = power_of_two(to_.emin());
        if (value.magnitude.is_zero() || normal <= value.magnitude) return false;
        // The same format with the binades below that an unbounded exponent has.
        Format unbounded = to_;
        unbounded.bias += 1;
        const Rounded rounded = round(unbounded, value.magnitude, value.negative, choices_.rounding, random_);
        if (rounded.upper == normal) consult(Choice::rounding);
        if (rounded.value < normal) return true;
        consult(Choice::tininess);
        return choices_.tininess == Tininess::before_rounding;
    }

    const Format& from_;
    const Format& to_;
    const Choices& choices_;
    Random random_;
    std::vector<Step>* trace_;
    Result result_;
};

} // namespace

Result convert_flags(const Format& from, const Format& to, const Choices& choices, Code code, Random random,
                     std::vector<Step>* trace) {
    return Exceptions(from, *to.flags_of, choices, random, trace).run(code);
}

} // namespace mxcert::exact

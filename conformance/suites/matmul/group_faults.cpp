// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/group_faults.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "reference/fast/term.hpp"
#include "reference/fast/wide_sum.hpp"

namespace mxcert::suites {
namespace {

using fast::Term;
using fast::TermKind;
using fast::Wide;

/// The mistakes, with the places that are looked at. A group has its own.
struct KnownMistake {
    GroupMistake mistake;
    std::string_view name; ///< with the place
    std::string_view bug_class;
    int first = 0;
    int last = 0;
    bool of_group = false;
};
constexpr KnownMistake mistakes[] = {
    {GroupMistake::sticky_bit, "bit {} below the guard bit left out of the sticky bit", "STICKY_LOST", 1, 40},
    {GroupMistake::sticky_below, "bits from {} below the guard bit on left out of the sticky bit", "STICKY_LOST", 1,
     40},
    {GroupMistake::sticky_above, "the first bits below the guard bit, {} of them, left out of the sticky bit",
     "STICKY_LOST", 2, 40},
    {GroupMistake::c_cut, "c without its bits below 2^{}", "STICKY_LOST", -150, 40},
    {GroupMistake::product_width, "products of significands in {} bits", "CODE_WRAPS", 1, 21},
    {GroupMistake::sum_width, "the sum of the products wraps at 2^{}", "CODE_WRAPS", -20, 40},
    {GroupMistake::large_c, "the products beside a c of 2^{} or more left out", "TAIL_DROPPED", -60, 120},
    {GroupMistake::subnormal_exponent, "the exponent of subnormal elements off by {}", "SUBNORMAL_AS_NORMAL", -1, 1},
    {GroupMistake::nan_as_number, "elements of NaN read as numbers", "DECODE_SPECIALS", 0, 0},
    {GroupMistake::nan_as_number, "elements of NaN with a clear sign read as numbers", "DECODE_SPECIALS", 1, 1},
    {GroupMistake::nan_as_number, "elements of NaN with a set sign read as numbers", "DECODE_SPECIALS", -1, -1},
    {GroupMistake::sign_of_a, "product {} of each group with the sign of its element of A", "NEIGHBOUR_MIXED", 0, 0,
     true},
    {GroupMistake::sign_of_b, "product {} of each group with the sign of its element of B", "NEIGHBOUR_MIXED", 0, 0,
     true},
    {GroupMistake::zero_of_c, "a sum of zero with the sign of c", "NEG_ZERO", 0, 0},
    {GroupMistake::stale_c, "c of the group before", "STALE_ELEMENT", 0, 0},
};

const KnownMistake& known(const GroupFault& fault) {
    return *std::ranges::find_if(mistakes, [&](const KnownMistake& row) {
        return row.mistake == fault.mistake && (row.of_group || (row.first <= fault.place && fault.place <= row.last));
    });
}

std::size_t group_of(const Accumulator& accumulator) {
    return accumulator.sum == GroupSum::fma ? 1 : accumulator.group;
}

bool adds_exact_groups(const Matmul& matmul) {
    const Accumulator& by = *matmul.accumulator;
    const bool exact = by.sum == GroupSum::exact && by.addend == Addend::in_group && by.group != 0;
    const bool fused = by.sum == GroupSum::fma && by.arithmetic == by.result && by.arithmetic_rounding == by.rounding;
    return (exact || fused) && by.grouping == Grouping::all && by.promote == 0 && !by.flush && !by.large_is_inf &&
           by.result_fraction == by.result->fraction_bits && by.result->has_inf() && by.overflow == Overflow::nosat &&
           matmul.format.scale_a == nullptr && matmul.format.scale_b == nullptr &&
           !matmul.format.a->is_twos_complement() && !matmul.format.b->is_twos_complement() &&
           matmul.format.c == by.result && matmul.output == by.result && matmul.epilogue == nullptr &&
           !matmul.any_order;
}

/// The exponent of the lowest bit that a value has, a subnormal one with an exponent that is off included.
int lowest(const Format& format) { return format.emin() - format.fraction_bits - 1; }
/// Numbers are below this power of two, those of NaN and Inf included.
int highest(const Format& format) { return format.emax() + 2; }

/// A group of products and c to the next c.
class Group {
  public:
    Group(const GroupFault& fault, const Matmul& matmul)
        : fault_(fault), format_(matmul.format), result_(*matmul.format.to), zero_sign_(matmul.accumulator->zero_sign),
          lowest_of_products_(lowest(*format_.a) + lowest(*format_.b)),
          sum_(std::min(lowest_of_products_, lowest(result_)),
               std::max(highest(*format_.a) + highest(*format_.b), highest(result_))) {
        choices_.rounding = matmul.accumulator->rounding;
        choices_.overflow = Overflow::nosat;
        choices_.nan = matmul.accumulator->nan;
    }

    void begin(Code c) {
        sum_.clear();
        c_code_ = c;
        c_ = fast::term_of(result_, c);
        nan_ = c_.kind == TermKind::nan;
        inf_[0] = inf_[1] = false;
        if (c_.kind == TermKind::inf) inf_[c_.negative ? 1 : 0] = true;
        negative_ = c_.negative;
        products_ = 0;
    }
    void add(std::size_t lane, Code a, Code b) {
        const Term x = element(*format_.a, a);
        const Term y = element(*format_.b, b);
        Term product = fast::multiply(x, y);
        if (static_cast<int>(lane) == fault_.place) {
            if (fault_.mistake == GroupMistake::sign_of_a) product.negative = format_.a->is_negative(a);
            if (fault_.mistake == GroupMistake::sign_of_b) product.negative = format_.b->is_negative(b);
        }
        negative_ = negative_ && product.negative;
        nan_ = nan_ || product.kind == TermKind::nan;
        if (product.kind == TermKind::inf) inf_[product.negative ? 1 : 0] = true;
        if (product.kind != TermKind::finite) return;
        if (fault_.mistake == GroupMistake::product_width) product.significand &= (Wide{1} << fault_.place) - 1;
        if (sums_units()) {
            const Wide units = product.significand << (product.exponent - lowest_of_products_);
            products_ += product.negative ? 0 - units : units;
        } else {
            sum_.add(product);
        }
    }
    [[nodiscard]] Code end() {
        if (nan_ || (inf_[0] && inf_[1])) return special({TermKind::nan, false, 0, 0});
        if (inf_[0] || inf_[1]) return special({TermKind::inf, inf_[1], 0, 0});
        if (sums_units()) sum_.add(wrapped());
        const bool no_products = sum_.leading().term.significand == 0;
        if (fault_.mistake == GroupMistake::zero_of_c && no_products && c_.is_zero()) return c_code_;
        if (fault_.mistake == GroupMistake::large_c && !c_.is_zero() && binade(c_) >= fault_.place) return c_code_;
        sum_.add(fault_.mistake == GroupMistake::c_cut ? cut(c_) : c_);
        const fast::WideSum::Leading sum = sum_.leading();
        if (sum.term.significand == 0) return negative_ && zero_sign_ == ZeroSign::kept ? result_.sign_bit() : Code{0};
        return fast::result_of(result_, choices_, without_lost_bits(sum));
    }

  private:
    static int binade(const Term& term) { return term.exponent + fast::width_of(term.significand) - 1; }

    /// Whether the products are added apart from c, in units of the lowest place.
    [[nodiscard]] bool sums_units() const { return fault_.mistake == GroupMistake::sum_width; }

    [[nodiscard]] Term element(const Format& format, Code code) const {
        if (fault_.mistake == GroupMistake::nan_as_number && format.is_nan(code) &&
            (fault_.place == 0 || format.is_negative(code) == (fault_.place < 0))) {
            const Code magnitude = code & format.magnitude_mask();
            const Code hidden = Code{1} << format.fraction_bits;
            return {TermKind::finite, format.is_negative(code), (magnitude & (hidden - 1)) | hidden,
                    static_cast<int>(magnitude >> format.fraction_bits) - format.bias - format.fraction_bits};
        }
        Term term = fast::term_of(format, code);
        if (fault_.mistake == GroupMistake::subnormal_exponent && format.is_subnormal(code))
            term.exponent += fault_.place;
        return term;
    }
    [[nodiscard]] Term cut(Term term) const {
        const int down = fault_.place - term.exponent;
        if (down <= 0) return term;
        term.significand = down < 128 ? term.significand >> down << down : 0;
        return term;
    }
    /// The sum of the products as a number in two's complement whose sign is worth 2^place.
    [[nodiscard]] Term wrapped() const {
        const int bits = fault_.place - lowest_of_products_;
        Wide units = products_;
        if (bits < 127) {
            const Wide sign = Wide{1} << bits;
            units = ((units + sign) & (2 * sign - 1)) - sign;
        }
        const bool negative = units >> 127 != 0;
        return {TermKind::finite, negative, negative ? 0 - units : units, lowest_of_products_};
    }
    /// As 128 bits, the last one set if anything is below it.
    [[nodiscard]] Term without_lost_bits(const fast::WideSum::Leading& sum) const {
        Term term = sum.term;
        const int last = std::max(binade(term), result_.emin()) - result_.fraction_bits;
        const int highest = last - 2 - term.exponent; // the first bit below the guard bit
        const int at = highest + 1 - fault_.place;
        const auto up_to = [](int bit) { return bit < 0 ? Wide{0} : bit >= 127 ? ~Wide{0} : (Wide{2} << bit) - 1; };
        bool sticky = sum.sticky;
        switch (fault_.mistake) {
        case GroupMistake::sticky_bit: term.significand &= ~(up_to(at) & ~up_to(at - 1)); break;
        case GroupMistake::sticky_above: term.significand &= ~(up_to(highest) & ~up_to(at - 1)); break;
        case GroupMistake::sticky_below:
            term.significand &= ~up_to(at);
            sticky = false;
            break;
        default: break;
        }
        if (sticky) term.significand |= 1;
        return term;
    }
    [[nodiscard]] Code special(const Term& term) const { return fast::result_of(result_, choices_, term); }

    GroupFault fault_;
    DotFormat format_;
    const Format& result_;
    ZeroSign zero_sign_;
    int lowest_of_products_;
    fast::WideSum sum_;
    Choices choices_;
    Code c_code_ = 0;
    Term c_;
    bool nan_ = false;
    bool inf_[2] = {};
    bool negative_ = false; ///< all terms so far
    Wide products_ = 0;     ///< sums_units(): in two's complement
};

} // namespace

std::string name_of(const GroupFault& fault, int last) {
    const std::string places =
        last == fault.place ? std::to_string(fault.place) : fmt::format("({} to {})", fault.place, last);
    return fmt::format(fmt::runtime(known(fault).name), places);
}

std::string_view bug_class_of(const GroupFault& fault) { return known(fault).bug_class; }

std::vector<GroupFault> group_faults(const Matmul& matmul) {
    std::vector<GroupFault> faults;
    if (!adds_exact_groups(matmul)) return faults;
    const auto group = static_cast<int>(group_of(*matmul.accumulator));
    const DotFormat& format = matmul.format;
    const int product_bits = format.a->fraction_bits + format.b->fraction_bits + 2;
    // The sum of the products of wider formats does not fit into 128 bits.
    const bool narrow = format.a->width() <= 8 && format.b->width() <= 8;
    for (const KnownMistake& row : mistakes) {
        if (row.mistake == GroupMistake::sum_width && !narrow) continue;
        const int last = row.of_group                                 ? group - 1
                         : row.mistake == GroupMistake::product_width ? std::min(row.last, product_bits - 1)
                                                                      : row.last;
        const int first = row.mistake == GroupMistake::sum_width
                              ? std::max(row.first, lowest(*format.a) + lowest(*format.b) + 1)
                              : row.first;
        for (int place = first; place <= last; ++place)
            if (row.mistake != GroupMistake::subnormal_exponent || place != 0) faults.push_back({row.mistake, place});
    }
    return faults;
}

std::vector<KnownFault> known_group_faults() {
    std::vector<KnownFault> all;
    for (const KnownMistake& row : mistakes)
        all.push_back({find_bug_class(row.bug_class), fmt::format(fmt::runtime(row.name), "N")});
    return all;
}

std::vector<std::optional<Code>> product_of(const GroupFault& fault, const Matmul& matmul,
                                            const MatmulCase& matmul_case) {
    const MatmulShape& shape = matmul_case.shape;
    const std::size_t lanes = group_of(*matmul.accumulator);
    // The last group is filled up with products of -0, which change no sum.
    const Code last_b = matmul.format.b->sign_bit();
    std::vector<std::optional<Code>> d(matmul_case.c.begin(), matmul_case.c.end());
    std::optional<Code> before;
    Group group(fault, matmul);
    for (std::size_t first = 0; first < shape.k; first += lanes)
        for (std::size_t i = 0; i < shape.m; ++i)
            for (std::size_t j = 0; j < shape.n; ++j) {
                std::optional<Code>& element = d[i * shape.n + j];
                const std::optional<Code> c = fault.mistake == GroupMistake::stale_c ? before : element;
                before = element;
                element = c;
                if (!c) continue;
                group.begin(*c);
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const std::size_t l = first + lane;
                    const bool there = l < shape.k;
                    group.add(lane, there ? matmul_case.a[shape.a_at(i, l)] : 0,
                              there ? matmul_case.b[shape.b_at(l, j)] : last_b);
                }
                element = group.end();
            }
    return d;
}

} // namespace mxcert::suites

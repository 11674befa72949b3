// SPDX-License-Identifier: Apache-2.0
#include "reference/dot/accumulator_change.hpp"

#include <initializer_list>

namespace mxcert {
namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 4, 8, 16, 32, 64, 128};
constexpr int most_bits = 36; ///< of an aligned sum that is looked at

bool is_rounded(const Accumulator& a) { return !is_aligned(a) && a.sum != GroupSum::exact; }
bool cuts_down(const Accumulator& a) { return is_aligned(a) && a.addend == Addend::aligned_down; }
bool always(const Accumulator& /*a*/) { return true; }
bool in_groups(const Accumulator& a) { return !is_exact(a); }
bool is_exact_in_groups(const Accumulator& a) { return a.sum == GroupSum::exact && in_groups(a); }
/// Whether the sum of a group has no arithmetic of its own until c comes to it.
bool rounds_before_c(const Accumulator& a) {
    return (is_aligned(a) || a.sum == GroupSum::exact) && a.addend == Addend::rounded;
}
bool has_arithmetic(const Accumulator& a) { return is_rounded(a) || (is_exact_in_groups(a) && rounds_before_c(a)); }
bool scales_promoted(const Accumulator& a) { return a.scale_use == ScaleUse::promotion; }
bool has_flush(const Accumulator& a) { return a.sum != GroupSum::exact; }

/// Whether a group can be one of Grouping::two_of_four.
bool has_halves(const Accumulator& a) {
    return a.sum == GroupSum::aligned && a.scale_use == ScaleUse::none && a.group >= 2 && a.group % 2 == 0;
}

std::string count_of(std::size_t count) { return count == 0 ? "all" : std::to_string(count); }
std::string yes_no(bool value) { return value ? "yes" : "no"; }

/// The accumulator with the member at each of the values.
template <auto member, class Values>
std::vector<Accumulator> each(const Accumulator& accumulator, const Values& values) {
    std::vector<Accumulator> changes;
    for (const auto& value : values) changes.emplace_back(accumulator).*member = value;
    return changes;
}

std::vector<int> from_to(int first, int last) {
    std::vector<int> values;
    for (int value = first; value <= last; ++value) values.push_back(value);
    return values;
}

/// How a group is summed, with where c comes in: the pairs that there are.
std::vector<Accumulator> sums(const Accumulator& given_accumulator) {
    std::vector<Accumulator> changes;
    const auto add = [&](GroupSum sum, Addend addend) {
        Accumulator& accumulator = changes.emplace_back(given_accumulator);
        accumulator.sum = sum;
        accumulator.addend = addend;
    };
    if (is_aligned(given_accumulator) && given_accumulator.sum != GroupSum::scaled_terms) {
        add(GroupSum::aligned, Addend::in_group);
        add(GroupSum::aligned, Addend::aligned_down);
        add(GroupSum::even_odd, Addend::aligned_down);
        add(GroupSum::aligned, Addend::rounded);
    } else if (is_rounded(given_accumulator)) {
        add(GroupSum::tree, Addend::rounded);
        add(GroupSum::multiply_add, Addend::in_group);
        add(GroupSum::multiply_add, Addend::rounded);
        add(GroupSum::fma, Addend::in_group);
        add(GroupSum::fma, Addend::rounded);
        add(GroupSum::pairs, Addend::rounded);
    } else if (is_exact_in_groups(given_accumulator)) {
        add(GroupSum::exact, Addend::in_group);
        add(GroupSum::exact, Addend::rounded);
    } else {
        changes.push_back(given_accumulator);
    }
    for (Accumulator& accumulator : changes) {
        if (!cuts_down(accumulator) || cuts_down(given_accumulator)) continue;
        accumulator.sum_fraction = accumulator.addend_fraction = accumulator.fraction;
    }
    return changes;
}

std::vector<Accumulator> groups(const Accumulator& accumulator) {
    std::vector<Accumulator> changes;
    for (const std::size_t size : sizes) {
        // A sum of as many terms as there are is none of a device.
        if (size == 0 && (is_aligned(accumulator) || accumulator.sum == GroupSum::exact)) continue;
        if (accumulator.sum == GroupSum::scaled_terms && size % scaled_term_size != 0) continue;
        if (accumulator.promote != 0 && (size == 0 || accumulator.promote % size != 0)) continue;
        if (accumulator.grouping == Grouping::two_of_four && (size < 2 || size > 64)) continue;
        changes.emplace_back(accumulator).group = size;
    }
    return changes;
}

/// In order, and two of four where what is promoted is whole instructions.
std::vector<Accumulator> groupings(const Accumulator& accumulator) {
    std::vector<Accumulator> changes{accumulator};
    if (accumulator.grouping == Grouping::two_of_four) changes.back().grouping = Grouping::halves;
    if (accumulator.promote % (2 * accumulator.group) == 0)
        changes.emplace_back(accumulator).grouping = Grouping::two_of_four;
    return changes;
}

std::vector<Accumulator> promotions(const Accumulator& accumulator) {
    std::vector<Accumulator> changes;
    for (const std::size_t size : sizes)
        if (size == 0 ? !scales_promoted(accumulator)
                      : size >= 16 && accumulator.group != 0 && size % accumulator.group == 0)
            changes.emplace_back(accumulator).promote = size;
    return changes;
}

std::vector<Accumulator> arithmetics(const Accumulator& accumulator) {
    using namespace formats;
    return each<&Accumulator::arithmetic>(accumulator,
                                          std::initializer_list<const Format*>{&fp32, &fp16, &bf16, &fp64});
}

std::vector<Accumulator> windows(const Accumulator& accumulator) {
    std::vector<int> values = from_to(16, 40);
    values.push_back(0);
    return each<&Accumulator::addend_window>(accumulator, values);
}

// clang-format off
constexpr AccumulatorParameter parameter_table[] = {
    {"sum", always, [](const Accumulator& a) { return std::string(to_string(a.sum)) + " with c " + std::string(to_string(a.addend)); }, sums},
    {"group", in_groups, [](const Accumulator& a) { return count_of(a.group); }, groups},
    {"products of a group", has_halves, [](const Accumulator& a) { return std::string(to_string(a.grouping)); }, groupings},
    {"fraction bits", is_aligned, [](const Accumulator& a) { return std::to_string(a.fraction); },
     [](const Accumulator& a) { return each<&Accumulator::fraction>(a, from_to(5, most_bits)); }},
    {"terms cut", is_aligned, [](const Accumulator& a) { return std::string(to_string(a.align)); },
     [](const Accumulator& a) { return each<&Accumulator::align>(a, std::initializer_list<Rounding>{Rounding::toward_zero, Rounding::down, Rounding::nearest_even}); }},
    {"fraction bits of the sum", cuts_down, [](const Accumulator& a) { return std::to_string(a.sum_fraction); },
     [](const Accumulator& a) { return each<&Accumulator::sum_fraction>(a, from_to(a.addend_fraction, most_bits)); }},
    {"fraction bits of c", cuts_down, [](const Accumulator& a) { return std::to_string(a.addend_fraction); },
     [](const Accumulator& a) { return each<&Accumulator::addend_fraction>(a, from_to(5, a.sum_fraction)); }},
    {"c left out when further below", cuts_down, [](const Accumulator& a) { return a.addend_window == 0 ? std::string("never") : std::to_string(a.addend_window); }, windows},
    {"arithmetic", has_arithmetic, [](const Accumulator& a) { return std::string(a.arithmetic->name); }, arithmetics},
    {"subnormals flushed", has_flush, [](const Accumulator& a) { return yes_no(a.flush); },
     [](const Accumulator& a) { return each<&Accumulator::flush>(a, std::initializer_list<bool>{false, true}); }},
    {"a product of 2^128 is Inf", is_aligned, [](const Accumulator& a) { return yes_no(a.large_is_inf); },
     [](const Accumulator& a) { return each<&Accumulator::large_is_inf>(a, std::initializer_list<bool>{false, true}); }},
    {"fraction bits of the result", in_groups, [](const Accumulator& a) { return std::to_string(a.result_fraction); },
     [](const Accumulator& a) { return each<&Accumulator::result_fraction>(a, from_to(5, a.result->fraction_bits)); }},
    {"result rounded", always, [](const Accumulator& a) { return std::string(to_string(a.rounding)); },
     [](const Accumulator& a) { return each<&Accumulator::rounding>(a, std::initializer_list<Rounding>{Rounding::nearest_even, Rounding::toward_zero, Rounding::down, Rounding::up}); }},
    {"sums rounded", rounds_before_c, [](const Accumulator& a) { return std::string(to_string(a.arithmetic_rounding)); },
     [](const Accumulator& a) { return each<&Accumulator::arithmetic_rounding>(a, std::initializer_list<Rounding>{Rounding::nearest_even, Rounding::toward_zero, Rounding::to_odd}); }},
    {"beyond the largest value", is_exact_in_groups, [](const Accumulator& a) { return std::string(a.overflow == Overflow::nosat ? "Inf" : "the largest value"); },
     [](const Accumulator& a) { return each<&Accumulator::overflow>(a, std::initializer_list<Overflow>{Overflow::nosat, Overflow::sat_finite}); }},
    {"scaled and added with one rounding", scales_promoted, [](const Accumulator& a) { return yes_no(a.promote_fma); },
     [](const Accumulator& a) { return each<&Accumulator::promote_fma>(a, std::initializer_list<bool>{false, true}); }},
    {"sign of a zero", in_groups, [](const Accumulator& a) { return std::string(a.zero_sign == ZeroSign::kept ? "kept" : "dropped"); },
     [](const Accumulator& a) { return each<&Accumulator::zero_sign>(a, std::initializer_list<ZeroSign>{ZeroSign::dropped, ZeroSign::kept}); }},
    {"NaN", always, [](const Accumulator& a) { return std::string(a.nan == NanRule::quiet ? "quiet" : "canonical"); },
     [](const Accumulator& a) { return each<&Accumulator::nan>(a, std::initializer_list<NanRule>{NanRule::canonical, NanRule::quiet}); }},
    {"promoted every", in_groups, [](const Accumulator& a) { return a.promote == 0 ? std::string("never") : std::to_string(a.promote); }, promotions},
};
// clang-format on

} // namespace

std::span<const AccumulatorParameter> accumulator_parameters() { return parameter_table; }

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
// Which inputs show how a stochastic rounding decides, and how often each is drawn.
#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>

#include "conformance/suites/stochastic/bernstein.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"

namespace mxcert::suites::stochastic {
namespace {

using exact::Rational;

constexpr std::uint64_t fewest_lanes = 128;
constexpr Code few_codes = 8; ///< magnitudes of a target of which every gap is asked

/// Fractions 2^-k and 1 - 2^-k: each k is the last random bit that some implementation has.
constexpr std::array fraction_bits{1, 2, 3, 4, 6, 8, 12, 16, 24};
/// Fractions 1/2 -+ 2^-k: there noise that is smaller than the gap shows its size.
constexpr std::array near_half{3, 5};

void check(const Conversion& conversion, const Parameters& p) {
    const Format& from = *conversion.from;
    const Format& to = *conversion.to;
    if (!to.is_signed || !to.has_zero() || to.fraction_bits < 1 || to.scale != nullptr || from.scale != nullptr ||
        !from.is_signed || to.fraction_bits >= from.fraction_bits)
        throw std::invalid_argument("stochastic: " + std::string(from.name) + " to " + std::string(to.name) +
                                    ": wanted are signed formats with a zero, the target with fewer fraction bits");
    if (p.law.bits > most_random_bits || !is_stochastic_law(p.law.rounding))
        throw std::invalid_argument("stochastic: the law is a stochastic rounding with at most 32 random bits");
    if (p.law.tolerance < 0 || p.law.tolerance > Rational(1, 2))
        throw std::invalid_argument("stochastic: the tolerance is not from 0 to 1/2");
    if (p.lanes < fewest_lanes) throw std::invalid_argument("stochastic: a call has at least 128 values");
}

/// The code of the lower end of the gap that stands for a region. It is not the first of a binade but in the lowest
/// ones, so that the gap below it is as wide. Odd and even ones occur, so that ties tell their roundings apart.
Code lower_end(const Format& to, Region region) {
    const Code binade = Code{1} << to.fraction_bits;
    const Code second = to.fraction_bits > 1 ? 2 : 1;
    switch (region) {
    case Region::below_smallest: return 0;
    case Region::subnormal: return 1;
    case Region::lowest_normal: return binade + 1;
    case Region::middle: return static_cast<Code>(to.bias) * binade + second;
    case Region::unit_gap: return static_cast<Code>(to.bias + to.fraction_bits) * binade + second;
    case Region::top: return to.max_code() - 1;
    case Region::overflow: return to.max_code();
    }
    throw std::logic_error("stochastic: no such region");
}

/// The lower ends of all gaps of a region: of a target with few codes every one of the binade.
std::vector<Code> lower_ends(const Format& to, Region region) {
    const Code end = lower_end(to, region);
    const bool is_binade = region == Region::lowest_normal || region == Region::middle || region == Region::unit_gap;
    if (to.max_code() >= few_codes || !is_binade) return {end};
    const Code binade = Code{1} << to.fraction_bits;
    std::vector<Code> ends;
    for (Code code = end / binade * binade; code < end / binade * binade + binade; ++code) ends.push_back(code);
    return ends;
}

/// The code of a magnitude in the source, if it has it.
std::optional<Code> code_in(const Format& from, const Rational& magnitude) {
    if (magnitude == 0) return Code{0};
    if (magnitude > exact::decode(from, from.max_code()).magnitude) return std::nullopt;
    if (exact::round(from, magnitude, false, Rounding::toward_zero).lower != magnitude) return std::nullopt;
    return exact::encode(from, magnitude);
}

/// Both ends of what a rounding may give.
struct Ends {
    Code lower;
    Code upper;
};
Ends ends_of(const Conversion& conversion, Code code) {
    const auto rounded = [&](Rounding rounding) {
        Choices choices = choices_of(conversion);
        choices.rounding = rounding;
        return exact::convert(*conversion.from, *conversion.to, choices, code).code;
    };
    return {rounded(Rounding::toward_zero), rounded(Rounding::away_from_zero)};
}

/// From the magnitude of a code to the next one.
Rational gap_above(const Format& to, Code code) {
    const int field = static_cast<int>(code >> to.fraction_bits);
    return exact::power_of_two(std::max(field - to.bias, to.emin()) - to.fraction_bits);
}

void permit(Input& input, const Law& law) {
    const Rational p = law.bits == 0 ? input.eta : probability(law.rounding, law.bits, input.eta);
    input.low = std::max(p - law.tolerance, Rational(0));
    input.high = std::min(p + law.tolerance, Rational(1));
}

std::vector<Rational> fractions() {
    std::vector<Rational> all;
    for (const int k : fraction_bits) {
        all.push_back(exact::power_of_two(-k));
        all.push_back(1 - exact::power_of_two(-k));
    }
    for (const int k : near_half) {
        all.push_back(Rational(1, 2) - exact::power_of_two(-k));
        all.push_back(Rational(1, 2) + exact::power_of_two(-k));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

class Planner {
  public:
    Planner(const Conversion& conversion, const Parameters& parameters, std::uint64_t drawn)
        : from_(*conversion.from), to_(*conversion.to), plan_{conversion, parameters, {}, {}} {
        plan_.drawn = drawn == 0 ? parameters.lanes : drawn;
    }

    Plan run() {
        for (std::size_t i = 0; i < region_count; ++i) add_region(static_cast<Region>(i));
        add_fixed();
        // Two sides of: each input, all away, all up, each region, two sums of each place, each pairing.
        plan_.tests =
            static_cast<unsigned>(2 * (plan_.inputs.size() + 2 + region_count + 2 * place_count + pairing_count));
        const Parameters& p = plan_.parameters;
        plan_.test_bits = p.alarm_bits + static_cast<unsigned>(std::bit_width(plan_.tests - 1));
        const std::uint64_t draws = draws_to_detect(p.bias, plan_.test_bits, p.miss_bits);
        plan_.rounds = (draws + 2 * plan_.drawn - 1) / (2 * plan_.drawn) * 2;
        return std::move(plan_);
    }

  private:
    void add(Region region, Code magnitude) {
        for (const Code code : {magnitude, magnitude | from_.sign_bit()}) {
            if (const auto input = input_of(plan_.conversion, plan_.parameters.law, region, code))
                plan_.inputs.push_back(*input);
            else
                plan_.fixed.push_back({code, ends_of(plan_.conversion, code).lower});
        }
    }

    void add_region(Region region) {
        for (const Code code : lower_ends(to_, region)) add_gap(region, code);
    }

    void add_gap(Region region, Code code) {
        // Small formats have no such region, or the same gap stands for another one.
        if (code > to_.max_code() || !gaps_.insert(code).second) return;
        const Rational lower = exact::decode(to_, code).magnitude;
        const Rational gap = gap_above(to_, code);
        if (region == Region::below_smallest) {
            const Rational least = exact::decode(from_, 1).magnitude / gap;
            if (least < exact::power_of_two(-fraction_bits.back())) add(region, 1);
        }
        for (const Rational& eta : fractions())
            if (const auto input = code_in(from_, lower + eta * gap)) add(region, *input);
    }

    void add_fixed() {
        std::vector<Code> codes{from_.max_code()};
        for (Code code = 0; code <= to_.max_code(); ++code)
            if (const auto input = code_in(from_, exact::decode(to_, code).magnitude)) codes.push_back(*input);
        if (from_.has_inf()) codes.push_back(from_.inf_code());
        if (from_.has_nan()) codes.push_back(from_.magnitude_mask());
        for (const Code magnitude : codes) {
            for (const Code code : {magnitude, magnitude | from_.sign_bit()}) {
                const Ends ends = ends_of(plan_.conversion, code);
                if (ends.lower == ends.upper) plan_.fixed.push_back({code, ends.lower});
            }
        }
    }

    const Format& from_;
    const Format& to_;
    Plan plan_;
    std::set<Code> gaps_; ///< lower ends of those that have their inputs
};

} // namespace

std::string_view to_string(Region region) {
    static constexpr std::array<std::string_view, region_count> names{
        "below the smallest magnitude", "subnormal",      "the lowest normal binade",   "the binade of 1",
        "the binade with a gap of 1",   "the top binade", "above the largest magnitude"};
    return names.at(static_cast<std::size_t>(region));
}

Rational probability(Rounding rounding, unsigned bits, const Rational& eta) {
    const Rational all = exact::power_of_two(static_cast<int>(bits));
    return (all - Rational(exact::stochastic_threshold(rounding, eta, bits))) / all;
}

std::optional<Input> input_of(const Conversion& conversion, const Law& law, Region region, Code code) {
    const Format& from = *conversion.from;
    const Format& to = *conversion.to;
    const Ends ends = ends_of(conversion, code);
    if (ends.lower == ends.upper) return std::nullopt;
    Input input;
    input.code = code;
    input.region = region;
    input.negative = from.is_negative(code);
    input.lower = ends.lower;
    input.upper = ends.upper;
    input.gap = gap_above(to, to.magnitude_of(ends.lower));
    input.eta = (exact::decode(from, code).magnitude - exact::decode(to, ends.lower).magnitude) / input.gap;
    permit(input, law);
    return input;
}

Plan plan(const Conversion& conversion, const Parameters& parameters, std::uint64_t drawn) {
    check(conversion, parameters);
    if (drawn > parameters.lanes) throw std::invalid_argument("stochastic: a call has fewer lanes than draws");
    return Planner(conversion, parameters, drawn).run();
}

std::vector<Code> values_of(const Plan& plan, std::uint64_t index) {
    const std::uint64_t place = index % (plan.inputs.size() + 1);
    const std::size_t lanes = plan.parameters.lanes;
    std::vector<Code> values(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane)
        values[lane] = place != 0 ? plan.inputs[place - 1].code : plan.fixed[plan.fixed_at(index, lane)].code;
    return values;
}

} // namespace mxcert::suites::stochastic

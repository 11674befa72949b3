// SPDX-License-Identifier: Apache-2.0
// Names what a generator does instead. Whether something is wrong has been decided before: nothing here can turn a
// PASS.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/stochastic/bernstein.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"
#include "conformance/suites/stochastic/stochastic_match.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites::stochastic {
namespace {

using exact::Integer;
using exact::Rational;

/// "-0.0313": a rational with four decimals, cut off.
std::string decimals(const Rational& x) {
    constexpr unsigned places = 10'000;
    const Rational magnitude = abs(x) * places;
    const auto units = static_cast<std::uint64_t>(floor(magnitude));
    return fmt::format("{}{}.{:04}", x < 0 ? "-" : "", units / places, units % places);
}

Rational share(const Counts& counts) { return counts.draws == 0 ? Rational(0) : Rational(counts.upper, counts.draws); }

class Diagnostician {
  public:
    Diagnostician(const Tally& tally, const std::vector<Rejected>& rejected)
        : tally_(tally), plan_(tally.plan()), rejected_(rejected) {}

    /// From what explains everything to what explains the least: the first that holds.
    [[nodiscard]] Diagnosis run() const {
        using Attempt = Diagnosis (Diagnostician::*)() const;
        for (const Attempt attempt :
             {&Diagnostician::deterministic, &Diagnostician::fixed_noise, &Diagnostician::fixed_changed,
              &Diagnostician::not_a_neighbour, &Diagnostician::repetition, &Diagnostician::sharing,
              &Diagnostician::place, &Diagnostician::dependence, &Diagnostician::other_law, &Diagnostician::region,
              &Diagnostician::bias}) {
            Diagnosis found = (this->*attempt)();
            if (found.fault != Fault::none) return found;
        }
        return {Fault::unexplained, "not the stochastic rounding, in no way that has a name: " + first_rejected()};
    }

  private:
    [[nodiscard]] std::string text_of(const Input& input) const {
        return fmt::format("{} ({}, {} of a gap above {})", code_text(*plan_.conversion.from, input.code),
                           print::value_text(*plan_.conversion.from, input.code), input.eta.str(),
                           code_text(*plan_.conversion.to, input.lower));
    }

    [[nodiscard]] std::string first_rejected() const {
        for (const Rejected& rejected : rejected_) {
            if (rejected.kind != TestKind::input) continue;
            const Input& input = plan_.inputs[rejected.index];
            const Counts& counts = tally_.counts()[rejected.index];
            return fmt::format("{} went away from zero in {} of {}, which is {}; permitted is {} to {}", text_of(input),
                               print::grouped(counts.upper), print::counted(counts.draws, "draw"),
                               decimals(share(counts)), decimals(input.low), decimals(input.high));
        }
        return "no single input, only all of them together";
    }

    [[nodiscard]] Diagnosis deterministic() const {
        const auto rounding = matching_rounding(tally_);
        if (!rounding) return {};
        return {Fault::deterministic,
                "not stochastic: every input is rounded " + std::string(mxcert::to_string(*rounding))};
    }

    [[nodiscard]] Diagnosis fixed_noise() const {
        const auto noise = matching_noise(tally_);
        if (!noise) return {};
        const std::string_view range = noise->truncated ? "[0, 1)" : "[-1/2, 1/2)";
        const std::string_view rounded = noise->truncated ? "truncated" : "rounded to nearest";
        if (noise->early)
            return {Fault::early_noise,
                    fmt::format("the noise is added before values are scaled: it is uniform in {} of {}, then what "
                                "comes of the sum is {}",
                                range, noise->unit.str(), rounded)};
        return {
            Fault::fixed_noise,
            fmt::format("the noise is not scaled to the gap: it is uniform in {} of {} everywhere, then the sum is {}",
                        range, noise->unit.str(), rounded)};
    }

    [[nodiscard]] Diagnosis other_law() const {
        std::vector<std::string> laws;
        for (const Law& law : matching_laws(tally_))
            laws.push_back(
                fmt::format("{} with {}", mxcert::to_string(law.rounding), print::counted(law.bits, "random bit")));
        if (laws.empty()) return {};
        return {Fault::few_bits, fmt::format("not the law that was asked for, but {}", fmt::join(laws, " or "))};
    }

    [[nodiscard]] Diagnosis fixed_changed() const {
        if (!tally_.first_changed()) return {};
        const Fixed& fixed = plan_.fixed[tally_.first_changed()->index];
        const Format& from = *plan_.conversion.from;
        const Format& to = *plan_.conversion.to;
        return {
            Fault::fixed_changed,
            fmt::format("{} ({}) has one answer, {}, whatever the random bits: it gave {} once, and in all {} of {} "
                        "such answers were wrong",
                        code_text(from, fixed.code), print::value_text(from, fixed.code), code_text(to, fixed.expected),
                        code_text(to, tally_.first_changed()->got), print::grouped(tally_.fixed_changed()),
                        print::grouped(tally_.fixed()))};
    }

    [[nodiscard]] Diagnosis not_a_neighbour() const {
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            const Counts& counts = tally_.counts()[i];
            if (counts.other == 0) continue;
            const Format& to = *plan_.conversion.to;
            return {Fault::not_a_neighbour,
                    fmt::format("{} gave {}, neither {} nor {}, and such in {} of {}", text_of(plan_.inputs[i]),
                                code_text(to, counts.first_other), code_text(to, plan_.inputs[i].lower),
                                code_text(to, plan_.inputs[i].upper), print::grouped(counts.other),
                                print::counted(counts.draws, "draw"))};
        }
        return {};
    }

    /// The correlation of pairs about the mean that was seen, not the one that should have been; 0 if it may be chance.
    [[nodiscard]] Rational correlation(std::size_t pairing) const {
        Rational covariance;
        Rational variance;
        Rational squares;
        for (const Counts& counts : tally_.counts()) {
            const Pairs& pairs = counts.pairs.at(pairing);
            if (pairs.pairs == 0) continue;
            const Rational n(pairs.pairs);
            const Rational p = Rational(pairs.ones) / (2 * n);
            covariance += Rational(pairs.both) - n * p * p;
            variance += n * p * (1 - p);
            squares += n * p * p * (1 - p) * (1 - p);
        }
        if (variance == 0 || !exceeds(abs(covariance), 0, squares, plan_.test_bits)) return 0;
        return covariance / variance;
    }

  public:
    [[nodiscard]] std::vector<std::size_t> together() const {
        std::vector<std::size_t> pairings;
        for (std::size_t pairing = 0; pairing < pairing_count; ++pairing)
            if (correlation(pairing) > Rational(1, 2)) pairings.push_back(pairing);
        return pairings;
    }

  private:
    /// Draws that are equal without exception.
    [[nodiscard]] Diagnosis repetition() const {
        std::uint64_t calls = 0;
        std::uint64_t uniform = 0;
        std::uint64_t same = 0;
        for (const Counts& counts : tally_.counts()) {
            calls += counts.calls;
            uniform += counts.uniform;
            same += counts.same;
        }
        const bool changes = std::any_of(tally_.counts().begin(), tally_.counts().end(), [](const Counts& counts) {
            return counts.upper != 0 && counts.upper != counts.draws;
        });
        if (!changes)
            return {Fault::deterministic, "not stochastic: each input has one answer always, by a rounding that has no "
                                          "name. " +
                                              first_rejected()};
        if (uniform == calls)
            return {Fault::one_number,
                    "one random number for all lanes of a call: every call gave the same everywhere"};
        if (2 * same == calls && correlation(distances.size()) != 0)
            return {Fault::same_each_call,
                    "every call starts from the same random numbers: each two calls gave the same "
                    "lane by lane"};
        return {};
    }

    /// Lanes that share random numbers make some places look wrong by chance, as there are fewer numbers than lanes.
    /// Wrong places make lanes correlate as well, less.
    [[nodiscard]] Diagnosis sharing() const { return dependence(Rational(1, 2)); }
    [[nodiscard]] Diagnosis dependence() const { return dependence(Rational(0)); }

    /// Pairs of lanes with a larger correlation than that.
    [[nodiscard]] Diagnosis dependence(const Rational& least) const {
        const std::size_t between_calls = distances.size();
        for (std::size_t pairing = 0; pairing < pairing_count; ++pairing) {
            const Rational rho = correlation(pairing);
            if (abs(rho) <= least) continue;
            const std::string which = pairing == between_calls
                                          ? "the same lane of two calls"
                                          : fmt::format("lanes at a distance of {}", distances.at(pairing));
            return {Fault::lanes_together,
                    fmt::format("not independent: {} correlate with a coefficient of {}", which, decimals(rho))};
        }
        return {};
    }

    [[nodiscard]] Diagnosis place() const {
        std::set<std::size_t> wrong;
        // A bias of all places moves inputs below the middle of a gap and those above it unlike.
        const bool biased = rejects(TestKind::away) || rejects(TestKind::up);
        for (const Rejected& rejected : rejected_)
            if (rejected.kind == TestKind::place || (rejected.kind == TestKind::nearer && !biased))
                wrong.insert(rejected.index);
        std::vector<std::string> places;
        for (const std::size_t index : wrong)
            places.push_back(index + 1 == place_count ? "the last 64" : fmt::format("{} modulo 64", index));
        if (places.empty() || places.size() > place_count / 2) return {};
        return {Fault::one_place,
                fmt::format("wrong only at some places of the array: lanes {}", fmt::join(places, ", "))};
    }

    /// Regions in which a quarter of the inputs is rejected, if there is none with fewer and some with none.
    [[nodiscard]] Diagnosis region() const {
        std::array<std::set<std::size_t>, region_count> inputs;
        std::array<std::set<std::size_t>, region_count> wrong;
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i)
            inputs.at(static_cast<std::size_t>(plan_.inputs[i].region)).insert(i);
        for (const Rejected& rejected : rejected_)
            if (rejected.kind == TestKind::input)
                wrong.at(static_cast<std::size_t>(plan_.inputs[rejected.index].region)).insert(rejected.index);
        std::vector<std::string_view> names;
        bool elsewhere = false;
        for (std::size_t r = 0; r < region_count; ++r) {
            if (inputs.at(r).empty()) continue;
            if (wrong.at(r).empty()) {
                elsewhere = true;
                continue;
            }
            if (4 * wrong.at(r).size() < inputs.at(r).size()) return {};
            names.push_back(to_string(static_cast<Region>(r)));
        }
        if (names.empty() || !elsewhere) return {};
        return {Fault::one_region,
                fmt::format("wrong only in a part of the range: {}. {}", fmt::join(names, ", "), first_rejected())};
    }

    /// The mean error of the probabilities, of those that can be off to either side.
    [[nodiscard]] Diagnosis bias() const {
        const bool away_rejects = rejects(TestKind::away);
        const bool up_rejects = rejects(TestKind::up);
        if (!away_rejects && !up_rejects) return {};
        Rational away;
        Rational up;
        Rational inputs;
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            const Input& input = plan_.inputs[i];
            if (input.eta < Rational(1, 8) || input.eta > Rational(7, 8)) continue;
            const Rational off = share(tally_.counts()[i]) - (input.low + input.high) / 2;
            away += off;
            up += input.negative ? -off : off;
            inputs += 1;
        }
        const bool is_up = up_rejects && (!away_rejects || abs(up) > abs(away));
        const Rational mean = inputs == 0 ? Rational(0) : Rational((is_up ? up : away) / inputs);
        return {is_up ? Fault::value_bias : Fault::magnitude_bias,
                fmt::format("toward {} by {} of a gap on average. {}",
                            is_up ? (mean < 0 ? "-Inf" : "+Inf") : (mean < 0 ? "zero" : "larger magnitudes"),
                            decimals(abs(mean)), first_rejected())};
    }

    [[nodiscard]] bool rejects(TestKind kind) const {
        return std::any_of(rejected_.begin(), rejected_.end(),
                           [&](const Rejected& rejected) { return rejected.kind == kind; });
    }

    const Tally& tally_;
    const Plan& plan_;
    const std::vector<Rejected>& rejected_;
};

} // namespace

std::string_view to_string(Fault fault) {
    static constexpr std::array<std::string_view, 15> names{
        "none",           "fixed_changed",  "not_a_neighbour", "deterministic", "one_number",
        "same_each_call", "lanes_together", "few_bits",        "fixed_noise",   "early_noise",
        "one_region",     "one_place",      "magnitude_bias",  "value_bias",    "unexplained"};
    return names.at(static_cast<std::size_t>(fault));
}

const BugClass* bug_class_of(Fault fault) {
    constexpr std::string_view biased = "STOCHASTIC_BIAS";
    constexpr std::string_view shared = "STOCHASTIC_SHARED";
    constexpr std::string_view without = "STOCHASTIC_NOT";
    static constexpr std::array<std::string_view, 15> ids{
        "", "", "", without, shared, shared, shared, biased, biased, biased, biased, biased, biased, biased, ""};
    return find_bug_class(ids.at(static_cast<std::size_t>(fault)));
}

std::vector<std::size_t> pairings_together(const Tally& tally) { return Diagnostician(tally, {}).together(); }

Diagnosis diagnose(const Tally& tally, const std::vector<Rejected>& rejected) {
    return Diagnostician(tally, rejected).run();
}

} // namespace mxcert::suites::stochastic

// SPDX-License-Identifier: Apache-2.0
// The tests: sums of independent draws against their permitted means, each by Bernstein's inequality.
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/stochastic/bernstein.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"

namespace mxcert::suites::stochastic {
namespace {

using exact::Integer;
using exact::Rational;

/// A sum of independent draws and, for each side, the mean and variance of the sum with the extreme permitted law.
struct Sum {
    Rational value;
    Rational most;
    Rational most_variance;
    Rational least;
    Rational least_variance;

    /// Adds `upper` draws away from zero of n, as +1 or as -1 each.
    void add(const Rational& upper, const Rational& n, const Input& input, bool as_minus = false) {
        const Rational high_variance = n * input.high * (1 - input.high);
        const Rational low_variance = n * input.low * (1 - input.low);
        value += as_minus ? -upper : upper;
        most += n * (as_minus ? -input.low : input.high);
        least += n * (as_minus ? -input.high : input.low);
        most_variance += as_minus ? low_variance : high_variance;
        least_variance += as_minus ? high_variance : low_variance;
    }

    [[nodiscard]] Sides outside(unsigned bits) const {
        return {exceeds(value, most, most_variance, bits), exceeds(-value, -least, least_variance, bits)};
    }
};

/// Products (X - c)(Y - c) of the two draws of each pair, c in the middle of what is permitted. With p the true
/// probability and independent draws each has the mean (p - c)^2 and at most the variance E((X - c)^2)^2, in which
/// E((X - c)^2) = p (1 - 2c) + c^2 is greatest at an end.
struct Products {
    explicit Products(const Input& input) : c((input.low + input.high) / 2) {
        const Rational off = (input.high - input.low) / 2;
        most = off * off;
        const Rational square = std::max(input.low * (1 - 2 * c), input.high * (1 - 2 * c)) + c * c;
        variance = square * square;
    }

    void add_to(Sum& sum, const Pairs& pairs) const {
        const Rational n(pairs.pairs);
        sum.value += Rational(pairs.both) - c * (Rational(pairs.ones) - n * c);
        sum.most += n * most;
        sum.most_variance += n * variance;
    }

    Rational c;
    Rational most;
    Rational variance;
};

class Judge {
  public:
    explicit Judge(const Tally& tally) : tally_(tally), plan_(tally.plan()) {}

    std::vector<Rejected> run() {
        test_counts();
        test_places();
        test_pairings();
        return std::move(rejected_);
    }

  private:
    void note(TestKind kind, std::size_t index, Sides sides) {
        if (sides.above) rejected_.push_back({kind, index, true});
        if (sides.below) rejected_.push_back({kind, index, false});
    }

    void test_counts() {
        Sum away;
        Sum up;
        std::array<Sum, region_count> regions;
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            const Input& input = plan_.inputs[i];
            const Counts& counts = tally_.counts()[i];
            const Rational upper(counts.upper);
            const Rational n(counts.draws);
            note(TestKind::input, i, outside(counts, input.low, input.high, plan_.test_bits));
            away.add(upper, n, input);
            up.add(upper, n, input, input.negative);
            regions.at(static_cast<std::size_t>(input.region)).add(upper, n, input);
        }
        note(TestKind::away, 0, away.outside(plan_.test_bits));
        note(TestKind::up, 0, up.outside(plan_.test_bits));
        for (std::size_t r = 0; r < region_count; ++r)
            note(TestKind::region, r, regions.at(r).outside(plan_.test_bits));
    }

    void test_places() {
        for (std::size_t place = 0; place < place_count; ++place) {
            Sum away;
            Sum nearer; // rounding to nearest, of which the first sum sees nothing
            for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
                const Rational n(tally_.counts()[i].drawn_at.at(place));
                away.add(0, n, plan_.inputs[i]);
                nearer.add(0, n, plan_.inputs[i], plan_.inputs[i].eta < Rational(1, 2));
            }
            away.value = Rational(tally_.upper_at().at(place));
            nearer.value = away.value - 2 * Rational(tally_.further_at().at(place));
            note(TestKind::place, place, away.outside(plan_.test_bits));
            note(TestKind::nearer, place, nearer.outside(plan_.test_bits));
        }
    }

    void test_pairings() {
        std::array<Sum, pairing_count> sums;
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            const Products products(plan_.inputs[i]);
            for (std::size_t pairing = 0; pairing < pairing_count; ++pairing)
                products.add_to(sums.at(pairing), tally_.counts()[i].pairs.at(pairing));
        }
        for (std::size_t pairing = 0; pairing < pairing_count; ++pairing) {
            Sum& sum = sums.at(pairing);
            sum.least_variance = sum.most_variance;
            note(TestKind::pairing, pairing, sum.outside(plan_.test_bits));
        }
    }

    const Tally& tally_;
    const Plan& plan_;
    std::vector<Rejected> rejected_;
};

/// Draws exactly as often as the bias to be found makes them on average.
void check_that_it_can_fail(const Plan& plan) {
    const Rational n(plan.draws());
    for (const Input& input : plan.inputs) {
        const auto rejects = [&](const Rational& upper) {
            Counts counts;
            counts.draws = plan.draws();
            counts.upper = static_cast<std::uint64_t>(floor(upper));
            return outside(counts, input.low, input.high, plan.test_bits).any();
        };
        const Rational more = n * (input.high + plan.parameters.bias);
        const Rational less = n * (input.low - plan.parameters.bias);
        // Whole draws: one more than the integer part is not less than the mean.
        if ((more + 1 <= n && !rejects(more + 1)) || (less >= 0 && !rejects(less)))
            throw std::logic_error("stochastic: a planted bias is not found");
    }
}

std::string power_of_two_text(unsigned bits) { return "2^-" + std::to_string(bits); }

std::string passed(const Plan& plan) {
    const Parameters& p = plan.parameters;
    const std::string law =
        p.law.bits == 0 ? "eta" : fmt::format("{} with {} random bits", mxcert::to_string(p.law.rounding), p.law.bits);
    return fmt::format(
        "{} of each of {} agree with {} +- {}; a right generator fails with probability at most {}, and one "
        "input that is off by {} more passes with at most {}",
        print::counted(plan.draws(), "draw"), print::counted(plan.inputs.size(), "input"), law, p.law.tolerance.str(),
        power_of_two_text(p.alarm_bits), p.bias.str(), power_of_two_text(p.miss_bits));
}

bool is_dependence(Fault fault) {
    return fault == Fault::one_number || fault == Fault::same_each_call || fault == Fault::lanes_together;
}

} // namespace

Sides outside(const Counts& counts, const Rational& low, const Rational& high, unsigned bits) {
    const Rational n(counts.draws);
    const Rational upper(counts.upper);
    return {exceeds(upper, n * high, n * high * (1 - high), bits),
            exceeds(-upper, -n * low, n * low * (1 - low), bits)};
}

Verdict judge(const Tally& tally) {
    const Plan& plan = tally.plan();
    check_that_it_can_fail(plan);
    Verdict verdict;
    verdict.compared = tally.requests() * plan.parameters.lanes;
    if (tally.requests() == 0) {
        verdict.reason = "nothing was answered";
        return verdict;
    }
    verdict.rejected = Judge(tally).run();
    bool neighbours = true;
    for (const Counts& counts : tally.counts()) neighbours = neighbours && counts.other == 0;
    if (!verdict.rejected.empty() || !neighbours || tally.fixed_changed() != 0) {
        const Diagnosis diagnosis = diagnose(tally, verdict.rejected);
        verdict.fault = diagnosis.fault;
        verdict.reason = diagnosis.text;
        verdict.together = pairings_together(tally);
        verdict.status = is_dependence(diagnosis.fault) ? Status::mistrusted : Status::fail;
    } else if (tally.requests() < plan.requests()) {
        verdict.status = Status::incomplete;
        verdict.reason = fmt::format("{} of {} answered", print::grouped(tally.requests()),
                                     print::counted(plan.requests(), "request"));
    } else {
        verdict.status = Status::pass;
        verdict.reason = passed(plan);
    }
    return verdict;
}

} // namespace mxcert::suites::stochastic

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/status.hpp"
#include "conformance/verdict/stochastic_parameters.hpp"
#include "reference/bug_class.hpp"
#include "reference/conversion.hpp"

// Stochastic rounding by an implementation that draws its own random bits (K10). Its answers cannot be foretold, but
// their distribution can: an input a fraction eta of the way from one code to the next goes to the further one with
// a known probability. This part plans what to ask, counts what comes back, and judges the counts with a stated
// probability of error (docs/stochastic.md). It knows nothing of processes.
namespace mxcert::suites::stochastic {

using Law = verdict::StochasticLaw;
using Parameters = verdict::StochasticParameters;
inline constexpr unsigned most_random_bits = 32; ///< of a law

/// Where on the grid of the target an input lies.
enum class Region : std::uint8_t {
    below_smallest, ///< between zero and the smallest magnitude
    subnormal,
    lowest_normal, ///< the lowest binade of normal numbers
    middle,        ///< the binade of 1
    unit_gap,      ///< the binade whose gap is 1
    top,           ///< the last step below the largest magnitude
    overflow,      ///< the step above it, where rounding decides between the largest magnitude and overflow
};
inline constexpr std::size_t region_count = 7;
[[nodiscard]] std::string_view to_string(Region region);

/// An input between two codes.
struct Input {
    Code code = 0;
    Region region = Region::middle;
    bool negative = false;
    exact::Rational eta; ///< in (0, 1)
    exact::Rational gap; ///< between the magnitudes of the two codes
    Code lower = 0;      ///< toward zero
    Code upper = 0;      ///< away from zero
    exact::Rational low; ///< the least and the greatest permitted probability of `upper`
    exact::Rational high;
    exact::Rational factor = 1; ///< by which a value was multiplied that became this input; > 0
};

/// An input whose answer no random bit may change.
struct Fixed {
    Code code = 0;
    Code expected = 0;
};

/// What is asked. Requests come in rounds: in each, first all of `fixed` in turn over the lanes of one call, from round
/// to round one lane further, then a call for each of `inputs`, the same input in every lane.
struct Plan {
    Conversion conversion;
    Parameters parameters;
    std::vector<Input> inputs;
    std::vector<Fixed> fixed;
    std::uint64_t rounds = 0; ///< even: each two calls of one input are compared with each other
    std::uint64_t drawn = 0;  ///< draws of a call of one of `inputs`, at least: not every lane need be one
    unsigned tests = 0;       ///< one-sided tests that the verdict makes
    unsigned test_bits = 0;   ///< each of them wrongly rejects with probability at most 2^-test_bits

    [[nodiscard]] std::uint64_t draws() const { return rounds * drawn; } ///< of each of `inputs`, at least
    [[nodiscard]] std::uint64_t requests() const { return rounds * (inputs.size() + 1); }
    [[nodiscard]] std::uint64_t values() const { return requests() * parameters.lanes; }
    /// The index into `fixed` of what a lane holds in a request that has them all.
    [[nodiscard]] std::size_t fixed_at(std::uint64_t request, std::uint64_t lane) const {
        return static_cast<std::size_t>((lane + request / (inputs.size() + 1)) % fixed.size());
    }
};

/// Chooses the inputs, and how often each is drawn. The overflow of the conversion is read, and its rounding is not:
/// the law is in the parameters. Throws std::invalid_argument if a parameter is out of its range, or if the target has
/// no sign, no zero or no fraction, or is no narrower than the source. `drawn`: Plan::drawn, 1 to the lanes; 0 for all
/// lanes.
[[nodiscard]] Plan plan(const Conversion& conversion, const Parameters& parameters, std::uint64_t drawn = 0);

/// A value of the source under a law. Nothing if it has one answer.
[[nodiscard]] std::optional<Input> input_of(const Conversion& conversion, const Law& law, Region region, Code code);

/// The values of one request, one a lane. Precondition: index < plan.requests().
[[nodiscard]] std::vector<Code> values_of(const Plan& plan, std::uint64_t index);

/// The probability with which a stochastic rounding goes away from zero: (2^bits - threshold) / 2^bits.
[[nodiscard]] exact::Rational probability(Rounding rounding, unsigned bits, const exact::Rational& eta);

/// Positions in an array at which an implementation may differ: the remainder of the lane by 64, and the last 64 lanes.
inline constexpr std::size_t place_count = 65;
[[nodiscard]] constexpr std::size_t place_of(std::uint64_t lane, std::uint64_t lanes) {
    return static_cast<std::size_t>(lane + 64 >= lanes ? 64 : lane % 64);
}

/// Lanes this far apart are compared, and as the last one, the same lane of two calls.
inline constexpr std::array<std::uint64_t, 13> distances{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
inline constexpr std::size_t pairing_count = distances.size() + 1;

/// Disjoint pairs of draws of one input.
struct Pairs {
    std::uint64_t pairs = 0;
    std::uint64_t both = 0; ///< pairs of two away from zero
    std::uint64_t ones = 0; ///< draws away from zero in all pairs
};

/// What came back for one of Plan::inputs.
struct Counts {
    std::uint64_t draws = 0;
    std::uint64_t upper = 0;
    std::uint64_t other = 0; ///< neither of the two codes
    Code first_other = 0;
    std::uint64_t calls = 0;
    std::uint64_t uniform = 0; ///< calls with the same answer in every lane
    std::uint64_t same = 0;    ///< pairs of calls that gave the same in every lane
    std::array<Pairs, pairing_count> pairs{};
    std::array<std::uint64_t, place_count> drawn_at{}; ///< draws at each place
};

/// An answer of Plan::fixed that was not the expected one.
struct Changed {
    std::size_t index = 0; ///< into Plan::fixed
    Code got = 0;
};

/// Counts answers as they come. Keeps no answer longer than the next round.
class Tally {
  public:
    /// The plan must outlive it.
    explicit Tally(const Plan& plan);
    /// The outputs of the next request, in order. Throws std::invalid_argument if they are not one a lane,
    /// std::logic_error if there is no further request.
    /// `drawn`: of which lanes the outputs are draws, a bit a lane from the lowest of the first word; empty: of all.
    void add(std::span<const Code> outputs, std::span<const std::uint64_t> drawn = {});

    [[nodiscard]] const Plan& plan() const { return *plan_; }
    [[nodiscard]] std::uint64_t requests() const { return requests_; } ///< answered
    [[nodiscard]] const std::vector<Counts>& counts() const { return counts_; }
    [[nodiscard]] const std::array<std::uint64_t, place_count>& upper_at() const { return upper_at_; }
    /// Of these the inputs with eta < 1/2.
    [[nodiscard]] const std::array<std::uint64_t, place_count>& further_at() const { return further_at_; }
    [[nodiscard]] std::uint64_t fixed() const { return fixed_; } ///< draws of fixed inputs
    [[nodiscard]] std::uint64_t fixed_changed() const { return fixed_changed_; }
    [[nodiscard]] const std::optional<Changed>& first_changed() const { return first_changed_; }

  private:
    void add_fixed(std::span<const Code> outputs, std::span<const std::uint64_t> drawn);
    void add_input(std::size_t index, std::span<const Code> outputs, std::span<const std::uint64_t> drawn);

    const Plan* plan_;
    std::uint64_t requests_ = 0;
    std::vector<Counts> counts_;
    /// The first call of each two, a bit a lane.
    struct Call {
        std::vector<std::uint64_t> upper; ///< away from zero
        std::vector<std::uint64_t> drawn; ///< a draw
    };
    std::vector<Call> previous_;
    std::array<std::uint64_t, place_count> upper_at_{};
    std::array<std::uint64_t, place_count> further_at_{};
    std::uint64_t fixed_ = 0;
    std::uint64_t fixed_changed_ = 0;
    std::optional<Changed> first_changed_;
};

/// What the counts show.
enum class Fault : std::uint8_t {
    none,
    fixed_changed,   ///< an input that is a code, or beyond all codes, did not give the one answer
    not_a_neighbour, ///< an answer that is neither of the two codes
    deterministic,   ///< no random bit is used: another rounding
    one_number,      ///< one random number for all lanes of a call
    same_each_call,  ///< every call starts from the same random numbers
    lanes_together,  ///< lanes that are not independent of each other
    few_bits,        ///< a stochastic rounding with other, mostly fewer, random bits
    fixed_noise,     ///< the noise has one size everywhere instead of that of the gap
    early_noise,     ///< the same, added before values are multiplied by Input::factor
    one_region,      ///< wrong in a part of the range only
    one_place,       ///< wrong at some positions of the array only
    magnitude_bias,  ///< too often, or too seldom, away from zero
    value_bias,      ///< too often, or too seldom, toward +Inf
    unexplained,
};
[[nodiscard]] std::string_view to_string(Fault fault);
/// What it is a bug of; nullptr: none that has a name.
[[nodiscard]] const BugClass* bug_class_of(Fault fault);

/// A test that rejected.
enum class TestKind : std::uint8_t {
    input,   ///< the count of one input
    away,    ///< all inputs together, away from zero
    up,      ///< all inputs together, toward +Inf
    region,  ///< the inputs of a region together, away from zero
    place,   ///< all inputs together at a place of the array, away from zero
    nearer,  ///< the same, to the nearer code
    pairing, ///< all inputs together, pairs of draws
};
struct Rejected {
    TestKind kind;
    std::size_t index = 0; ///< of the input, region, place or pairing
    bool above = false;    ///< more often than permitted; otherwise less often
};

struct Verdict {
    /// PASS; FAIL: what came out is not the rounding; MISTRUSTED: the draws are not independent, so that counts prove
    /// nothing; INCOMPLETE: requests are missing and nothing is wrong so far; UNTESTED: nothing was answered.
    Status status = Status::untested;
    Fault fault = Fault::none;
    std::string reason; ///< one line: the fault for people; for PASS, what was shown with which probability of error
    std::vector<Rejected> rejected;
    std::vector<std::size_t> together; ///< pairings with a coefficient of more than 1/2, where anything is wrong
    std::uint64_t compared = 0;        ///< values
};

/// Judges the counts. Before it does, it plants the bias to be detected into each input and throws std::logic_error if
/// the test does not find it: a verdict is only given by a test that can fail.
[[nodiscard]] Verdict judge(const Tally& tally);

/// Names what makes the tests reject. `rejected` are those of this tally.
struct Diagnosis {
    Fault fault = Fault::none;
    std::string text;
};
[[nodiscard]] Diagnosis diagnose(const Tally& tally, const std::vector<Rejected>& rejected);

/// The pairings of draws that correlate by more than 1/2, and not by chance.
[[nodiscard]] std::vector<std::size_t> pairings_together(const Tally& tally);

/// Whether the counts of an input agree with a probability from `low` to `high`, as a test of this plan. First: too
/// many, second: too few.
struct Sides {
    bool above = false;
    bool below = false;
    [[nodiscard]] bool any() const { return above || below; }
};
[[nodiscard]] Sides outside(const Counts& counts, const exact::Rational& low, const exact::Rational& high,
                            unsigned bits);

} // namespace mxcert::suites::stochastic

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/selftest/selftest.hpp"

// A few inputs of a conversion in the place of all of them, chosen by the bugs that they show (docs/suites.md).
namespace mxcert {

/// Inputs of a conversion that a budget may ask: they are held in memory.
inline constexpr std::uint64_t largest_budget = std::uint64_t{1} << 20U;

/// One conversion's.
struct SmallSuite {
    std::vector<Code> inputs;         ///< ascending
    std::size_t planted = 0;          ///< bugs that some input of the conversion shows
    std::vector<std::string> escaped; ///< of these, the ones that none of `inputs` shows: "TOP_TIE: overflow_test=..."
};

/// True if one can be chosen: the source is asked every input otherwise, and a bug planted in it is quick to tabulate.
[[nodiscard]] bool has_small_suite(const Conversion& conversion);

/// Inputs that show the bugs planted in a conversion for each of its judges, the one that shows most first, and
/// single-bit neighbours and pairs of its boundaries (SingleBits::some()). `budget`: exactly as many inputs, all of a
/// source that has no more; in this order: further neighbours, inputs that show some bug again, all neighbours where
/// these leave half of the rest, and seeded ones in every binade. 0: the sticky bits in every binade, pairs and other
/// neighbours up to 5120, and of every binade the first, the last and a seeded input. Precondition: has_small_suite(),
/// and at least one judge.
[[nodiscard]] SmallSuite small_suite(const Conversion& conversion, const std::vector<Judge>& judges,
                                     std::uint64_t budget, std::uint64_t seed);

/// The planted bugs that pass it, found out by the verdict on what they answer to it and not by what it was chosen
/// from. Adds to `planted` how many there are that some input shows.
[[nodiscard]] std::vector<std::string> escaping(const SmallSuite& suite, const Conversion& conversion,
                                                const Judge& judge_of, std::size_t& planted);

/// What the small suites of a plan are.
struct SuiteStrength {
    std::uint64_t inputs = 0;
    std::size_t conversions = 0;
    std::size_t operations = 0; ///< a few cases of each
    std::size_t planted = 0;
    std::vector<std::string> escaped;  ///< "fp16-e4m3-nearest_even-sat: TOP_TIE: overflow_test=tie_overflows"
    std::vector<std::string> left_out; ///< what has no small suite: wide conversions, distributions
};

/// Cuts a plan down to small suites. `budget` as above, of each conversion. Operations stay where `operations` is true,
/// to be certified at a small level.
[[nodiscard]] SuiteStrength reduce(Plan& plan, std::uint64_t budget, bool operations, std::uint64_t seed);

/// Takes out the profiles of which a small suite has nothing: for profiles that nobody asked for by name. Where all
/// would go, all stay.
void drop_empty_profiles(Plan& plan);

/// What a verdict says of it: how many inputs, which planted bugs they show and which escape, and what no such suite
/// sees.
[[nodiscard]] std::string strength_text(const SuiteStrength& strength);

} // namespace mxcert

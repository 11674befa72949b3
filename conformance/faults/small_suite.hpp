// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/verdict/judge.hpp"

// A few inputs of a conversion in the place of all of them, chosen by the bugs that they show (docs/suites.md).
namespace mxcert::faults {

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
[[nodiscard]] SmallSuite small_suite(const Conversion& conversion, const std::vector<verdict::Judge>& judges,
                                     std::uint64_t budget, std::uint64_t seed);

/// The planted bugs that pass it, found out by the verdict on what they answer to it and not by what it was chosen
/// from. Adds to `planted` how many there are that some input shows.
[[nodiscard]] std::vector<std::string> escaping(const SmallSuite& suite, const Conversion& conversion,
                                                const verdict::Judge& judge_of, std::size_t& planted);

} // namespace mxcert::faults

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/bug_class.hpp"
#include "reference/conversion.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/input_ranges.hpp"

namespace mxcert::diagnose {

/// A bug that explains wrong answers.
struct NamedBug {
    const BugClass* bug_class = nullptr;
    std::string how;          ///< "rounding=nearest_away", or the words of a fault
    std::uint64_t inputs = 0; ///< wrong answers that it explains, >= 1
    Code smallest = 0;        ///< the input among them of the smallest magnitude
    Code roundest = 0;        ///< the input among them with the fewest bits to write down
    InputRanges where;        ///< all of them
};

/// What is wrong with a conversion.
struct Diagnosis {
    std::vector<NamedBug> bugs;  ///< those that explain most first
    std::uint64_t differing = 0; ///< inputs with an answer that is not permitted
    std::uint64_t explained = 0; ///< of these, by all bugs together
    /// The others, ascending.
    std::vector<Difference> unexplained;
};

/// What a conversion does whose every choice is at a value that the profile permits: as it is named and by default,
/// where that is one.
[[nodiscard]] Choices conforming_choices(const Conversion& conversion, const Profile& profile);

/// The inputs of these steps, which may leave gaps, whose code is not permitted: ascending, as ranges.
[[nodiscard]] std::vector<Difference> differences_of(const std::vector<Step>& steps, const PermitTable& permitted);

/// Finds the Behaviour and the faults that give what came out, and says which of their parts the profile does not
/// permit and which wrong answers each of those explains. A bug is named only for inputs where it gives exactly the
/// observed code, and if nine tenths of the wrong answers that it would give came; the others are unexplained. Faults
/// of several classes that give the same answers are all named. Where a scale divides the inputs, a bug may also be
/// one of their quotients, the same under any scale. Of a target of more than eight bits whose NaN may have any code,
/// all its codes are one. `steps`: what came out, ascending, disjoint; inputs between them were not asked.
/// Deterministic conversions only.
[[nodiscard]] Diagnosis diagnose(const Conversion& conversion, const std::vector<Step>& steps,
                                 const PermitTable& permitted, const Profile& profile);

} // namespace mxcert::diagnose

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/bug_class.hpp"
#include "vectors/tables/compare.hpp"

// Which input of a conversion shows which planted bug.
namespace mxcert::faults {

/// A planted bug and the inputs that show it.
struct ShownBug {
    const BugClass* bug_class = nullptr;
    std::string how;               ///< "rounding=nearest_away", or the words of a fault
    std::vector<Difference> wrong; ///< ascending
};

/// The bugs planted in a conversion for each of its judges, but for those that no input shows. Precondition:
/// has_small_suite().
[[nodiscard]] std::vector<ShownBug> shown_bugs(const Conversion& conversion, const std::vector<verdict::Judge>& judges);

[[nodiscard]] bool shows(Code input, const ShownBug& bug);

/// Few inputs that together show every bug, the one that shows most first, and then every end of a wrong range.
struct ShowingInputs {
    std::vector<Code> chosen;     ///< greedily: each shows the most of what none before it shows
    std::vector<Code> candidates; ///< all that were to choose from, the one that shows most first
};
/// `most`: of chosen.
[[nodiscard]] ShowingInputs showing_inputs(const std::vector<ShownBug>& bugs, std::size_t most);

} // namespace mxcert::faults

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/bug_class.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/faults/conversion_faults.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::faults {

/// A wrong implementation of one conversion.
struct Planted {
    Conversion conversion;
    const Profile* profile = nullptr; ///< that it is held to
    const BugClass* bug_class = nullptr;
    std::string how;                        ///< "rounding=nearest_away", or the words of a fault
    Choices choices;                        ///< of its Behaviour, with or without the fault
    const ConversionFault* fault = nullptr; ///< nullptr: a choice alone
};

/// The wrong implementations of a conversion, judged by a profile that covers it: every other value of every choice
/// that some input asks for and the profile does not permit, and every fault of its formats. `inputs`: those that are
/// looked at for what is asked for; none: all.
[[nodiscard]] std::vector<Planted> planted_in(const Conversion& conversion, const Profile& profile,
                                              const std::vector<InputRange>& inputs = {});

/// Its whole table.
[[nodiscard]] StepTable planted_table(const Planted& planted);

} // namespace mxcert::faults

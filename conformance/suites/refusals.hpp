// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::suites {

/// What a profile says of the sizes of a case: nothing, or that its source refuses them.
struct Refusals {
    std::uint64_t refused = 0;  ///< cases that the backend refused as well
    std::uint64_t answered = 0; ///< and those it answered
    std::string first;          ///< of the latter, its name

    void answer(const std::string& name) {
        if (answered++ == 0) first = name;
    }
    [[nodiscard]] std::string text() const {
        if (answered != 0)
            return fmt::format("answers {} of sizes that the profile's source refuses, the first is: {}",
                               print::counted(answered, "case"), first);
        return refused == 0 ? ""
                            : fmt::format("refuses {} that its source refuses too", print::counted(refused, "size"));
    }
};

/// Whether the sources of all of these profiles refuse a tensor of that size.
[[nodiscard]] inline bool refused_by_all(const std::vector<const Profile*>& profiles,
                                         const std::optional<Extent>& tensor) {
    return tensor && !profiles.empty() && std::all_of(profiles.begin(), profiles.end(), [&](const Profile* profile) {
               return refuses(*profile, *tensor);
           });
}

} // namespace mxcert::suites

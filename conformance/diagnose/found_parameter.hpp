// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxcert::diagnose {

/// One parameter of what explains the answers of an implementation, with what speaks for it.
struct FoundParameter {
    std::string_view name;
    std::string value;
    /// Answers that another value gets wrong, and this one does not: the fewest of any. Nothing if there is no other.
    std::optional<std::uint64_t> decided_by;
    std::vector<std::string> alike; ///< other values that explain all that this one does
};

} // namespace mxcert::diagnose

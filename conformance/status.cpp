// SPDX-License-Identifier: Apache-2.0
#include "conformance/status.hpp"

#include <array>
#include <cstddef>

namespace mxcert {

std::string_view to_string(Status status) {
    // In the order of the enumeration.
    constexpr std::array<std::string_view, 7> names{"PASS",        "FAIL",  "MISTRUSTED", "UNTESTED",
                                                    "UNSUPPORTED", "ERROR", "INCOMPLETE"};
    const auto index = static_cast<std::size_t>(status);
    return index < names.size() ? names[index] : "UNKNOWN STATUS";
}

} // namespace mxcert

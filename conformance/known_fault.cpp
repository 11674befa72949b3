// SPDX-License-Identifier: Apache-2.0
#include "conformance/known_fault.hpp"

namespace mxcert {

std::string text(const std::vector<KnownFault>& faults) {
    std::string known;
    for (const KnownFault& this_known : faults) known.append(known.empty() ? "" : " or ").append(this_known.how);
    return known;
}

std::string it_is(const std::vector<KnownFault>& faults) { return faults.empty() ? "" : "; cause: " + text(faults); }

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace mxcert::suites {

/// Throws std::logic_error where the two models do not agree: nothing may be judged then.
inline void must_agree(bool agree, const std::string& where) {
    if (!agree) throw std::logic_error("the two models disagree on " + where + ": nothing can be judged");
}

} // namespace mxcert::suites

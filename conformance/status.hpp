// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace mxcert {

/// How one row of a report ended. Only `pass` passes.
enum class Status : std::uint8_t {
    pass,
    fail,        ///< at least one input gave what is not permitted, or another answer when it was asked again
    mistrusted,  ///< poison left in the output, or one constant over a conversion that is not constant
    untested,    ///< asked for, and nothing was compared
    unsupported, ///< the backend does not offer it
    error,       ///< crash, timeout, protocol, or a write outside the buffer
    incomplete,  ///< stopped, or too many steps to keep; what was compared had no difference
};
[[nodiscard]] std::string_view to_string(Status status); ///< "PASS", "FAIL", ...

} // namespace mxcert

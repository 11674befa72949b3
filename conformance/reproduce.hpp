// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/conversion.hpp"

namespace mxcert {

/// One input of one conversion: what a reproduction line names.
struct Reproduction {
    Conversion conversion;
    Code input = 0;
    friend bool operator==(const Reproduction&, const Reproduction&) = default;
};

/// "fp32-e4m3-nearest_even-sat:3F880001", the input as the tables print it.
[[nodiscard]] std::string to_string(const Reproduction& reproduction);

/// The reverse; the digits may be of either case. Throws std::invalid_argument that says which part is wrong.
[[nodiscard]] Reproduction parse_reproduction(std::string_view text);

/// How a run was started, as far as it decides what comes out of one input.
struct Invocation {
    std::string backend; ///< as it was given
    std::vector<std::string> profiles;
    std::string backend_options;
};

/// A command line for a POSIX shell that runs one input again:
/// "mxcert certify ./x.so --profile ocp-sat --reproduce fp32-e4m3-nearest_even-sat:3F880001".
[[nodiscard]] std::string reproduction_line(const Invocation& invocation, const Reproduction& reproduction);

/// The same for a whole row of a report.
[[nodiscard]] std::string row_line(const Invocation& invocation, std::string_view id);

} // namespace mxcert

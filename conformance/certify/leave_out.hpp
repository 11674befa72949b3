// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/level.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"

// What a certificate may be without, named in it (docs/certify.md, "What is no certificate").
namespace mxcert::certify {

/// Whether a name, or a pattern, begins as that of an operation.
[[nodiscard]] bool names_operation(std::string_view pattern);

/// Whether a run at this level asks a sample of the inputs where their number is known: of a source of more than 32
/// bits, alone or with its random bits.
[[nodiscard]] bool is_sampled(const Conversion& conversion, Level level);
/// The same of one of the parts of an operation (Suite::is_sampled()).
[[nodiscard]] bool is_sampled(const Operation& operation, Level level);
/// The same by name. Throws std::invalid_argument if it is the name of neither.
[[nodiscard]] bool is_sampled(std::string_view name, Level level);

/// Whether `--leave-out` names it: a glob over conversions and operations, none of them means nothing.
[[nodiscard]] bool is_left_out(const std::vector<std::string>& globs, std::string_view name);

/// Why a certificate cannot be without these: the first that is asked whole at this level; "" if it can.
[[nodiscard]] std::string why_not_left_out(const std::vector<std::string>& names, Level level);

} // namespace mxcert::certify

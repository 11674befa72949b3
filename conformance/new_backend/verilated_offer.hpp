// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/prove/design.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::new_backend {

/// Places of a text, "@NAME@", and what is put there, as for replaced().
using Places = std::vector<std::pair<std::string_view, std::string>>;

/// The places of start_verilator.hpp that depend on what the design does, as VerilatedBackend::offer says. Some of the
/// texts have places for the names of ports. Throws std::invalid_argument for an offer that a design cannot make here,
/// and for lanes or ports that are not its own.
[[nodiscard]] Places offer_of(const std::variant<Conversion, Operation>& offer, const prove::Design& design);

} // namespace mxcert::new_backend

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/observe/sweep.hpp"
#include "reference/operation/operation.hpp"

// Every amax and every pair of a scale and a value, through whole blocks: what observe.hpp asks for chosen inputs, for
// as many as there are. Sweeps go in parts, on all workers, and hold neither the inputs nor the answers of a part, but
// steps.
namespace mxcert::suites {

/// Asks a quantizer for the scale of every amax of a range, in blocks of `block` elements as observe_scales() does. A
/// part has up to `part` amaxes. `permitted` is used to choose poison; may be null.
[[nodiscard]] observe::Observation sweep_scales(observe::Subject& subject, const Operation& operation, unsigned block,
                                                inputs::CodeRange amaxes, const PermitTable* permitted,
                                                std::uint64_t part = std::uint64_t{1} << 27);

/// The codes of by_scale() that blocks can ask for: under each scale that some amax gives, and that is no NaN, the
/// finite values of either sign up to that amax. `amax_of_scale` as in observe_elements().
[[nodiscard]] std::vector<inputs::CodeRange> reachable_pairs(const Format& by_scale,
                                                             std::span<const Code> amax_of_scale);

/// Asks a quantizer for the elements of these codes, as observe_elements() does. `block` is 2 or more; each range has
/// one scale and one sign. A part has up to `part` codes.
[[nodiscard]] observe::Observation sweep_elements(observe::Subject& subject, const Operation& operation, unsigned block,
                                                  std::span<const inputs::CodeRange> ranges,
                                                  std::span<const Code> amax_of_scale, const PermitTable* permitted,
                                                  std::uint64_t part = std::uint64_t{1} << 32);

} // namespace mxcert::suites

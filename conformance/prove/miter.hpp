// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/prove/design.hpp"
#include "vectors/tables/input_ranges.hpp"

namespace mxcert::prove {

/// What is claimed of a design.
enum class Claim : std::uint8_t {
    steady,    ///< from any state, while nothing stalls, each answer is right `latency` cycles after its input
    handshake, ///< after a reset, for some cycles with any valid and ready signals: the answers are those to the
               ///< inputs, in their order, and none comes without an input
};

/// The claims that are made of a design: handshake only where there are valid signals.
[[nodiscard]] std::vector<Claim> claims_of(const Design& design);
[[nodiscard]] std::string_view to_string(Claim claim);

/// A signal that the solver sets in each cycle.
struct Signal {
    std::string name;
    int width = 1;
};

/// The module `miter`: the design, the table's module beside it, and the output `bad`, which is 1 where they disagree.
/// Its outputs `asked` and `answer` are the input and the code that `bad` is about.
struct Miter {
    std::string text;
    std::vector<Signal> inputs; ///< without clk; `reset` is the first
    unsigned cycles = 1;        ///< `bad` is looked at in the last one
    bool reset_first = false;   ///< `reset` is 1 in the first cycle, else 0 in all
};

/// `table`: the name of the module that permits. `lane`: whose answer is looked at. `cycles`: of Claim::handshake.
/// `part`: the inputs whose answers are looked at; none: all.
[[nodiscard]] Miter miter_of(const Design& design, const Conversion& conversion, std::string_view table, Claim claim,
                             unsigned lane, unsigned cycles, const std::optional<InputRange>& part);

/// Cycles of Claim::handshake unless others are wanted: a pipeline fills, stalls and goes on.
[[nodiscard]] inline unsigned usual_cycles(const Design& design) { return design.latency + 7; }

} // namespace mxcert::prove

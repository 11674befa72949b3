// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/conversion.hpp"

namespace mxcert::prove {

/// A hardware design that does one conversion: where its source is, and what its ports are.
struct Design {
    std::vector<std::string> files; ///< Verilog or SystemVerilog
    std::string top;
    std::vector<std::pair<std::string, std::string>> parameters; ///< name and value
    std::vector<std::string> defines;                            ///< NAME or NAME=VALUE
    std::vector<std::string> includes;                           ///< folders of what the files include
    std::string input = "x";     ///< all lanes, lane 0 in the lowest bits; of a source with a given scale its value
    std::string scale = "scale"; ///< of a source with a given scale
    std::string output = "code"; ///< all lanes
    std::string clock;           ///< "": combinational
    std::string reset;           ///< "": none
    bool reset_low = false;      ///< the reset is active while it is low
    std::string in_valid;        ///< "": an input is taken in each cycle
    std::string in_ready;
    std::string out_valid;
    std::string out_ready;
    unsigned latency = 0; ///< cycles from an input to its answer while nothing stalls
    unsigned lanes = 1;   ///< inputs a cycle
};

inline constexpr unsigned max_latency = 64;
inline constexpr unsigned max_lanes = 64;

/// Whether a text is a plain identifier of Verilog.
[[nodiscard]] bool is_identifier(std::string_view text);

/// Throws std::invalid_argument that says what does not fit together, or is no name, and for a file that is not there.
void check(const Design& design);

/// The instance of the design as Verilog: ports of these names connected to wires `clk`, `reset`, `in_valid`,
/// `in_ready`, `out_valid`, `out_ready`, `all_x`, `all_scale` and `all_code`. `reset` is high while the design is
/// reset.
[[nodiscard]] std::string instance_of(const Design& design, const Conversion& conversion);

} // namespace mxcert::prove

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/inputs/code_range.hpp"
#include "conformance/inputs/sweep_order.hpp"
#include "conformance/observe/exchange.hpp"
#include "conformance/observe/observation.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::observe {

/// A part of a sweep: all inputs of some ranges, asked of an operation. What is too much for one observation, and too
/// long to be lost, is swept part by part.
struct SweepPart {
    const Operation& operation;
    const Conversion& conversion; ///< Observation::conversion
    const Exchange& exchange;
    const inputs::SweepOrder& order;       ///< of the inputs of all parts: the exchange's positions
    inputs::SweepOrder::Stretch positions; ///< of this part
    std::vector<inputs::CodeRange> ranges; ///< the inputs of this part, ascending; no two touch
    std::uint64_t at_once = 0;             ///< values of a request, at most
    std::string row;                       ///< that it belongs to: "quantize-.../elements"
    std::string name;                      ///< "quantize-.elements.7": no other part of the backend has it
    std::uint64_t number = 0;              ///< of the part in its row
    std::string key;                       ///< all that the answers depend on beside the backend
    std::uint64_t before = 0;              ///< values that were asked in other parts, for the progress
    std::uint64_t total = 0;               ///< of all parts that are asked

    [[nodiscard]] std::uint64_t inputs() const {
        std::uint64_t sum = 0;
        for (const inputs::CodeRange& range : ranges) sum += range.last - range.first + 1;
        return sum;
    }
};

} // namespace mxcert::observe

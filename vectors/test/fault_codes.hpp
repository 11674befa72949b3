// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "vectors/faults/conversion_faults.hpp"

namespace mxcert::test {

/// The fault of a name. Throws std::invalid_argument if there is none.
inline const ConversionFault& fault(std::string_view name) {
    for (const ConversionFault& fault : conversion_faults())
        if (fault.name == name) return fault;
    throw std::invalid_argument("no fault " + std::string(name));
}

/// The code of an input in a whole table.
inline Code code_of(const StepTable& table, Code input) { return table.steps[find_step(table, input)].code; }

} // namespace mxcert::test

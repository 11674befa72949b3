// SPDX-License-Identifier: Apache-2.0
// The name of a conversion: what is read prints back to the same text.
#include <stdexcept>

#include "fuzz/target.hpp"
#include "reference/conversion.hpp"

namespace {

void run(std::string_view input) {
    mxcert::Conversion conversion;
    try {
        conversion = mxcert::parse_conversion(input);
    } catch (const std::invalid_argument&) {
        return;
    }
    mxcert::fuzz::require_same(to_string(conversion), input, "a conversion prints as it was read");
}

const mxcert::fuzz::Target registered{"conversion", run};

} // namespace

// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/options.hpp"

#include <fmt/format.h>

namespace mxcert::verdict {

std::string nothing_compared(const CertifyOptions& options, std::uint64_t cases) {
    if (cases != 0 && options.only() && *options.only() >= cases)
        return fmt::format("there is no case {}: they are 0 to {}", *options.only(), cases - 1);
    return "nothing was compared";
}

} // namespace mxcert::verdict

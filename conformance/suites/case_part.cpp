// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/case_part.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace mxcert::suites {

cases::GivenCase CasePart::draw(SplitMix64& /*random*/) { throw std::logic_error("no case of this part can be drawn"); }

std::string CasePart::left_out(const std::vector<std::string>& refused) const {
    return refused.empty() ? "" : fmt::format("refused, as it may: {}", fmt::join(refused, "; "));
}

} // namespace mxcert::suites

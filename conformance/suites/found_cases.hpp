// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/diagnose/found_parameter.hpp"
#include "conformance/identify/identify_conversion.hpp"
#include "conformance/status.hpp"

namespace mxcert::suites {

/// What explains the answers to matrices that show how values are joined, or where they lie.
struct FoundCases {
    std::string operation;           ///< with the part of it: "quantize-.../blocks"
    Status status = Status::pass;    ///< pass: answers came; else of the run that failed
    std::string reason;              ///< for every status but pass
    std::string_view noun = "block"; ///< what is counted
    std::uint64_t asked = 0;
    std::uint64_t explained = 0;       ///< that `parameters` give
    std::string_view table = "layout"; ///< what `name` is a name of
    std::string name;     ///< of the layout that explains most, or the wrong one, or recipes; "" of none, and of blocks
    bool in_table = true; ///< false: it is none of the table
    std::vector<diagnose::FoundParameter> parameters;
    std::vector<std::string> refused;             ///< matrices with a tail that were not taken
    std::vector<std::string> unexplained;         ///< the first that are not, in words
    std::vector<diagnose::FoundProfile> profiles; ///< without clauses; in the order of FoundBehaviour::profiles
};

} // namespace mxcert::suites

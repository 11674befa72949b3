// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/leave_out.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/observe/subject.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::certify {

bool names_operation(std::string_view pattern) {
    return std::any_of(all_operations().begin(), all_operations().end(), [&](const OperationInfo& operation) {
        return pattern.starts_with(std::string(operation.name) + '-');
    });
}

bool is_sampled(const Conversion& conversion, Level level) {
    return is_stochastic(conversion.rounding) ||
           (observe::needs_points(conversion) && !(asks_every_pair(level) && conversion.from->scale != nullptr));
}

bool is_sampled(const Operation& operation, Level level) {
    return suites::suite_of(operation).is_sampled(operation, level);
}

bool is_sampled(std::string_view name, Level level) {
    return names_operation(name) ? is_sampled(parse_operation(name), level) : is_sampled(parse_conversion(name), level);
}

bool is_left_out(const std::vector<std::string>& globs, std::string_view name) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return print::glob_matches(glob, name); });
}

std::string why_not_left_out(const std::vector<std::string>& names, Level level) {
    for (const std::string& name : names)
        if (!is_sampled(name, level)) return fmt::format("{} is left out, and every input of it can be asked", name);
    return {};
}

} // namespace mxcert::certify

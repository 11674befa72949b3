// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/unmatched.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "reference/base/near_names.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::cli {

std::vector<std::string> selectable(const observe::BackendInfo& info) {
    std::vector<std::string> names;
    for (const Conversion& conversion : info.conversions) names.push_back(to_string(conversion));
    for (const Operation& operation : info.operations)
        for (std::string& id : suites::row_ids(operation)) names.push_back(std::move(id));
    for (const Profile& profile : all_profiles())
        for (const Provision& provision : profile.provisions)
            names.push_back("provision " + std::string(provision.clause));
    return names;
}

void tell_unmatched(const std::string& option, const std::vector<std::string>& patterns,
                    const observe::BackendInfo& info) {
    if (patterns.empty()) return;
    const std::vector<std::string> names = selectable(info);
    for (const std::string& pattern : patterns) {
        if (std::any_of(names.begin(), names.end(),
                        [&](const std::string& name) { return print::selected({pattern}, name); }))
            continue;
        fmt::print(stderr, "mxcert: {} '{}' matches nothing that {} offers; did you mean '{}'?\n", option,
                   print::printable(pattern), print::printable(info.name), near_pattern(pattern, names).pattern);
    }
}

} // namespace mxcert::cli

// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/bugs.hpp"

#include <fmt/format.h>

#include "conformance/suites/all_faults.hpp"

namespace mxcert::explain {

std::vector<std::string> faults_of(const BugClass& bug) {
    std::vector<std::string> names;
    for (const suites::NamedFault& fault : suites::all_faults())
        if (fault.fault.bug_class == &bug) names.push_back(fmt::format("{}: {}", fault.of, fault.fault.how));
    return names;
}

nlohmann::ordered_json to_json(const BugClass& bug) {
    return {
        {"id", bug.id}, {"says", bug.says}, {"cause", bug.cause}, {"reports", bug.reports}, {"faults", faults_of(bug)}};
}

nlohmann::ordered_json bugs_to_json() {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const BugClass& bug : all_bug_classes()) all.push_back(to_json(bug));
    return all;
}

} // namespace mxcert::explain

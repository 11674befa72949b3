// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/judge.hpp"

#include <algorithm>
#include <exception>

#include "conformance/diagnose/diagnose.hpp"
#include "conformance/inputs/sample.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::verdict {

std::vector<Judge> judges_of(const Conversion& conversion, const std::vector<const Profile*>& profiles,
                             GoldenSource& golden) {
    std::vector<Judge> judges;
    for (const Profile* profile : profiles) {
        if (!covers(*profile, conversion)) continue;
        const GoldenUsed& used = golden.get(*profile, conversion);
        judges.push_back({profile, select(used.golden, *profile, conversion), &used});
    }
    return judges;
}

std::vector<Code> boundaries(const std::vector<Judge>& judges) {
    std::vector<Code> firsts;
    for (const Judge& judge : judges) {
        const std::vector<Code> codes = inputs::firsts_of(judge.permitted);
        firsts.insert(firsts.end(), codes.begin(), codes.end());
    }
    std::sort(firsts.begin(), firsts.end());
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    return firsts;
}

std::vector<Code> all_boundaries(const Conversion& conversion, const std::vector<const Profile*>& profiles,
                                 GoldenSource& golden) {
    std::vector<Code> firsts = boundaries(judges_of(conversion, profiles, golden));
    const std::vector<Code> own = inputs::firsts_of(tabulate(*conversion.from, *conversion.to, choices_of(conversion)));
    firsts.insert(firsts.end(), own.begin(), own.end());
    std::sort(firsts.begin(), firsts.end());
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    return firsts;
}

Row judge_by(const Judge& by_judge, const observe::Observation& seen, const CertifyOptions& options) {
    Row row;
    try {
        row = judge(seen, by_judge.permitted, options.max_failures);
    } catch (const std::exception& error) {
        // A comparison that cannot be trusted has compared nothing.
        row.id = to_string(seen.conversion);
        row.found.emplace<TableFindings>().conversion = seen.conversion;
        row.status = Status::untested;
        row.reason = error.what();
    }
    auto& table = std::get<TableFindings>(row.found);
    row.profile = by_judge.profile->name;
    // Flags that never change have a cause: none is raised, or all that any value raises.
    const bool constant_flags = seen.conversion.to->flags_of != nullptr && steps_of(seen).size() == 1;
    // One input alone has many explanations, and answers in wrong places have one already.
    if (row.differing != 0 && (row.status != Status::mistrusted || constant_flags) && !seen.irregular &&
        !options.reproduce && row.known_as.empty())
        table.diagnosis = diagnose::diagnose(seen.conversion, steps_of(seen), by_judge.permitted, *by_judge.profile);
    if (options.map) table.map = map_of(steps_of(seen), by_judge.permitted);
    table.golden = by_judge.golden->name;
    table.golden_sha256 = by_judge.golden->sha256;
    return row;
}

} // namespace mxcert::verdict

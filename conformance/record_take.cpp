// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "conformance/golden_source.hpp"
#include "conformance/record.hpp"
#include "conformance/sample.hpp"
#include "vectors/tabulate.hpp"

namespace mxcert {
namespace {

// Those of the exact model, and of what each profile permits: the record can then be held to any.
std::vector<Code> boundaries(const Conversion& conversion, GoldenSource& golden) {
    std::vector<Code> firsts = firsts_of(tabulate(*conversion.from, *conversion.to, choices_of(conversion)));
    for (const Profile& profile : all_profiles()) {
        if (!covers(profile, conversion)) continue;
        const std::vector<Code> more =
            firsts_of(select(golden.get(*conversion.from, *conversion.to).golden, profile, conversion));
        firsts.insert(firsts.end(), more.begin(), more.end());
    }
    std::sort(firsts.begin(), firsts.end());
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    return firsts;
}

Observation observe(Subject& subject, const Conversion& conversion, const RecordOptions& options,
                    GoldenSource& golden) {
    Observation seen;
    seen.conversion = conversion;
    if (is_stochastic(conversion.rounding)) {
        seen.status = Status::untested;
        seen.reason = "a stochastic rounding has no table";
        return seen;
    }
    if (options.stop != nullptr && options.stop->load()) {
        seen.status = Status::incomplete;
        seen.reason = "stopped before it was asked";
        return seen;
    }
    std::vector<Point> points;
    const bool by_points = subject.holds_points(conversion);
    if (by_points) {
        points =
            subject.answerable(conversion, choose_points(boundaries(conversion, golden), conversion.from->last_code(),
                                                         options.samples_per_step, options.seed));
    }
    if (options.started) options.started(conversion, points.empty() ? conversion.from->last_code() + 1 : points.size());
    return by_points ? subject.observe_points(conversion, points, nullptr) : subject.observe(conversion, nullptr);
}

} // namespace

Record take_record(Subject& subject, const RecordOptions& options) {
    Record record;
    GoldenSource golden;
    record.info = subject.info();
    record.info.conversions.clear();
    record.backend_options = options.backend_options;
    record.seed = options.seed;
    for (const Conversion& conversion : subject.info().conversions) {
        Observation seen = observe(subject, conversion, options, golden);
        if (options.observed) options.observed(seen);
        if (seen.status != Status::pass) {
            record.unrecorded.push_back({to_string(conversion), seen.status, seen.reason});
            continue;
        }
        record.info.conversions.push_back(conversion);
        record.conversions.push_back({conversion, std::move(seen.table), std::move(seen.points), seen.repeated});
    }
    return record;
}

} // namespace mxcert

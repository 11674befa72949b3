// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/subject.hpp"

#include <algorithm>
#include <thread>

#include "conformance/observe/sweep.hpp"

namespace mxcert::observe {
namespace {

Observation no_pieces_of(const Conversion& conversion) {
    Observation seen;
    seen.conversion = conversion;
    seen.status = Status::unsupported;
    seen.reason = "stored answers have no pieces of " + to_string(conversion);
    return seen;
}

} // namespace

unsigned jobs_of(unsigned jobs, const BackendInfo& info) {
    if (jobs != 0) return jobs;
    return info.one_worker ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

bool Subject::holds_points(const Conversion& conversion) const { return needs_points(conversion); }

Observation Subject::observe_piece(const Conversion& conversion, const Permitted& /*permitted*/,
                                   const Piece& /*piece*/) {
    return no_pieces_of(conversion);
}

Observation Subject::observe_places(const Conversion& conversion, const Permitted& /*permitted*/) {
    return no_pieces_of(conversion);
}

Observation Subject::sweep(const SweepPart& part, const PermitTable* /*permitted*/) {
    Observation seen;
    seen.conversion = part.conversion;
    seen.chosen = true;
    seen.status = Status::unsupported;
    seen.reason = "stored answers have none of " + to_string(part.operation);
    return seen;
}

frames::RepeatedAnswer Subject::run_repeated(const Operation& operation, const frames::RepeatedRun& /*run*/) {
    return {Status::untested,
            info().name + " answers what was asked of it before: no large run of " + to_string(operation),
            {},
            {}};
}

frames::RunAnswer Subject::run(const Operation& operation, const frames::RunCase& /*run_case*/) {
    return {Status::unsupported, "not among what is stored: " + to_string(operation), {}, {}};
}

} // namespace mxcert::observe

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/options.hpp"
#include "conformance/verdict/verdict.hpp"

namespace mxcert::verdict {

/// One profile's view of a conversion.
struct Judge {
    const Profile* profile = nullptr;
    PermitTable permitted;
    const GoldenUsed* golden = nullptr;
};

/// The judges of a conversion: those of the profiles that cover it.
[[nodiscard]] std::vector<Judge> judges_of(const Conversion& conversion, const std::vector<const Profile*>& profiles,
                                           GoldenSource& golden);
/// The first inputs of the steps of all judges, ascending: a profile that is stricter has more of them.
[[nodiscard]] std::vector<Code> boundaries(const std::vector<Judge>& judges);
/// Those of the exact model for a conversion and of what each of the profiles permits: what is asked so can be held to
/// any of them.
[[nodiscard]] std::vector<Code> all_boundaries(const Conversion& conversion,
                                               const std::vector<const Profile*>& profiles, GoldenSource& golden);
/// The verdict of one judge. A comparison that cannot be trusted is UNTESTED.
[[nodiscard]] Row judge_by(const Judge& by_judge, const observe::Observation& seen, const CertifyOptions& options);

} // namespace mxcert::verdict

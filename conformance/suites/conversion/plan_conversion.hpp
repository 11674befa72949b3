// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/inputs/poison.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/verdict/judge.hpp"
#include "conformance/verdict/options.hpp"

namespace mxcert::suites {

/// A conversion that is going to be observed once, and judged by every profile that covers it.
struct PlannedConversion {
    Conversion conversion;
    std::vector<verdict::Judge> judges; ///< at least one; none in the plan of a record
    PermitTable permitted;              ///< what any of the judges permits: the harness picks poison by it
    PermitTable agreed;                 ///< what all of them permit; where they agree on nothing it permits nothing
    std::vector<inputs::Point>
        points;              ///< the inputs of a 64-bit source, or the one of a reproduction; empty: every input
    std::size_t unasked = 0; ///< boundaries +-2 ulp of what is permitted to which stored answers have none
    bool required = false;

    [[nodiscard]] std::uint64_t inputs() const {
        return points.empty() ? conversion.from->last_code() + 1 : points.size();
    }
};

/// Every input is planned. Without a judge where none of the profiles covers it. Throws std::runtime_error for broken
/// golden files.
[[nodiscard]] PlannedConversion plan_conversion(const Conversion& conversion,
                                                const std::vector<const Profile*>& profiles,
                                                verdict::GoldenSource& golden);

/// Plans chosen inputs instead: those that the subject can answer. Stored answers are those to the inputs that were
/// asked then, and need not be those that matter to these profiles: `unasked` counts them.
void plan_points(const observe::Subject& subject, const verdict::CertifyOptions& options, PlannedConversion& planned);

} // namespace mxcert::suites

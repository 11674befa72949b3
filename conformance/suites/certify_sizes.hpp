// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/verdict/judge.hpp"

namespace mxcert::suites {

/// A small matrix, and the large ones that say the same again and again.
struct SizeQuestion {
    frames::RunCase small; ///< whose answers are judged elsewhere: it is a case of the row
    std::function<std::vector<frames::RepeatedRun>(const std::vector<frames::Values>& answers)>
        large; ///< in ascending order of size
};

/// Whether arrays are asked large as well: not where a single input or case is wanted, a few cases are, or what is
/// recorded.
[[nodiscard]] bool asks_sizes(const verdict::CertifyOptions& options);

/// Asks large matrices and compares with the answers to a small one. `questions`: the first is asked whose small matrix
/// is not refused. `rows`: those of the cases; what failed is left as it is. A row of which a large matrix was asked
/// says how large; one of which none could be asked says why.
void certify_sizes(observe::Subject& subject, const Operation& operation, const std::vector<SizeQuestion>& questions,
                   const std::vector<verdict::Row*>& rows);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::verdict {

int exit_code(const std::vector<Row>& rows) {
    bool failed = false;
    bool unfinished = false;
    bool passed = false;
    for (const Row& row : rows) {
        switch (row.status) {
        case Status::pass: passed = true; break;
        case Status::fail:
        case Status::mistrusted:
        case Status::untested: failed = true; break;
        case Status::unsupported: failed = failed || row.required; break;
        case Status::error:
        case Status::incomplete: unfinished = true; break;
        }
    }
    if (failed) return 1;
    if (unfinished) return 3;
    return passed ? 0 : 4;
}

} // namespace mxcert::verdict

// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_csv.hpp"

namespace mxcert {

// Nothing but the standard library here: it is part of the generator that is cross-compiled by one command.
std::string write_golden(const GoldenFile& golden) {
    std::string text = "when,first,last,permit,clause\n";
    for (const GoldenRow& row : golden.rows) {
        text += row.when;
        text += ',';
        text += hex(row.first, *golden.from);
        text += ',';
        text += hex(row.last, *golden.from);
        text += ',';
        text += to_string(row.permit, *golden.to);
        text += ',';
        text += row.clause;
        text += '\n';
    }
    return text;
}

} // namespace mxcert

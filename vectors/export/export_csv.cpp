// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/entries.hpp"

namespace mxcert {

std::string export_csv(const PermitTable& table) {
    std::string text = "first,last,permit,clause\n";
    for (const PermitStep& step : table.steps) {
        text += hex(step.first, *table.from) + ',' + hex(step.last, *table.from) + ',';
        text += to_string(step.permit, *table.to) + ',';
        text += step.clause;
        text += '\n';
    }
    return text;
}

} // namespace mxcert

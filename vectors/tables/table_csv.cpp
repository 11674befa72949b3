// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/table_csv.hpp"

namespace mxcert {

// Nothing but the standard library here: it is part of the generator that is cross-compiled by one command.
std::string write_step_table(const StepTable& table) {
    std::string text = "first,last,code\n";
    for (const Step& step : table.steps) {
        text += hex(step.first, *table.from);
        text += ',';
        text += hex(step.last, *table.from);
        text += ',';
        text += hex(step.code, *table.to);
        text += '\n';
    }
    return text;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
// A step table in CSV: what is read is whole and prints back to the same bytes.
#include "fuzz/pair.hpp"
#include "vectors/tables/csv.hpp"
#include "vectors/tables/table_csv.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    const auto pair = fuzz::take_pair(input);
    if (!pair) return;
    StepTable table;
    try {
        table = parse_step_table(input, "input", *pair->from, *pair->to);
    } catch (const csv::Error&) {
        return;
    }
    fuzz::require_same(broken(table), "", "a step table that is read is whole");
    fuzz::require_same(write_step_table(table), input, "a step table prints as it was read");
}

const fuzz::Target registered{"step_table", run, fuzz::Form::lines};

} // namespace

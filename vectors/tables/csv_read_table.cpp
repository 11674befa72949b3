// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/csv_rows.hpp"
#include "vectors/tables/table_csv.hpp"

namespace mxcert {

StepTable parse_step_table(std::string_view text, std::string_view name, const Format& from, const Format& to) {
    csv::Rows<3> rows(text, name, "first,last,code");
    StepTable table{&from, &to, {}};
    while (rows.next()) {
        const Step step{rows.code(0, from), rows.code(1, from), rows.code(2, to)};
        if (step.last < step.first) rows.fail("last is below first");
        if (table.steps.empty()) {
            if (step.first != 0) rows.fail("the first row does not start at " + hex(0, from));
        } else {
            const Step& before = table.steps.back();
            if (before.last == from.last_code()) rows.fail("a row after the last input " + hex(before.last, from));
            if (step.first != before.last + 1)
                rows.fail("first " + hex(step.first, from) + " does not follow last " + hex(before.last, from));
            if (step.code == before.code) rows.fail("the same code as the row before it: they are one step");
        }
        table.steps.push_back(step);
    }
    if (table.steps.empty()) throw csv::Error(name, "no rows");
    if (table.steps.back().last != from.last_code())
        throw csv::Error(name, "ends at input " + hex(table.steps.back().last, from) + ", not at " +
                                   hex(from.last_code(), from));
    return table;
}

StepTable read_step_table(const std::filesystem::path& file, const Format& from, const Format& to) {
    return parse_step_table(csv::read_text(file), file.string(), from, to);
}

} // namespace mxcert

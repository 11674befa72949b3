// SPDX-License-Identifier: Apache-2.0
// A golden file: what is read prints back to the same bytes, its conditions too, and every profile selects a whole
// table from it or says that it does not cover the inputs.
#include <stdexcept>

#include "fuzz/pair.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_partition.hpp"
#include "vectors/tables/csv.hpp"

namespace {

using namespace mxcert;

void check_selections(const GoldenFile& golden) {
    for (const Profile& profile : all_profiles()) {
        const Conversion conversion{golden.from, golden.to, Rounding::nearest_even, Overflow::sat, 0};
        if (!covers(profile, conversion) || !golden_names(profile, conversion)) continue;
        PermitTable table;
        try {
            table = select(golden, profile, conversion);
        } catch (const std::runtime_error&) {
            continue; // it has no rows for what this profile permits
        }
        fuzz::require_same(broken(table), "", "a selection is a whole table");
    }
}

void run(std::string_view input) {
    const auto pair = fuzz::take_pair(input);
    if (!pair) return;
    GoldenFile golden;
    try {
        golden = parse_golden(input, "input", *pair->from, *pair->to);
    } catch (const csv::Error&) {
        return;
    }
    for (const GoldenRow& row : golden.rows)
        fuzz::require_same(to_string(parse_when(row.when)), row.when, "a condition prints as it was read");
    fuzz::require_same(write_golden(golden), input, "a golden file prints as it was read");
    check_selections(golden);
}

const fuzz::Target registered{"golden", run, fuzz::Form::lines};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// Chosen inputs and their codes in CSV: what is read prints back to the same bytes.
#include "conformance/inputs/points_csv.hpp"
#include "fuzz/pair.hpp"
#include "vectors/tables/csv.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    const auto pair = fuzz::take_pair(input);
    if (!pair) return;
    std::vector<inputs::Point> points;
    try {
        points = inputs::parse_points(input, "input", *pair->from, *pair->to);
    } catch (const csv::Error&) {
        return;
    }
    for (std::size_t i = 1; i < points.size(); ++i)
        fuzz::require(points[i - 1].input < points[i].input, "the inputs ascend");
    fuzz::require_same(inputs::write_points(points, *pair->from, *pair->to), input, "points print as they were read");
}

const fuzz::Target registered{"points", run, fuzz::Form::lines};

} // namespace

// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/report_places.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::report {
namespace {

/// An error that spoils one value in n at random is missed by m values with a probability of about exp(-m / n): one in
/// a thousand for m = 7 n.
constexpr std::uint64_t values_for_one = 7;

std::string per_mille(std::uint64_t part, std::uint64_t whole) {
    // Rounded down: 99.9 % is not 100 %.
    const std::uint64_t tenths = part * 1000 / whole;
    return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

} // namespace

std::string missed_note(const std::vector<verdict::Row>& rows) {
    std::optional<std::uint64_t> fewest;
    for (const verdict::Row& row : rows) {
        const observe::Places* places = verdict::places_of(row);
        if (places == nullptr || places->neighbours == 0) continue;
        const std::uint64_t asked = places->in_batches + row.repeated + places->placed;
        fewest = std::min(fewest.value_or(asked), asked);
    }
    if (!fewest) return {};
    return fmt::format("A random error in fewer than 1 of {} may be missed (probability 1 in 1,000).\n",
                       print::counted(std::max<std::uint64_t>(1, *fewest / values_for_one), "value"));
}

std::string places_note(const std::vector<verdict::Row>& rows) {
    std::uint64_t neighbours = 0;
    std::uint64_t differing = 0;
    std::uint64_t placed = 0;
    std::uint64_t smallest_call = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest_call = 0;
    std::uint64_t in_batches = 0;
    std::uint64_t compared = 0;
    std::uint64_t simplified = 0;
    std::uint64_t elements = 0;
    std::array<std::uint64_t, 3> product{};
    const auto is_larger = [](const auto& a, const auto& b) { return a[0] * a[1] * a[2] > b[0] * b[1] * b[2]; };
    for (const verdict::Row& row : rows)
        if (const verdict::CaseFindings* found = verdict::cases_of(row)) {
            elements = std::max(elements, found->largest_matrix);
            if (is_larger(found->largest_product, product)) product = found->largest_product;
        }
    std::string matrices =
        elements == 0 ? "" : fmt::format("The largest matrix tested has {}.\n", print::counted(elements, "element"));
    if (product[0] != 0)
        matrices += fmt::format("The largest product tested is {}x{}x{}.\n", product[0], product[1], product[2]);
    for (const verdict::Row& row : rows) {
        const observe::Places* places = verdict::places_of(row);
        if (places == nullptr || places->neighbours == 0) continue;
        neighbours += places->neighbours;
        differing += places->differing;
        placed += places->placed;
        if (places->largest_call != 0) smallest_call = std::min(smallest_call, places->largest_call); // 0: matrices
        largest_call = std::max(largest_call, places->largest_call);
        in_batches += places->in_batches;
        compared += row.compared;
        simplified += places->simplified ? 1 : 0;
    }
    if (neighbours == 0) return matrices;
    std::string text = fmt::format("Places: {} of neighbouring values in a call have different answers",
                                   per_mille(differing, neighbours));
    if (placed != 0)
        text +=
            fmt::format("; {} asked again, each boundary in every place of a call", print::counted(placed, "value"));
    if (largest_call != 0)
        text += smallest_call == largest_call
                    ? fmt::format("; calls of up to {}", print::counted(largest_call, "value"))
                    : fmt::format("; calls of up to {} to {} values", print::grouped(smallest_call),
                                  print::grouped(largest_call));
    text += ".\n" + matrices;
    if (in_batches < compared)
        text += fmt::format("Values complete, places on {} of {}: the others came as ranges that the backend made "
                            "itself.\n",
                            print::grouped(in_batches), print::grouped(compared));
    text += missed_note(rows);
    if (simplified != 0)
        text += fmt::format("{} {} among permitted codes too often to be stored: each answer was compared.\n",
                            print::counted(simplified, "row"), simplified == 1 ? "alternates" : "alternate");
    return text;
}

std::string turns_note(const std::optional<observe::TurnsSeen>& turns) {
    if (!turns || turns->status != Status::pass) return {};
    return fmt::format("In turn: one process answered {} of {} conversions, scales and operations, {}.\n",
                       print::counted(turns->calls, "call"), print::grouped(turns->rows),
                       turns->every_pair ? "each right after each of the others" : "each after some of the others");
}

} // namespace mxcert::report

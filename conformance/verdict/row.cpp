// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/row.hpp"

namespace mxcert::verdict {

// The kinds of findings that have a member are those that declare it in row.hpp.

const Conversion* conversion_of(const Row& row) {
    return std::visit(
        [](const auto& found) -> const Conversion* {
            if constexpr (requires { found.conversion; }) return &found.conversion;
            return nullptr;
        },
        row.found);
}

std::span<const std::string> wrong_of(const Row& row) {
    return std::visit(
        [](const auto& found) -> std::span<const std::string> {
            if constexpr (requires { found.wrong; }) return found.wrong;
            return {};
        },
        row.found);
}

std::span<const observe::Culprit> culprits_of(const Row& row) {
    return std::visit(
        [](const auto& found) -> std::span<const observe::Culprit> {
            if constexpr (requires { found.culprits; }) return found.culprits;
            return {};
        },
        row.found);
}

const observe::Places* places_of(const Row& row) {
    return std::visit(
        [](const auto& found) -> const observe::Places* {
            if constexpr (requires { found.places; }) return &found.places;
            return nullptr;
        },
        row.found);
}

std::span<const inputs::Point> points_of(const Row& row) {
    const auto* points = std::get_if<PointFindings>(&row.found);
    if (points == nullptr) return {};
    return points->points;
}

std::span<const Difference> differences_of(const Row& row) {
    const TableFindings* table = table_of(row);
    if (table == nullptr) return {};
    return table->differences;
}

std::span<const diagnose::NamedBug> bugs_of(const Row& row) {
    const TableFindings* table = table_of(row);
    if (table == nullptr) return {};
    return table->diagnosis.bugs;
}

std::optional<std::uint64_t> ended_by(const Row& row) {
    const CaseFindings* cases = cases_of(row);
    return cases != nullptr ? cases->ended_by : std::nullopt;
}

} // namespace mxcert::verdict

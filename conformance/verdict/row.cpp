// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/row.hpp"

namespace mxcert::verdict {

const Conversion* conversion_of(const Row& row) {
    if (const TableFindings* table = table_of(row)) return &table->conversion;
    const auto* points = std::get_if<PointFindings>(&row.found);
    return points != nullptr ? &points->conversion : nullptr;
}

std::span<const std::string> wrong_of(const Row& row) {
    if (const CaseFindings* cases = cases_of(row)) return cases->wrong;
    const auto* points = std::get_if<PointFindings>(&row.found);
    return points != nullptr ? std::span<const std::string>(points->wrong) : std::span<const std::string>();
}

std::span<const inputs::Point> points_of(const Row& row) {
    const auto* points = std::get_if<PointFindings>(&row.found);
    return points != nullptr ? std::span<const inputs::Point>(points->points) : std::span<const inputs::Point>();
}

std::span<const Difference> differences_of(const Row& row) {
    const TableFindings* table = table_of(row);
    return table != nullptr ? std::span<const Difference>(table->differences) : std::span<const Difference>();
}

std::span<const observe::Culprit> culprits_of(const Row& row) {
    if (const TableFindings* table = table_of(row)) return table->culprits;
    const auto* points = std::get_if<PointFindings>(&row.found);
    return points != nullptr ? std::span<const observe::Culprit>(points->culprits)
                             : std::span<const observe::Culprit>();
}

std::span<const diagnose::NamedBug> bugs_of(const Row& row) {
    const TableFindings* table = table_of(row);
    return table != nullptr ? std::span<const diagnose::NamedBug>(table->diagnosis.bugs)
                            : std::span<const diagnose::NamedBug>();
}

} // namespace mxcert::verdict

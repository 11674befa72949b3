// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "reference/choices.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// A way to get a conversion wrong that no choice expresses.
struct ConversionFault {
    std::string name;           ///< "the carry of a rounding is dropped"; it never changes its meaning
    std::string_view bug_class; ///< id of its class in all_bug_classes()
    /// Whether conversions between these formats can have it.
    std::function<bool(const Format& from, const Format& to)> applies;
    /// The table of a Behaviour that has it. Precondition: applies(from, to). Throws as tabulate().
    std::function<StepTable(const Format& from, const Format& to, const Choices& choices)> make;
};

} // namespace mxcert

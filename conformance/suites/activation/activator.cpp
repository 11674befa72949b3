// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/activation/activator.hpp"

#include <fmt/format.h>

#include "conformance/suites/models_agree.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/activation.hpp"
#include "reference/fast/activation.hpp"

namespace mxcert::suites {
namespace {

constexpr int widest_table = 16; // bits of a value
constexpr Code one_in = 16;      // of the values of a wider source is compared

Code activated_by_both(const Format& source, Activation activation, Code value) {
    const Code exactly = exact::activate(source, activation, value);
    must_agree(exactly == fast::activate(source, activation, value),
               fmt::format("{} of {}", to_string(activation), code_text(source, value)));
    return exactly;
}

} // namespace

Activator::Activator(const Format& source, Activation activation) : source_(source), activation_(activation) {
    if (source.width() > widest_table || activation == Activation::none) return;
    for (Code value = 0; value <= source.last_code(); ++value)
        table_.push_back(activated_by_both(source, activation, value));
}

Code Activator::operator()(Code value) const {
    if (!table_.empty()) return table_[value];
    return value % one_in == 0 ? activated_by_both(source_, activation_, value)
                               : fast::activate(source_, activation_, value);
}

QuantizeCase Activator::operator()(QuantizeCase quantize_case) const {
    for (Code& value : quantize_case.values) value = (*this)(value);
    return quantize_case;
}

} // namespace mxcert::suites

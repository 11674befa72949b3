// SPDX-License-Identifier: Apache-2.0
#include "reference/scale_rule.hpp"

#include <algorithm>
#include <stdexcept>

namespace mxcert {
namespace {

// clang-format off
constexpr ScaleRuleInfo rule_table[] = {
    {ScaleRule::ocp_floor, Divisor::largest_power, Rounding::toward_zero, false, "0", "MX 6.3, torchao FLOOR, microxcaling, oneDNN, Quark floor, FBGEMM floor"},
    {ScaleRule::ceil, Divisor::largest_power, Rounding::up, false, "+1 if m >= 1", "torchao CEIL, Quark ceil, FBGEMM ceil"},
    {ScaleRule::rceil, Divisor::largest, Rounding::up, false, "+1 if m >= 0x600001", "NVIDIA, Transformer Engine, cuDNN, torchao RCEIL, Triton ROUND_UP, JAX"},
    {ScaleRule::rfloor, Divisor::largest, Rounding::toward_zero, false, "-1 if m < 0x600000", "Triton ROUND_DOWN"},
    {ScaleRule::even, Divisor::largest_power, Rounding::toward_zero, true, "+1 if m >= 0x780000 (E5M2 0x700000)", "torchao EVEN, Quark even"},
    {ScaleRule::even_fbgemm, Divisor::half_ulp_below, Rounding::up, false, "+1 if m >= 0x780001 (E5M2 0x700001)", "FBGEMM even"},
    {ScaleRule::tosa, Divisor::overflow_tie, Rounding::up, false, "+1 if m >= 0x680001 (E5M2 0x700000)", "TOSA"},
    {ScaleRule::neuron, Divisor::half_power, Rounding::toward_zero, false, "+1", "AWS Neuron"},
    {ScaleRule::log_nearest, Divisor::largest, Rounding::nearest_log2, false, "-1 if m < 0x1E6455", "MLX"},
    {ScaleRule::log_nearest2, Divisor::largest_power, Rounding::nearest_log2, false, "+1 if m >= 0x3504F4", "FBGEMM nearest"},
    {ScaleRule::arith_nearest, Divisor::largest, Rounding::nearest_away, false, "-1 if m < 0x280000", "PyTorch's cast of amax / max"},
    {ScaleRule::p3109, Divisor::one, Rounding::nearest_even, false, "+emax, +1 if m > 0x400000, or m = 0x400000 and e even", "P3109"},
};
// clang-format on

} // namespace

std::span<const ScaleRuleInfo> all_scale_rules() { return rule_table; }

const ScaleRuleInfo& info(ScaleRule rule) {
    const auto* found = std::find_if(std::begin(rule_table), std::end(rule_table),
                                     [&](const ScaleRuleInfo& entry) { return entry.rule == rule; });
    if (found == std::end(rule_table)) throw std::out_of_range("no such scale rule");
    return *found;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/frames/run.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::suites {

/// The profiles that judge an operation.
[[nodiscard]] std::vector<const Profile*> judging(const Operation& operation);

/// What a profile permits a quantizer.
struct QuantizeRules {
    const Quantize* quantize = nullptr;
    const Profile* profile = nullptr;
    const PermitTable* scale = nullptr;
    const PermitTable* element = nullptr;
};

/// Every amax that the values of a block may have (K3, K4).
[[nodiscard]] std::set<Code> amaxes(const QuantizeRules& rules, std::span<const Code> values);
/// Whether the scale is one that the profile permits for one of these amaxes.
[[nodiscard]] bool permits_scale(const QuantizeRules& rules, const std::set<Code>& amaxes, Code scale);
/// Whether an element is one that it permits for a value under this scale. Under one that is NaN any is (MX 5.1).
[[nodiscard]] bool permits_element(const QuantizeRules& rules, Code scale, Code value, Code element);
/// The same of a dequantized value.
[[nodiscard]] bool permits_value(const PermitTable& permitted, Code scale, Code element, Code value);

/// What is wrong in one block, in words; the first thing.
struct BlockFault {
    std::uint64_t line = 0;
    std::uint64_t block = 0;
    std::string text; ///< "the scale is 80, not 82"; "lane 3 (40490FDB) is 7E, not 76, under the scale 7F"
};

/// Judges the blocks of a case: the scale is one that the profile permits for one of the amaxes it permits (K3, K4),
/// and each element one that it permits under that scale.
[[nodiscard]] std::vector<BlockFault> judge(const QuantizeRules& rules, const QuantizeCase& quantize_case,
                                            const std::vector<frames::Values>& outputs);

/// The same of the values of a dequantizer.
[[nodiscard]] std::vector<BlockFault> judge(const PermitTable& permitted, const DequantizeCase& dequantize_case,
                                            const std::vector<frames::Values>& outputs);

} // namespace mxcert::suites

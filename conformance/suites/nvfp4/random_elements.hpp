// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/nvfp4/random_plan.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// Asks a quantizer to NVFP4 that rounds at random for tensors of a RandomPlan, and judges how often each element came
/// (docs/stochastic.md): a sample. Scales, and elements that are no draws, must be right in every call. No profile
/// decides it: that field of the row, its id and its operation are the caller's.
[[nodiscard]] verdict::Row certify_random_elements(const SuiteRun& run);

/// What a verdict on draws says of blocks: draws that share random numbers within a block, a byte or from block to
/// block, and a place of the blocks that is wrong. Nothing if the name it has says all. `pairs`: neighbours share their
/// bits by right.
[[nodiscard]] std::optional<KnownFault> fault_of_blocks(const stochastic::Verdict& verdict, std::uint64_t block_size,
                                                        bool pairs);

/// All names that fault_of_blocks() gives.
[[nodiscard]] std::vector<KnownFault> faults_of_blocks();

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the drivers that the tests put in the place of NVIDIA's and AMD's have in common: memory is that of the process,
// kernels run on the processor, and products of tiles are those of the claimed accumulators. So all of a backend but
// its compiled kernels is tested where there is no device. What these drivers do is told by MXCERT_FAKE_DEVICE, parts
// with spaces between:
//
//     devices=N              how many there are; 1
//     architecture=NAME,...  of the first, the second ...: sm_90, gfx942; the last is that of all others
//     fail=CALL:CODE:AFTER   the call gives this error after it went well so often

#include <cstdint>
#include <string>

#include "conformance/backends/kernels/runtime.h"

namespace mxcert::test {

[[nodiscard]] int fake_devices();
[[nodiscard]] std::string fake_architecture(int device);

/// The device on which kernels run from now on.
void fake_use(int device);

/// The error that a call is to give; 0: none.
[[nodiscard]] int fake_error(const char* call);

/// What may go wrong with a launch.
enum class Launched : std::uint8_t { done, too_few_groups, no_such_instruction };

/// Runs a kernel. `arguments`: as a driver gets them, the arrays and the parameters.
[[nodiscard]] Launched fake_launch(kernels_number kernel, const std::uint32_t* groups, const std::uint32_t* group,
                                   void** arguments);

} // namespace mxcert::test

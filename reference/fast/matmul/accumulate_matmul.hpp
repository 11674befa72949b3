// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "reference/dot/accumulator.hpp"
#include "reference/fast/isa.hpp"
#include "reference/fast/matmul/buffers.hpp"

namespace mxcert::fast {

/// D = A B + C as an accumulator makes it, m x n codes of Accumulator::result in rows: for every element the bits of
/// accumulate(), for every Isa and number of threads, and whatever the rounding mode and flush flags of the thread.
/// `threads`: 1 or more. `done`: null, or called from several threads with the elements done since its last call.
/// Throws std::invalid_argument if the accumulator does not take the formats or the blocks of the scales, for an Isa
/// that the machine does not run, and what check() of a MatmulJob throws.
void matmul(const Accumulator& accumulator, const DotFormat& format, const MatmulShape& shape,
            const MatmulBuffers& operands, void* d, unsigned threads = 2, Isa isa = best_isa(),
            const std::function<void(std::uint64_t)>& done = {});

} // namespace mxcert::fast

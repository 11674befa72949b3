// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/fast/isa.hpp"
#include "reference/fast/matmul/buffers.hpp"

/// Exact matrix products by the fast model: every element the real number, rounded once.
namespace mxcert::fast {

/// Whether products of these formats take the quick way: no scales or E8M0, and elements whose products have at most 50
/// bits as integers (every pair of formats of eight bits and fewer but E5M2 x E5M2). Others go element by element.
[[nodiscard]] bool is_quick(const DotFormat& format);

/// D = A B + C, m x n codes of DotFormat::to in rows: the same bits for every Isa and number of threads, and whatever
/// the rounding mode and flush flags of the thread. `threads`: 1 or more. Throws as Dot does, and std::invalid_argument
/// for a stochastic rounding, for an Isa that the machine does not run, for a shape beyond largest_matrix, if a matrix
/// that is needed is null, and if D lies over another; std::out_of_range for a code wider than its format.
void matmul(const DotFormat& format, const Choices& choices, const MatmulShape& shape, const MatmulBuffers& operands,
            void* d, unsigned threads = 2, Isa isa = best_isa());

} // namespace mxcert::fast

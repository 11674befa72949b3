// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include "reference/dot/dot.hpp"
#include "reference/fast/codes.hpp"

// Matrices of a product in memory, and the threads that share the work.
namespace mxcert::fast {

/// The matrices of a product as MatmulShape says, native-endian codes of Format::bytes() each, without alignment. Null
/// where there is nothing: scales, c.
struct MatmulBuffers {
    const void* a = nullptr;
    const void* b = nullptr;
    const void* scales_a = nullptr;
    const void* scales_b = nullptr;
    const void* c = nullptr;
};

/// The code with number i of a buffer.
[[nodiscard]] inline Code load_at(const Format& format, const void* codes, std::size_t i) {
    const int bytes = format.bytes();
    return load(static_cast<const unsigned char*>(codes) + i * static_cast<std::size_t>(bytes), bytes);
}

/// One product: what all threads read, and the matrix that they write.
struct MatmulJob {
    const DotFormat& format;
    const MatmulShape& shape;
    const MatmulBuffers& operands;
    unsigned char* d;

    void store_d(std::size_t row, std::size_t column, Code code) const {
        const int bytes = format.to->bytes();
        store(d + (row * shape.n + column) * static_cast<std::size_t>(bytes), bytes, code);
    }
    [[nodiscard]] Code c_at(std::size_t row, std::size_t column) const {
        return format.c == nullptr ? 0 : load_at(*format.c, operands.c, row * shape.n + column);
    }
    /// Gathers the operands of d(row, column).
    void gather(std::size_t row, std::size_t column, DotLine& line) const;
};

/// Throws std::invalid_argument for a shape beyond largest_matrix, if a matrix that is needed is null, and if D lies
/// over another; std::out_of_range for a code wider than its format.
void check(const MatmulJob& job);

/// How many of `threads` a product is worth: one where there is little to do.
[[nodiscard]] inline unsigned threads_for(const MatmulShape& shape, unsigned threads) {
    constexpr std::size_t worth_a_thread = 1 << 18; // products
    return shape.m * shape.n * shape.k < worth_a_thread ? 1 : threads;
}

/// Runs share(first, step) on so many threads.
template <class Share> void in_threads(unsigned threads, Share share) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&share, i, threads] { share(i, threads); });
    share(0, threads);
}

} // namespace mxcert::fast

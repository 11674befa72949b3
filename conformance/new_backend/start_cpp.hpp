// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The start of a backend in C++: what surrounds the operation, and one part for each operation. @PLACES@ are filled in.
namespace mxcert::new_backend {

inline constexpr std::string_view start_cpp = R"(// @NAME@: a backend for mxcert. Fill in the places marked FILL IN.
//
// It builds and runs as it is, and fails. The rules are in docs/writing-a-backend.md of mxcert, the names in
// `mxcert formats` and `mxcert choices`.
#include "conformance/backend.hpp"

#include <cstddef>
#include <cstdint>

namespace {

@PART@
} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace mxcert::backend;
    // FILL IN: version of the code that is tested, what code it is, on what it runs; then what you offer, a line each.
    static Backend mine("@NAME@", "0.1", "the start of a backend, not filled in",
@FIELDS@);
    return mine.api(version);
}
)";

inline constexpr std::string_view start_cpp_convert =
    R"(// FILL IN: FP32 to E4M3, to nearest even, saturating. `x` has the bits of the FP32 value.
std::uint8_t fp32_to_e4m3(std::uint32_t x) {
    return static_cast<std::uint8_t>(x >> 24);
}
)";
inline constexpr std::string_view start_cpp_convert_fields = R"(                        {
                            {"fp32", "e4m3", "nearest_even", "sat", fp32_to_e4m3},
                            // BF16 is the upper half of FP32.
                            {"bf16", "e4m3", "nearest_even", "sat",
                             [](std::uint16_t x) { return fp32_to_e4m3(std::uint32_t{x} << 16); }},
                        })";

inline constexpr std::string_view start_cpp_quantize =
    R"(// FILL IN: a block of BF16 values, given by their bits, to E4M3 elements; returns the E8M0 scale. The last block of a
// row has fewer values if the row does not divide into blocks.
std::uint8_t quantize_block(const std::uint16_t* values, std::size_t count, std::uint8_t* elements) {
    for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<std::uint8_t>(values[i] >> 8);
    return static_cast<std::uint8_t>(values[0] >> 7);
}
)";
inline constexpr std::string_view start_cpp_quantize_fields = R"(                        {},
                        {quantizer("source=bf16 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even "
                                   "overflow=sat axis=row block=32",
                                   quantize_block)})";

inline constexpr std::string_view start_cpp_matmul =
    R"(// FILL IN: an element of D = A B, from a row of A and a column of B, both E4M3. As it is, codes are taken for numbers.
float dot_product(const std::uint8_t* a, const std::uint8_t* b, std::size_t b_step, std::size_t k) {
    float sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += static_cast<float>(a[i]) * static_cast<float>(b[i * b_step]);
    return sum;
}

// D = A B with A of m x k and B of k x n, in rows. FILL IN: your kernel may take the whole of it.
void multiply(const mxcert::backend::Run& run) {
    const std::size_t m = run.shape(0), n = run.shape(1), k = run.shape(2);
    const auto* a = run.input<std::uint8_t>(0);
    const auto* b = run.input<std::uint8_t>(1);
    auto* d = run.output<float>(0);
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t column = 0; column < n; ++column) *d++ = dot_product(a + row * k, b + column, n, k);
}
)";
inline constexpr std::string_view start_cpp_matmul_fields = R"(                        {},
                        // `mxcert accumulators` lists how sums may be rounded.
                        {{"matmul",
                          "a=e4m3 b=e4m3 scale=none block_a=none block_b=none transpose=nn c=none output=fp32 "
                          "accumulator=fp32_multiply_add order=given",
                          multiply}})";

} // namespace mxcert::new_backend

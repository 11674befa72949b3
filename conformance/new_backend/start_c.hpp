// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The start of a backend in C: what surrounds the operation, and one part for each operation. @PLACES@ are filled in.
namespace mxcert::new_backend {

inline constexpr std::string_view start_c = R"(/* @NAME@: a backend for mxcert. Fill in the places marked FILL IN.
 *
 * It builds and runs as it is, and fails. The rules are in docs/writing-a-backend.md of mxcert, the names in
 * `mxcert formats` and `mxcert choices`. */
#include "conformance/backend.h"

@PART@
static const mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .name = "@NAME@",
    .version = "0.1",                                    /* FILL IN: of the code that is tested */
    .description = "the start of a backend, not filled in", /* FILL IN: what code this is, on what it runs */
@FIELDS@};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL;
}
)";

inline constexpr std::string_view start_c_convert = R"(#include <string.h>

/* FILL IN: FP32 to E4M3, to nearest even, saturating. `x` has the bits of the FP32 value. */
static uint8_t fp32_to_e4m3(uint32_t x) {
    return (uint8_t)(x >> 24);
}

/* A batch of values. FILL IN: your kernel may take the whole of it. Nothing but `output` may be written. */
static int32_t convert(const mxcert_convert_args* args) {
    uint8_t* out = (uint8_t*)args->output;
    for (uint64_t i = 0; i < args->count; ++i) {
        uint32_t x = 0;
        if (args->conversion == 0) {
            memcpy(&x, (const char*)args->input + i * sizeof x, sizeof x);
        } else { /* BF16 is the upper half of FP32 */
            uint16_t half = 0;
            memcpy(&half, (const char*)args->input + i * sizeof half, sizeof half);
            x = (uint32_t)half << 16;
        }
        out[i] = fp32_to_e4m3(x);
    }
    return MXCERT_OK;
}

/* FILL IN: what you offer, a line each; args->conversion counts them from 0. */
static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "bf16", "e4m3", "nearest_even", "sat"},
};
)";
inline constexpr std::string_view start_c_convert_fields =
    R"(    .conversion_count = sizeof conversions / sizeof conversions[0],
    .conversions = conversions,
    .convert = convert,
)";

inline constexpr std::string_view start_c_quantize =
    R"(/* FILL IN: a block of BF16 values, given by their bits, to E4M3 elements; returns the E8M0 scale. The last block of a
 * row has fewer values if the row does not divide into blocks. */
static uint8_t quantize_block(const uint16_t* values, uint64_t count, uint8_t* elements) {
    for (uint64_t i = 0; i < count; ++i) elements[i] = (uint8_t)(values[i] >> 8);
    return (uint8_t)(values[0] >> 7);
}

/* A matrix in rows. FILL IN: your kernel may take the whole of it. Nothing but the outputs may be written. */
static int32_t run(const mxcert_run_args* args) {
    const uint64_t rows = args->shape[0], columns = args->shape[1], block = args->shape[2];
    const uint16_t* values = (const uint16_t*)args->inputs[0].data;
    uint8_t* elements = (uint8_t*)args->outputs[0].data;
    uint8_t* scales = (uint8_t*)args->outputs[1].data;
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t at = 0; at < columns; at += block) {
            const uint64_t count = columns - at < block ? columns - at : block;
            const uint64_t first = row * columns + at;
            *scales++ = quantize_block(values + first, count, elements + first);
        }
    }
    return MXCERT_OK;
}

/* FILL IN: what you offer, a line each, as docs/operations.md says; args->operation counts them from 0. */
static const mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "quantize",
     "source=bf16 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32"},
};
)";

inline constexpr std::string_view start_c_matmul =
    R"(/* FILL IN: an element of D = A B, from a row of A and a column of B, both E4M3. As it is, codes are taken for numbers. */
static float dot_product(const uint8_t* a, const uint8_t* b, uint64_t b_step, uint64_t k) {
    float sum = 0;
    for (uint64_t i = 0; i < k; ++i) sum += (float)a[i] * (float)b[i * b_step];
    return sum;
}

/* D = A B with A of m x k and B of k x n, in rows. FILL IN: your kernel may take the whole of it. */
static int32_t run(const mxcert_run_args* args) {
    const uint64_t m = args->shape[0], n = args->shape[1], k = args->shape[2];
    const uint8_t* a = (const uint8_t*)args->inputs[0].data;
    const uint8_t* b = (const uint8_t*)args->inputs[1].data;
    float* d = (float*)args->outputs[0].data;
    for (uint64_t row = 0; row < m; ++row)
        for (uint64_t column = 0; column < n; ++column) *d++ = dot_product(a + row * k, b + column, n, k);
    return MXCERT_OK;
}

/* FILL IN: what you offer, a line each, as docs/operations.md says; `mxcert accumulators` lists how sums may be rounded. */
static const mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "matmul",
     "a=e4m3 b=e4m3 scale=none block_a=none block_b=none transpose=nn c=none output=fp32 "
     "accumulator=fp32_multiply_add order=given"},
};
)";
inline constexpr std::string_view start_c_run_fields =
    R"(    .operation_count = sizeof operations / sizeof operations[0],
    .operations = operations,
    .run = run,
)";

} // namespace mxcert::new_backend

/* SPDX-License-Identifier: Apache-2.0
 * Elements of fewer than eight bits, several to a byte. What quantizes or dequantizes knows them one a byte; each row
 * is packed when it is done, or unpacked before. */
#include "operations.h"

#include <stdlib.h>

/* Which bit of a row is bit `k` of its element `i`; bytes are counted from their lowest bit. */
static uint64_t place_of(const portable_packed* e, uint64_t i, unsigned k) {
    if (e->order == PACKED_HALVES) {
        const uint64_t lane = i % e->block;
        const uint64_t half = e->block / 2;
        return (i - lane) * e->bits + lane % half * 8 + lane / half * e->bits + k;
    }
    if (e->order == PACKED_LOW_FIRST) return i * e->bits + k;
    const uint64_t from_top = i * e->bits + (e->bits - 1 - k);
    return from_top / 8 * 8 + (7 - from_top % 8);
}

static void pack_row(const portable_packed* e, const uint8_t* codes, uint64_t count, uint8_t* bytes, uint64_t size) {
    memset(bytes, 0, size);
    for (uint64_t i = 0; i < count; ++i)
        for (unsigned k = 0; k < e->bits; ++k) {
            const uint64_t at = place_of(e, i, k);
            bytes[at / 8] = (uint8_t)(bytes[at / 8] | (codes[i] >> k & 1u) << at % 8);
        }
}

static void unpack_row(const portable_packed* e, const uint8_t* bytes, uint64_t count, uint8_t* codes) {
    for (uint64_t i = 0; i < count; ++i) {
        unsigned code = 0;
        for (unsigned k = 0; k < e->bits; ++k) {
            const uint64_t at = place_of(e, i, k);
            code |= (bytes[at / 8] >> at % 8 & 1u) << k;
        }
        codes[i] = (uint8_t)code;
    }
}

int32_t portable_run_packed(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_packed* e = how;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (e->order == PACKED_HALVES && columns % e->block != 0)
        return portable_fail(MXCERT_UNSUPPORTED, "halves of a block need whole blocks", error);
    const uint64_t row_bytes = (columns * e->bits + 7) / 8;
    uint8_t* const codes = malloc(rows * columns);
    if (codes == NULL) return portable_fail(MXCERT_ERROR, "no memory for the elements", error);

    mxcert_array inputs[2];
    mxcert_array outputs[3];
    memcpy(inputs, args->inputs, args->input_count * sizeof *inputs);
    memcpy(outputs, args->outputs, args->output_count * sizeof *outputs);
    uint8_t* const bytes = e->of_input ? inputs[0].data : outputs[0].data;
    if (e->of_input)
        for (uint64_t row = 0; row < rows; ++row)
            unpack_row(e, bytes + row * row_bytes, columns, codes + row * columns);
    *(e->of_input ? &inputs[0].data : &outputs[0].data) = codes;
    mxcert_run_args of_codes = *args;
    of_codes.inputs = inputs;
    of_codes.outputs = outputs;
    const int32_t status = e->run(e->how, &of_codes, error);
    if (status == MXCERT_OK && !e->of_input)
        for (uint64_t row = 0; row < rows; ++row)
            pack_row(e, codes + row * columns, columns, bytes + row * row_bytes, row_bytes);
    free(codes);
    return status;
}

static uint8_t* unpacked(const portable_packed* e, const uint8_t* bytes, uint64_t rows, uint64_t columns) {
    const uint64_t row_bytes = (columns * e->bits + 7) / 8;
    uint8_t* const codes = malloc(rows * columns);
    if (codes == NULL) return NULL;
    for (uint64_t row = 0; row < rows; ++row) unpack_row(e, bytes + row * row_bytes, columns, codes + row * columns);
    return codes;
}

int32_t portable_run_packed_product(const void* how, const mxcert_run_args* args, const char** error) {
    enum { MOST_INPUTS = 8 };
    const portable_packed_product* by = how;
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    if (m == 0 || n == 0 || k == 0) return portable_fail(MXCERT_UNSUPPORTED, "a product without elements", error);
    if (args->input_count < 2 || args->input_count > MOST_INPUTS)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const portable_packed e = {by->order, by->bits, 0, 1, by->run, by->how};
    mxcert_array inputs[MOST_INPUTS];
    memcpy(inputs, args->inputs, args->input_count * sizeof *inputs);
    uint8_t* const a = unpacked(&e, inputs[0].data, m, k);
    uint8_t* const b = unpacked(&e, inputs[1].data, n, k);
    int32_t status = portable_fail(MXCERT_ERROR, "no memory for the elements", error);
    if (a != NULL && b != NULL) {
        inputs[0].data = a;
        inputs[1].data = b;
        mxcert_run_args of_codes = *args;
        of_codes.inputs = inputs;
        status = by->run(by->how, &of_codes, error);
    }
    free(a);
    free(b);
    return status;
}

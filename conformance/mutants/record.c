/* SPDX-License-Identifier: Apache-2.0
 * A plugin that is another one, MXCERT_RECORDED, and writes each call that it gets to the file MXCERT_CALLS, for
 * replay.c.
 *
 * A call: 'C' or 'R' in 8 bytes; the index; then of a conversion count, scale and bytes of a value, and the input; of
 * an operation the shape, the numbers of inputs and outputs, count and width of each array, and the inputs. Numbers
 * have 8 bytes in the machine's order. */
#include "conformance/mutants/calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const mxcert_api* original;
static mxcert_api api;
static FILE* calls;

static void put(uint64_t number) { fwrite(&number, sizeof number, 1, calls); }

/* Two workers may write: a call is in the file as a whole. */
static void begin_call(uint64_t what, uint64_t index) {
    if (calls == NULL) {
        const int file = open(getenv("MXCERT_CALLS"), O_WRONLY | O_APPEND | O_CREAT, 0666);
        calls = file >= 0 ? fdopen(file, "a") : NULL;
        if (calls == NULL) abort();
        setvbuf(calls, NULL, _IOFBF, LARGEST_CALL);
    }
    put(what);
    put(index);
}

static int32_t convert(const mxcert_convert_args* args) {
    const uint64_t bytes = bytes_of(original->conversions[args->conversion].source);
    begin_call(CONVERT, args->conversion);
    put(args->count);
    put(args->scale);
    put(bytes);
    fwrite(args->input, bytes, args->count, calls);
    fflush(calls);
    return original->convert(args);
}

static int32_t run(const mxcert_run_args* args) {
    begin_call(RUN, args->operation);
    for (int i = 0; i < 4; ++i) put(args->shape[i]);
    put(args->input_count);
    put(args->output_count);
    for (uint32_t i = 0; i < args->input_count + args->output_count; ++i) {
        const mxcert_array* array = i < args->input_count ? &args->inputs[i] : &args->outputs[i - args->input_count];
        put(array->count);
        put(array->width);
    }
    for (uint32_t i = 0; i < args->input_count; ++i)
        fwrite(args->inputs[i].data, args->inputs[i].width, args->inputs[i].count, calls);
    fflush(calls);
    return original->run(args);
}

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    void* library = dlopen(getenv("MXCERT_RECORDED"), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return NULL;
    const mxcert_api* (*get)(uint32_t) = (const mxcert_api* (*)(uint32_t))dlsym(library, "mxcert_get_api");
    original = get(host_abi_major);
    api = *original;
    if (api.convert != NULL) api.convert = convert;
    if (api.run != NULL) api.run = run;
    api.convert_range = NULL;
    return &api;
}

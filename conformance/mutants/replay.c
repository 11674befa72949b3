/* SPDX-License-Identifier: Apache-2.0
 * replay ALL.so CALLS: which mutants answer recorded calls as the original does. Those pass a level whose calls these are,
 * without a run of mxcert; of the others mxcert has to say whether what they answer is permitted.
 *
 * Standard input has a mutant a line, as MXCERT_MUTANT takes it; each is answered with a line: `same`, `different`, or
 * `ended` if it crashed or took more than 5 seconds. Exit code 2: a bad argument, or the original does not answer. */
#include "conformance/mutants/calls.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char* what, const char* which) {
    fprintf(stderr, "replay: %s: %s\n", what, which);
    exit(2);
}

typedef struct {
    const unsigned char* at;
    const unsigned char* end;
} reader;

static const void* take(reader* r, uint64_t bytes) {
    if (bytes > (uint64_t)(r->end - r->at)) fail("the calls", "end early");
    const void* taken = r->at;
    r->at += bytes;
    return taken;
}

static uint64_t number(reader* r) {
    uint64_t n;
    memcpy(&n, take(r, sizeof n), sizeof n);
    return n;
}

static void* aligned(uint64_t bytes) {
    void* memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (memory == NULL) fail("no memory", "for an array");
    return memory;
}

/* FNV-1a, by words of 64 bits and then by bytes. */
static uint64_t hashed(uint64_t hash, const void* data, uint64_t bytes) {
    const unsigned char* from = data;
    uint64_t i = 0;
    for (uint64_t word; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, from + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001B3);
        hash ^= hash >> 32;
    }
    for (; i < bytes; ++i) hash = (hash ^ from[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static uint64_t replay_convert(const mxcert_api* api, reader* r, uint64_t hash) {
    mxcert_convert_args args = {sizeof args, (uint32_t)number(r), 0, NULL, NULL, NULL, 0};
    args.count = number(r);
    args.scale = (uint32_t)number(r);
    const uint64_t bytes = number(r);
    const uint64_t out_bytes = bytes_of(api->conversions[args.conversion].target) * args.count;
    void* input = aligned(bytes * args.count);
    memcpy(input, take(r, bytes * args.count), bytes * args.count);
    args.input = input;
    args.output = aligned(out_bytes);
    memset(args.output, 0xA5, out_bytes);
    const int32_t status = api->convert(&args);
    hash = hashed(hashed(hash, &status, sizeof status), args.output, out_bytes);
    free(input);
    free(args.output);
    return hash;
}

static uint64_t replay_run(const mxcert_api* api, reader* r, uint64_t hash) {
    mxcert_array arrays[MOST_ARRAYS];
    mxcert_run_args args = {sizeof args, (uint32_t)number(r), {0, 0, 0, 0}, 0, 0, arrays, NULL};
    for (int i = 0; i < 4; ++i) args.shape[i] = number(r);
    args.input_count = (uint32_t)number(r);
    args.output_count = (uint32_t)number(r);
    const uint32_t all = args.input_count + args.output_count;
    if (all > MOST_ARRAYS) fail("the calls", "have too many arrays");
    args.outputs = arrays + args.input_count;
    for (uint32_t i = 0; i < all; ++i) {
        arrays[i].count = number(r);
        arrays[i].width = number(r);
        arrays[i].data = aligned(arrays[i].count * arrays[i].width);
        memset(arrays[i].data, 0xA5, arrays[i].count * arrays[i].width);
    }
    const void* inputs[MOST_ARRAYS];
    for (uint32_t i = 0; i < args.input_count; ++i) {
        const uint64_t bytes = arrays[i].count * arrays[i].width;
        inputs[i] = take(r, bytes);
        memcpy(arrays[i].data, inputs[i], bytes);
    }
    const int32_t status = api->run(&args);
    hash = hashed(hash, &status, sizeof status);
    for (uint32_t i = 0; i < all; ++i) {
        const uint64_t bytes = arrays[i].count * arrays[i].width;
        if (i >= args.input_count)
            hash = hashed(hash, arrays[i].data, bytes);
        else if (memcmp(arrays[i].data, inputs[i], bytes) != 0)
            hash = ~hash; /* an input was written */
        free(arrays[i].data);
    }
    return hash;
}

static uint64_t replay(const char* library, reader r) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) fail("cannot load", dlerror());
    const mxcert_api* (*get)(uint32_t) = (const mxcert_api* (*)(uint32_t))dlsym(handle, "mxcert_get_api");
    const mxcert_api* api = get != NULL ? get(MXCERT_ABI_MAJOR) : NULL;
    if (api == NULL || (api->open != NULL && api->open("") != MXCERT_OK)) fail("no backend", library);
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    while (r.at != r.end) {
        const uint64_t what = number(&r);
        if (what != CONVERT && what != RUN) fail("the calls", "are none");
        hash = what == CONVERT ? replay_convert(api, &r, hash) : replay_run(api, &r, hash);
    }
    return hash;
}

/* In a process of its own. Whether it ended with a hash. */
static int replay_apart(const char* library, reader r, const char* mutant, uint64_t* hash) {
    int ends[2];
    if (pipe(ends) != 0) fail("no pipe", "");
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) fail("no process", "");
    if (child == 0) {
        if (mutant != NULL) setenv("MXCERT_MUTANT", mutant, 1);
        alarm(5);
        const uint64_t made = replay(library, r);
        _exit(write(ends[1], &made, sizeof made) == (ssize_t)sizeof made ? 0 : 1);
    }
    close(ends[1]);
    const int is_whole = read(ends[0], hash, sizeof *hash) == (ssize_t)sizeof *hash;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return is_whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char** argv) {
    if (argc != 3) fail("usage", "replay ALL.so CALLS < MUTANTS");
    FILE* file = fopen(argv[2], "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail("cannot read", argv[2]);
    const long size = ftell(file);
    rewind(file);
    unsigned char* calls = malloc((size_t)size + 1);
    if (calls == NULL || fread(calls, 1, (size_t)size, file) != (size_t)size || size == 0) fail("no calls", argv[2]);
    const reader r = {calls, calls + size};
    uint64_t original, hash;
    if (!replay_apart(argv[1], r, NULL, &original)) fail("the original does not answer", argv[1]);
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const int is_whole = replay_apart(argv[1], r, line, &hash);
        puts(!is_whole ? "ended" : hash == original ? "same" : "different");
        fflush(stdout);
    }
    free(calls);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * replay ALL.so CALLS: which mutants answer recorded calls as the original does. Those pass a level whose calls these
 * are, without a run of mxcert; of the others mxcert has to say whether what they answer is permitted.
 *
 * Standard input has a mutant a line, as MXCERT_MUTANT takes it; each is answered with a line: `same`, `different`, or
 * `ended` if it crashed or took more than 20 seconds. Exit code 2: a bad argument, or the original does not answer. */
#include "conformance/mutants/calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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

/* An array of so many bytes, all POISON, and a guard behind it, whose bytes differ: a copy of some from one array to
 * another shows. */
enum { POISON = 0xA5, GUARD = 64 };
static void* aligned(uint64_t bytes) {
    unsigned char* memory = aligned_alloc(64, (bytes + GUARD + 63) / 64 * 64);
    if (memory == NULL) fail("no memory", "for an array");
    memset(memory, POISON, bytes);
    for (int i = 0; i < GUARD; ++i) memory[bytes + (uint64_t)i] = (unsigned char)(POISON + i);
    return memory;
}

/* Frees an array. Whether nothing was written behind it: mxcert would fail that. */
static int released(void* memory, uint64_t bytes) {
    const unsigned char* guard = (const unsigned char*)memory + bytes;
    int intact = 1;
    for (int i = 0; i < GUARD; ++i) intact = intact && guard[i] == (unsigned char)(POISON + i);
    free(memory);
    return intact;
}

/* What the original answered, in the order of the calls. While `is_original` it is written, later compared with. */
typedef struct {
    unsigned char* at;
    const unsigned char* end;
    int is_original;
} answers;

/* Takes the next answer; whether it is that of the original. */
static int agrees(answers* a, const void* data, uint64_t bytes) {
    if (bytes > (uint64_t)(a->end - a->at)) fail("too many answers", "");
    const int same = a->is_original || memcmp(a->at, data, bytes) == 0;
    if (a->is_original) memcpy(a->at, data, bytes);
    a->at += bytes;
    return same;
}

static int replay_convert(const mxcert_api* api, reader* r, answers* a) {
    mxcert_convert_args args = {sizeof args, (uint32_t)number(r), 0, NULL, NULL, NULL, 0};
    args.count = number(r);
    args.scale = (uint32_t)number(r);
    const uint64_t bytes = number(r);
    const uint64_t out_bytes = bytes_of(api->conversions[args.conversion].target) * args.count;
    void* input = aligned(bytes * args.count);
    memcpy(input, take(r, bytes * args.count), bytes * args.count);
    args.input = input;
    args.output = aligned(out_bytes);
    const int32_t status = api->convert(&args);
    const int same = agrees(a, &status, sizeof status) && agrees(a, args.output, out_bytes);
    const int intact = released(input, bytes * args.count) & released(args.output, out_bytes);
    return same && intact;
}

static int replay_run(const mxcert_api* api, reader* r, answers* a) {
    mxcert_array arrays[MOST_ARRAYS];
    const void* inputs[MOST_ARRAYS];
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
    }
    for (uint32_t i = 0; i < args.input_count; ++i) {
        const uint64_t bytes = arrays[i].count * arrays[i].width;
        inputs[i] = take(r, bytes);
        memcpy(arrays[i].data, inputs[i], bytes);
    }
    const int32_t status = api->run(&args);
    int same = agrees(a, &status, sizeof status);
    for (uint32_t i = 0; i < all; ++i) {
        const uint64_t bytes = arrays[i].count * arrays[i].width;
        const int is_input = i < args.input_count;
        same = same && (is_input ? memcmp(arrays[i].data, inputs[i], bytes) == 0 : agrees(a, arrays[i].data, bytes));
        same &= released(arrays[i].data, bytes);
    }
    return same;
}

/* Whether the plugin answers as the original; it ends with the first answer that differs. */
static int replay(const char* library, reader r, answers a) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) fail("cannot load", dlerror());
    const mxcert_api* (*get)(uint32_t) = (const mxcert_api* (*)(uint32_t))dlsym(handle, "mxcert_get_api");
    const mxcert_api* api = get != NULL ? get(MXCERT_ABI_MAJOR) : NULL;
    if (api == NULL || (api->open != NULL && api->open("") != MXCERT_OK)) fail("no backend", library);
    while (r.at != r.end) {
        const uint64_t what = number(&r);
        if (what != CONVERT && what != RUN) fail("the calls", "are none");
        if (!(what == CONVERT ? replay_convert(api, &r, &a) : replay_run(api, &r, &a))) return 0;
    }
    return 1;
}

/* In a process of its own: 1 as the original, 0 not, -1 it ended. */
static int replay_apart(const char* library, reader r, answers a, const char* mutant) {
    enum { AS_ORIGINAL = 11, DIFFERENT = 12 };
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) fail("no process", "");
    if (child == 0) {
        if (mutant != NULL) setenv("MXCERT_MUTANT", mutant, 1);
        alarm(a.is_original ? 60 : 20);
        _exit(replay(library, r, a) ? AS_ORIGINAL : DIFFERENT);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return -1;
    return WEXITSTATUS(status) == AS_ORIGINAL ? 1 : WEXITSTATUS(status) == DIFFERENT ? 0 : -1;
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
    /* No value has more than 8 bytes of output for one of input, and each call has an input. */
    const size_t most = (size_t)size * 9;
    unsigned char* kept = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED) fail("no memory", "for the answers");
    answers a = {kept, kept + most, 1};
    if (replay_apart(argv[1], r, a, NULL) != 1) fail("the original does not answer", argv[1]);
    a.is_original = 0;
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const int as_original = replay_apart(argv[1], r, a, line);
        puts(as_original < 0 ? "ended" : as_original ? "same" : "different");
        fflush(stdout);
    }
    free(calls);
    return 0;
}

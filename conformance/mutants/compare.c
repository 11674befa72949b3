/* SPDX-License-Identifier: Apache-2.0
 * compare ORIGINAL.so MUTANT.so ROW [STEPS | probe]: where two plugins give different answers, without mxcert: what
 * judges the samples of mxcert must not rest on them.
 *
 * ROW is a conversion, SOURCE-TARGET-ROUNDING-OVERFLOW of a source of 16 or 32 bits. Inputs with at most two bits of
 * the fraction set, or at most two clear, come first: nearly all mutants that differ at all show there. If none
 * differs, every input follows. STEPS is what `compare --steps ORIGINAL.so ROW` printed, the last input and the code of
 * every step: all mutants are compared with the same answers, so they need be made once.
 *
 * Or ROW is a quantizer of FP32 along rows, as the attributes of the operation. Blocks of 1 to 32 random values with
 * NaN, Inf and subnormal ones among them; then every value from the amax down to 2^-25 of it, under scales of the low,
 * the middle and the high end; then every amax, in blocks of one value. It ends with the first of these three that
 * shows a difference.
 *
 * With `probe` only the first part of either is done, seconds instead of minutes.
 *
 * Prints up to 8 lines `ORIGINAL MUTANT FIRST-LAST`, or of a quantizer `ORIGINAL MUTANT WORDS @VALUE,...` with the
 * values of the block; then `inputs N` and `differ D`. Exit code: 0 the comparison was made, whatever it showed; 2 a
 * bad argument or a plugin that fails. */
#include "conformance/backend.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, LANES = 32, SHOWN = 8 };

typedef struct {
    const mxcert_api* api;
    uint32_t index; /* of the conversion or operation */
} plugin;

typedef struct {
    uint64_t inputs, differ;
    int shown;
} tally;

static _Noreturn void fail(const char* what, const char* which) {
    fprintf(stderr, "compare: %s: %s\n", what, which);
    exit(2);
}

static plugin open_plugin(const char* path, const char* row) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fail("cannot load", dlerror());
    const mxcert_api* (*get)(uint32_t) = (const mxcert_api* (*)(uint32_t))dlsym(library, "mxcert_get_api");
    const mxcert_api* api = get != NULL ? get(MXCERT_ABI_MAJOR) : NULL;
    if (api == NULL) fail("no backend", path);
    if (api->open != NULL && api->open("") != MXCERT_OK) fail("open() failed", path);
    for (uint32_t i = 0; i < api->conversion_count; ++i) {
        const mxcert_conversion* c = &api->conversions[i];
        char name[256];
        snprintf(name, sizeof name, "%s-%s-%s-%s", c->source, c->target, c->rounding, c->overflow);
        if (c->random_bits == 0 && strcmp(name, row) == 0) return (plugin){api, i};
    }
    for (uint32_t i = 0; i < api->operation_count; ++i)
        if (strcmp(api->operations[i].attributes, row) == 0) return (plugin){api, i};
    fail("is not offered", row);
}

/* CONVERSIONS */

static void convert(plugin p, const void* in, void* out, uint64_t count) {
    mxcert_convert_args args = {sizeof args, p.index, count, in, NULL, out, 0};
    if (p.api->convert(&args) != MXCERT_OK) fail("convert() failed", p.api->name);
}

/* Answers in ranges: the inputs from `first` on that have this pair of answers. */
static void end_range(tally* t, uint64_t first, uint64_t last, unsigned original, unsigned mutant) {
    if (t->shown++ < SHOWN) printf("0x%02X 0x%02X %08" PRIX64 "-%08" PRIX64 "\n", original, mutant, first, last);
}

/* The answers of the original: of the plugin, or of its steps, in ascending order of their last inputs. */
typedef struct {
    plugin from;
    FILE* steps; /* NULL: from the plugin */
    uint64_t last;
    unsigned code;
    int is_read; /* whether there is a step */
} source;

static source open_source(plugin from, const char* path) {
    FILE* steps = path != NULL ? fopen(path, "r") : NULL;
    if (path != NULL && steps == NULL) fail("cannot read", path);
    return (source){from, steps, 0, 0, 0};
}

static void answers_of(source* s, uint64_t base, const void* inputs, uint8_t* answers) {
    if (s->steps == NULL) {
        convert(s->from, inputs, answers, CHUNK);
        return;
    }
    for (uint64_t i = 0; i < CHUNK;) {
        if (!s->is_read || s->last < base + i) {
            if (fscanf(s->steps, "%" SCNx64 " %x", &s->last, &s->code) != 2) fail("the steps", "end early");
            if (s->last < base + i) fail("the steps", "do not ascend");
            s->is_read = 1;
        }
        const uint64_t end = s->last - base < CHUNK - 1 ? s->last - base + 1 : CHUNK;
        memset(answers + i, (int)s->code, end - i);
        i = end;
    }
}

static void print_steps(plugin p, unsigned bytes) {
    static uint32_t in[CHUNK];
    static uint16_t narrow[CHUNK];
    static uint8_t answers[CHUNK];
    const uint64_t all = bytes == 4 ? UINT64_C(1) << 32 : UINT64_C(1) << 16;
    unsigned code = 0;
    for (uint64_t base = 0; base < all; base += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; ++i) in[i] = (uint32_t)base + i;
        for (uint32_t i = 0; i < CHUNK && bytes == 2; ++i) narrow[i] = (uint16_t)in[i];
        convert(p, bytes == 4 ? (const void*)in : (const void*)narrow, answers, CHUNK);
        for (uint64_t i = 0; i < CHUNK; ++i) {
            if (base + i != 0 && answers[i] != code) printf("%" PRIx64 " %x\n", base + i - 1, code);
            code = answers[i];
        }
    }
    printf("%" PRIx64 " %x\n", all - 1, code);
}

/* Fractions with up to two bits set and up to two clear, under every sign and exponent. */
static void compare_probes(plugin original, plugin mutant, tally* t) {
    enum { PROBES = 24 * 25 };
    static uint32_t in[PROBES];
    static uint8_t answers[2][PROBES];
    for (uint32_t top = 0; top < 512; ++top) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < 24; ++i) {
            for (uint32_t j = i < 23 ? i + 1 : 23; j < 24; ++j) {
                /* Bit 23 stands for no bit: (i, 23) is one bit alone, (23, 23) none. */
                const uint32_t fraction = ((1u << i) | (1u << j)) & 0x7FFFFFu;
                in[n++] = top << 23 | fraction;
                in[n++] = top << 23 | (fraction ^ 0x7FFFFFu);
            }
        }
        convert(original, in, answers[0], n);
        convert(mutant, in, answers[1], n);
        t->inputs += n;
        for (uint32_t i = 0; i < n; ++i) {
            if (answers[0][i] == answers[1][i]) continue;
            t->differ += 1;
            end_range(t, in[i], in[i], answers[0][i], answers[1][i]);
        }
    }
}

static tally compare_conversion(source original, plugin mutant, unsigned bytes, int is_probe) {
    static uint32_t in[CHUNK];
    static uint16_t narrow[CHUNK];
    static uint8_t answers[2][CHUNK];
    tally t = {0, 0, 0};
    if (bytes == 4) compare_probes(original.from, mutant, &t);
    if (t.differ != 0 || (is_probe && bytes == 4)) return t;
    t.inputs = 0;
    const uint64_t all = bytes == 4 ? UINT64_C(1) << 32 : UINT64_C(1) << 16;
    uint64_t first = 0;
    int open = -1; /* the pair of answers of the range that has not ended */
    for (uint64_t base = 0; base < all; base += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; ++i) in[i] = (uint32_t)base + i;
        for (uint32_t i = 0; i < CHUNK && bytes == 2; ++i) narrow[i] = (uint16_t)in[i];
        const void* inputs = bytes == 4 ? (const void*)in : (const void*)narrow;
        answers_of(&original, base, inputs, answers[0]);
        convert(mutant, inputs, answers[1], CHUNK);
        t.inputs += CHUNK;
        if (open < 0 && memcmp(answers[0], answers[1], CHUNK) == 0) continue;
        for (uint32_t i = 0; i < CHUNK; ++i) {
            const int pair = answers[0][i] == answers[1][i] ? -1 : answers[0][i] << 8 | answers[1][i];
            t.differ += pair >= 0;
            if (pair == open) continue;
            if (open >= 0) end_range(&t, first, base + i - 1, (unsigned)open >> 8, (unsigned)open & 0xFFu);
            first = base + i;
            open = pair;
        }
    }
    if (open >= 0) end_range(&t, first, all - 1, (unsigned)open >> 8, (unsigned)open & 0xFFu);
    return t;
}

/* QUANTIZERS */

static uint64_t random_state = 1;
static uint32_t random_word(void) { /* SplitMix64 */
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

static void quantize(plugin p, uint32_t* values, uint64_t rows, uint64_t columns, uint8_t* elements, uint8_t* scales) {
    const mxcert_array in = {values, rows * columns, 4, 0};
    const mxcert_array out[2] = {{elements, rows * columns, 1, 0}, {scales, rows, 1, 0}};
    const mxcert_run_args args = {sizeof args, p.index, {rows, columns, LANES, 0}, 1, 2, &in, out};
    if (p.api->run(&args) != MXCERT_OK) fail("run() failed", p.api->name);
}

static void show_block(const uint32_t* block, uint64_t columns) {
    for (uint64_t i = 0; i < columns; ++i) printf("%s%08" PRIX32, i == 0 ? " @" : ",", block[i]);
    printf("\n");
}

/* `rows` blocks of `columns` values, at most 32: those that differ are counted, and the first ones shown. */
static void compare_blocks(plugin original, plugin mutant, uint32_t* values, uint64_t rows, uint64_t columns,
                           tally* t) {
    static _Alignas(64) uint8_t elements[2][CHUNK];
    static _Alignas(64) uint8_t scales[2][CHUNK];
    quantize(original, values, rows, columns, elements[0], scales[0]);
    quantize(mutant, values, rows, columns, elements[1], scales[1]);
    t->inputs += rows * columns;
    if (memcmp(scales[0], scales[1], rows) == 0 && memcmp(elements[0], elements[1], rows * columns) == 0) return;
    for (uint64_t r = 0; r < rows; ++r) {
        const uint32_t* block = values + r * columns;
        uint32_t amax = 0;
        for (uint64_t i = 0; i < columns; ++i) {
            const uint32_t magnitude = block[i] & 0x7FFFFFFFu;
            if (magnitude <= 0x7F800000u && magnitude > amax) amax = magnitude;
        }
        int differs = scales[0][r] != scales[1][r];
        if (differs && t->shown++ < SHOWN) {
            printf("0x%02X 0x%02X scale of amax 0x%08" PRIX32, scales[0][r], scales[1][r], amax);
            show_block(block, columns);
        }
        t->differ += (uint64_t)differs;
        for (uint64_t i = 0; i < columns; ++i) {
            const uint64_t at = r * columns + i;
            if (elements[0][at] == elements[1][at]) continue;
            t->differ += 1;
            if (differs || t->shown++ >= SHOWN) continue;
            differs = 1; /* one line a block */
            printf("0x%02X 0x%02X element of 0x%08" PRIX32 " under scale 0x%02X, amax 0x%08" PRIX32 ", lane %" PRIu64,
                   elements[0][at], elements[1][at], block[i], scales[0][r], amax, i);
            show_block(block, columns);
        }
    }
}

static void compare_random_blocks(plugin original, plugin mutant, uint32_t* values, tally* t) {
    static const uint32_t special[] = {0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu,
                                       0u,          1u,          0x007FFFFFu, 0x7F7FFFFFu};
    for (int n = 0; n < 1 << 7; ++n) {
        const uint64_t columns = n % 2 == 0 ? LANES : 1 + random_word() % LANES;
        for (uint64_t r = 0; r < CHUNK / LANES; ++r) {
            const uint32_t top = random_word() % 255u;
            for (uint64_t i = 0; i < columns; ++i) {
                const uint32_t below = random_word() % 24u;
                const uint32_t word = random_word();
                const uint32_t field = top > below ? top - below : 0;
                values[r * columns + i] = random_word() % 200u == 0 ? special[word >> 28 & 7u] | (word & 0x80000000u)
                                                                    : (word & 0x807FFFFFu) | field << 23;
            }
        }
        compare_blocks(original, mutant, values, CHUNK / LANES, columns, t);
    }
}

/* Every value under a scale, of which lane 0 has the amax. */
static void compare_values(plugin original, plugin mutant, uint32_t* values, tally* t) {
    static const uint32_t fields[] = {0, 1, 2, 8, 9, 10, 33, 127, 200, 254};
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; ++f) {
        const uint32_t amax = fields[f] << 23 | 0x007FFFFFu;
        uint32_t value = fields[f] > 25 ? (fields[f] - 25) << 23 : 0;
        while (value <= amax) {
            for (uint32_t i = 0; i < CHUNK; ++i) {
                const uint32_t sign = (i ^ i >> 5 ^ value) << 31;
                values[i] = i % LANES == 0 || value > amax ? amax : sign | value++;
            }
            compare_blocks(original, mutant, values, CHUNK / LANES, LANES, t);
        }
    }
}

/* Every magnitude as an amax, of either sign in turn. */
static void compare_amaxes(plugin original, plugin mutant, uint32_t* values, tally* t) {
    for (uint64_t base = 0; base < UINT64_C(1) << 31; base += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; ++i) values[i] = ((uint32_t)base + i) | (i ^ i >> 4 ^ i >> 9) << 31;
        compare_blocks(original, mutant, values, CHUNK, 1, t);
    }
}

static tally compare_quantizer(plugin original, plugin mutant, int is_probe) {
    static _Alignas(64) uint32_t values[CHUNK];
    tally t = {0, 0, 0};
    compare_random_blocks(original, mutant, values, &t);
    if (t.differ == 0 && !is_probe) compare_values(original, mutant, values, &t);
    if (t.differ == 0 && !is_probe) compare_amaxes(original, mutant, values, &t);
    return t;
}

/* Bytes of an input of a conversion. */
static unsigned bytes_of(const char* row) {
    if (strncmp(row, "fp32-", 5) == 0 || strncmp(row, "amax_fp32-", 10) == 0) return 4;
    if (strncmp(row, "fp16-", 5) == 0 || strncmp(row, "bf16-", 5) == 0) return 2;
    fail("only sources of FP32, FP16 and BF16", row);
}

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        fprintf(
            stderr,
            "usage: compare ORIGINAL.so MUTANT.so ROW [STEPS | probe]\n       compare --steps PLUGIN.so CONVERSION\n");
        return 2;
    }
    const plugin mutant = open_plugin(argv[2], argv[3]);
    if (strcmp(argv[1], "--steps") == 0) {
        print_steps(mutant, bytes_of(argv[3]));
        return 0;
    }
    const plugin original = open_plugin(argv[1], argv[3]);
    const int is_probe = argc == 5 && strcmp(argv[4], "probe") == 0;
    tally t;
    if (strchr(argv[3], '=') != NULL) {
        if (strstr(argv[3], "source=fp32 ") == NULL || strstr(argv[3], "axis=row ") == NULL)
            fail("only quantizers of FP32 along rows", argv[3]);
        t = compare_quantizer(original, mutant, is_probe);
    } else {
        t = compare_conversion(open_source(original, is_probe ? NULL : argv[4]), mutant, bytes_of(argv[3]), is_probe);
    }
    printf("inputs %" PRIu64 "\ndiffer %" PRIu64 "\n", t.inputs, t.differ);
    return 0;
}

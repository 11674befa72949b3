/* SPDX-License-Identifier: Apache-2.0
 * The portable backend with a bug of time or place, which its option names: no table of inputs and outputs shows it, or
 * only one entry of it does. Without an option nothing is wrong.
 */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): its name */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance/backend.h"

/* mxcert_get_api() of the portable backend, which is built under this name here. */
const mxcert_api* misplaced_portable_api(uint32_t host_abi_major);

static const mxcert_api* portable;
static mxcert_api api;
static const char* fault = "";
static uint64_t calls;  /* before this one */
static uint64_t values; /* of the calls before this one */

typedef const mxcert_convert_args* Args;

static uint8_t* outputs(Args args) { return (uint8_t*)args->output; }

/* The lowest bit of the answer to this input, of any width that has it, is turned. */
static void turn(Args args, uint32_t input) {
    const int wide = strcmp(api.conversions[args->conversion].source, "fp32") == 0;
    for (uint64_t i = 0; i < args->count; ++i) {
        const uint32_t given = wide ? ((const uint32_t*)args->input)[i] : ((const uint16_t*)args->input)[i];
        if (given == input) outputs(args)[i] ^= 1u;
    }
}

static void one_fp16_input(Args args) { turn(args, 0x3C01); }
static void one_fp32_input(Args args) { turn(args, 0x3F880001); }
static void one_lane(Args args) {
    for (uint64_t i = 17; i < args->count; i += 32) outputs(args)[i] = outputs(args)[i - 1];
}
static void swap(uint8_t* a, uint8_t* b) {
    const uint8_t kept = *a;
    *a = *b;
    *b = kept;
}
/* Four answers are packed to a word from the other end. */
static void packed_from_the_end(Args args) {
    for (uint64_t i = 0; i + 3 < args->count; i += 4) {
        swap(&outputs(args)[i], &outputs(args)[i + 3]);
        swap(&outputs(args)[i + 1], &outputs(args)[i + 2]);
    }
}
/* Vectors of 16 values whose lane `to` has the answer of lane `from`. */
static void repeat_lane(Args args, uint64_t to, uint64_t from) {
    for (uint64_t i = 0; i + 16 <= args->count; i += 16) outputs(args)[i + to] = outputs(args)[i + from];
}
static void lane_15(Args args) { repeat_lane(args, 15, 14); }
static void lane_8(Args args) { repeat_lane(args, 8, 7); }
static void exchanged_lanes(Args args) {
    for (uint64_t i = 0; i + 16 <= args->count; i += 16) {
        const uint8_t third = outputs(args)[i + 2];
        outputs(args)[i + 2] = outputs(args)[i + 3];
        outputs(args)[i + 3] = third;
    }
}
/* Values behind the first 2^16 go another way, which knows no NaN, or no -0. */
static void large_nan(Args args) {
    for (uint64_t i = UINT64_C(1) << 16; i < args->count; ++i)
        if ((outputs(args)[i] & 0x7F) == 0x7F) outputs(args)[i] = 0;
}
static void large_zero(Args args) {
    for (uint64_t i = UINT64_C(1) << 16; i < args->count; ++i)
        if (outputs(args)[i] == 0x80) outputs(args)[i] = 0;
}
static void first_two(Args args) {
    for (uint64_t i = 2; i < args->count; ++i) outputs(args)[i] = outputs(args)[1];
}
/* One value in 2^bits, drawn, has the answer of the one before it. */
static void stale(Args args, unsigned bits) {
    static uint64_t state = 1;
    for (uint64_t i = 1; i < args->count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (state >> (64 - bits) == 0) outputs(args)[i] = outputs(args)[i - 1];
    }
}
static void stale_12(Args args) { stale(args, 12); }
static void stale_24(Args args) { stale(args, 24); }
/* The index of a value has 16 bits, or is an FP32 number. */
static void index_of_16_bits(Args args) {
    for (uint64_t i = 65536; i < args->count; ++i) outputs(args)[i] = outputs(args)[i - 65536];
}
static void index_of_vectors(Args args) {
    if (args->count % 16 == 0) index_of_16_bits(args);
}
static void index_in_fp32(Args args) {
    for (uint64_t i = (1u << 24) + 1; i < args->count; i += 2) outputs(args)[i] = outputs(args)[i - 1];
}
/* A grid of 4096 blocks of 256 threads is the largest that is started. */
static void grid_of_2_20(Args args) {
    if (args->count > 1u << 20) memset(outputs(args) + (1u << 20), 0xEE, args->count - (1u << 20));
}
/* Vectors of 16 values of which none is normal, or all overflow, have a path of their own, in which signs are lost or
 * subnormal numbers are. Magnitudes of 8-bit formats, from `first` to `last`. */
static void vectors_within(uint8_t* codes, uint64_t count, uint8_t first, uint8_t last, uint8_t kept) {
    for (uint64_t i = 0; i + 16 <= count; i += 16) {
        unsigned within = 0;
        for (unsigned lane = 0; lane < 16; ++lane) {
            const uint8_t magnitude = codes[i + lane] & 0x7Fu;
            within += magnitude >= first && magnitude <= last;
        }
        for (unsigned lane = 0; within == 16 && lane < 16; ++lane) codes[i + lane] &= kept;
    }
}
/* Vectors of 16 values of which the first half is zero are taken for zeros. */
static void half_zeros(Args args) {
    static const uint8_t zeros[8];
    for (uint64_t i = 0; i + 16 <= args->count; i += 16)
        if (memcmp(outputs(args) + i, zeros, sizeof zeros) == 0) memset(outputs(args) + i + 8, 0, 8);
}
static const char* const small_name = "16 small values at once are flushed";
static void zeros_at_once(Args args) { vectors_within(outputs(args), args->count, 0, 0, 0x7F); }
static void small_at_once(Args args) { vectors_within(outputs(args), args->count, 0, 7, 0x80); }
static void large_at_once(Args args) { vectors_within(outputs(args), args->count, 0x7E, 0x7F, 0x7F); }
/* The last values of a call, too few for a vector, are rounded half up. */
static void tail(Args args) {
    if (strcmp(api.conversions[args->conversion].source, "fp32") != 0) return;
    for (uint64_t i = args->count / 16 * 16; i < args->count; ++i) {
        const uint32_t given = ((const uint32_t*)args->input)[i];
        if ((given & 0xFFFFFu) == 0x80000u && given << 1 >= 0x7A000000u && given << 1 < 0x87000000u)
            outputs(args)[i] |= 1u;
    }
}
static const char* const upper_bits_name = "bits above those of the format";
/* What a register held before stays above the bits of a narrow answer. */
static void upper_bits(Args args) {
    for (uint64_t i = 0; i < args->count; ++i) outputs(args)[i] |= 0xC0u;
}
/* A pipeline whose last stage has the sign of the value behind it, or holds answers from the start. */
static void sign_of_the_next(Args args) {
    for (uint64_t i = 0; i + 1 < args->count; ++i)
        outputs(args)[i] = (uint8_t)((outputs(args)[i] & 0x7Fu) | (outputs(args)[i + 1] & 0x80u));
}
/* Two codes of 8 bits are read as one word, and one pair of them carries from the one into the other. */
static void one_pair(Args args) {
    const uint8_t* given = (const uint8_t*)args->input;
    for (uint64_t i = 1; i < args->count; i += 2)
        if (given[i - 1] == 0x35u && given[i] == 0xB6u) ((uint16_t*)args->output)[i] ^= 1u;
}
/* A mark that is not cleared, or that another lane has. */
static void nan_stays(Args args) {
    for (uint64_t i = 1; i < args->count; ++i)
        if ((outputs(args)[i - 1] & 0x7Fu) == 0x7Fu) outputs(args)[i] |= 0x7Fu;
}
static void overflow_of_lane_0(Args args) {
    if (strcmp(api.conversions[args->conversion].source, "fp32") != 0) return;
    const uint32_t* given = (const uint32_t*)args->input;
    for (uint64_t i = 0; i + 4 <= args->count; i += 4) {
        const int first = (given[i] & 0x7FFFFFFFu) > 0x43E80000u; /* 464 */
        const int own = (given[i + 3] & 0x7FFFFFFFu) > 0x43E80000u;
        if (first != own) outputs(args)[i + 3] = (uint8_t)((outputs(args)[i + 3] & 0x80u) | (first ? 0x7Eu : 0x38u));
    }
}
static void bit_of_lane_2(Args args) {
    for (uint64_t i = 2; i < args->count; i += 16) outputs(args)[i] ^= 1u;
}
static void two_places_late(Args args) {
    for (uint64_t i = args->count; i-- > 2;) outputs(args)[i] = outputs(args)[i - 2];
}
static void last_of_a_call(Args args) {
    if (args->count > 1) outputs(args)[args->count - 1] = outputs(args)[args->count - 2];
}
static void one_call_in_16(Args args) {
    if (calls % 16 == 15) outputs(args)[0] ^= 1u;
}
static void one_value_in_a_million(Args args) {
    static const uint64_t million = 1u << 20;
    for (uint64_t i = million - 1 - values % million; i < args->count; i += million)
        if ((outputs(args)[i] & 0x7Fu) < 2) outputs(args)[i] ^= 1u; /* what comes is no poison */
}
static void second_time(Args args) {
    static int asked; /* before */
    for (uint64_t i = 0; i < args->count; ++i)
        if (((const uint16_t*)args->input)[i] == 0x3C01 && asked++ != 0) outputs(args)[i] ^= 1u;
}
static void unaligned(Args args) {
    if ((uintptr_t)args->input % 16 != 0) outputs(args)[0] ^= 1u;
}
/* What a conversion leaves in the process: the process keeps the overflow of the first one that is asked, or a scale or
 * a register of the one before, which the first call of another conversion still has. */
static void overflow_of_the_first(Args args) {
    static const mxcert_conversion* first;
    const mxcert_conversion* own = &api.conversions[args->conversion];
    if (first == NULL) first = own;
    if (strcmp(first->overflow, own->overflow) == 0) return;
    for (uint64_t i = 0; i < args->count; ++i)
        if ((outputs(args)[i] & 0x7Fu) >= 0x7Eu) outputs(args)[i] ^= 1u;
}
static void left_by_the_other(Args args) {
    static uint32_t last;
    static int any;
    if (any && last != args->conversion) outputs(args)[0] ^= 1u;
    last = args->conversion;
    any = 1;
}
static void race(Args args) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_nsec / 64 % 4 != 0) outputs(args)[0] ^= 1u;
}

/* Random words that come from a wrong place: the words that the values of a call are rounded with. */
static void words_of_16_bits(uint32_t* words, Args args) {
    for (uint64_t i = 65536; i < args->count; ++i) words[i] = args->random[i & 0xFFFFu];
}
static void words_of_the_tail(uint32_t* words, Args args) {
    for (uint64_t i = args->count / 4 * 4; i < args->count; ++i) words[i] = args->random[0];
}
static void words_of_lanes_2_and_3(uint32_t* words, Args args) {
    for (uint64_t i = 0; i + 4 <= args->count; i += 4) {
        words[i + 2] = args->random[i + 3];
        words[i + 3] = args->random[i + 2];
    }
}
static void word_of_four(uint32_t* words, Args args) {
    for (uint64_t i = 0; i < args->count; ++i) words[i] = args->random[i / 4 * 4];
}
static void word_of_eight(uint32_t* words, Args args) {
    for (uint64_t i = 0; i < args->count; ++i) words[i] = args->random[i / 8 * 8];
}
static void word_of_short(uint32_t* words, Args args) {
    for (uint64_t i = 0; args->count <= 8 && i < args->count; ++i) words[i] = args->random[0];
}
static void last_word_of_odd(uint32_t* words, Args args) {
    if (args->count % 2 != 0) words[args->count - 1] = 0;
}

/* The same of the elements that a matrix is quantized to. */
static int32_t run(const mxcert_run_args* args) {
    const int32_t status = portable->run(args);
    const mxcert_operation* operation = &api.operations[args->operation];
    if (status != MXCERT_OK || strcmp(operation->name, "quantize") != 0) return status;
    uint8_t* elements = (uint8_t*)args->outputs[0].data;
    const uint64_t count = args->outputs[0].count;
    if (strcmp(fault, upper_bits_name) == 0 && strstr(operation->attributes, "element=e2m1") != NULL)
        for (uint64_t i = 0; i < count; ++i) elements[i] |= 0xC0u;
    if (strcmp(fault, small_name) == 0 && strstr(operation->attributes, "element=e4m3") != NULL)
        vectors_within(elements, count, 0, 7, 0x80);
    return status;
}

static const struct {
    const char* name;
    void (*misplace)(uint32_t* words, Args args);
} word_faults[] = {
    {"an index of 16 bits into the random words", words_of_16_bits},
    {"the first random word in a tail of 4", words_of_the_tail},
    {"random words of lanes 2 and 3 exchanged", words_of_lanes_2_and_3},
    {"a random word for 4 values", word_of_four},
    {"a random word for 8 values", word_of_eight},
    {"a random word for calls of up to 8 values", word_of_short},
    {"the last random word of an odd call is 0", last_word_of_odd},
};

static const struct {
    const char* name;
    void (*spoil)(Args args);
} faults[] = {
    {"one input of 2^16", one_fp16_input},
    {"one input of 2^32", one_fp32_input},
    {"one lane of 32", one_lane},
    {"bytes of a pack reversed", packed_from_the_end},
    {"the last value of a call", last_of_a_call},
    {"the sign of the next value", sign_of_the_next},
    {"two places late", two_places_late},
    {"one bit of lane 2 of 16", bit_of_lane_2},
    {"0x35 before 0xB6 in a word", one_pair},
    {"NaN stays to the end of a call", nan_stays},
    {"the overflow of lane 0 of 4 in lane 3", overflow_of_lane_0},
    {"one call in 16", one_call_in_16},
    {"one value in 2^20", one_value_in_a_million},
    {"only the second time", second_time},
    {"only unaligned arrays", unaligned},
    {"the overflow of the first conversion stays", overflow_of_the_first},
    {"a conversion spoils the next one", left_by_the_other},
    {"a race", race},
    {"lane 15 repeats lane 14", lane_15},
    {"lane 8 repeats lane 7", lane_8},
    {"lanes 2 and 3 exchanged", exchanged_lanes},
    {"two values of a call", first_two},
    {"one stale answer in 2^12", stale_12},
    {"one stale answer in 2^24", stale_24},
    {"an index of 16 bits", index_of_16_bits},
    {"an index of 16 bits of whole vectors", index_of_vectors},
    {"a NaN of large calls is zero", large_nan},
    {"a zero of large calls loses its sign", large_zero},
    {"an index in FP32", index_in_fp32},
    {"a grid of 2^20 values", grid_of_2_20},
    {"a tail that rounds half up", tail},
    {"16 zeros at once lose their signs", zeros_at_once},
    {"8 zeros taken for 16", half_zeros},
    {small_name, small_at_once},
    {"16 large values at once lose their signs", large_at_once},
    {upper_bits_name, upper_bits},
};

static int32_t open_misplaced(const char* options) {
    fault = "";
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i)
        if (strcmp(options, faults[i].name) == 0) fault = faults[i].name;
    for (size_t i = 0; i < sizeof word_faults / sizeof word_faults[0]; ++i)
        if (strcmp(options, word_faults[i].name) == 0) fault = word_faults[i].name;
    return options[0] == '\0' || fault[0] != '\0' ? MXCERT_OK : MXCERT_UNSUPPORTED;
}

/* A call with its words in the places of the fault. */
static int32_t convert_with_words(Args args, void (*misplace)(uint32_t* words, Args args)) {
    uint32_t* words = malloc(args->count * sizeof *words);
    if (words == NULL) return MXCERT_ERROR;
    memcpy(words, args->random, args->count * sizeof *words);
    misplace(words, args);
    mxcert_convert_args with_words = *args;
    with_words.random = words;
    const int32_t status = portable->convert(&with_words);
    free(words);
    return status;
}

static int32_t convert(Args args) {
    for (size_t i = 0; i < sizeof word_faults / sizeof word_faults[0]; ++i)
        if (word_faults[i].name == fault && args->random != NULL)
            return convert_with_words(args, word_faults[i].misplace);
    const int32_t status = portable->convert(args);
    if (status != MXCERT_OK) return status;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i)
        if (faults[i].name == fault) faults[i].spoil(args);
    ++calls;
    values += args->count;
    return status;
}

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    portable = misplaced_portable_api(host_abi_major);
    if (portable == NULL) return NULL;
    api = *portable;
    api.name = "misplaced";
    api.open = open_misplaced;
    api.convert = convert;
    api.run = run;
    return &api;
}

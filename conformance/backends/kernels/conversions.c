/* SPDX-License-Identifier: Apache-2.0
 * Conversions of single values. */
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t converter(const mxcert_convert_args* args, kernels_step step);

/* A conversion, and the step that makes it but for its length. */
typedef struct {
    converter* convert;
    uint32_t from_bytes;
    uint32_t to_bytes;
    uint8_t one;
    kernels_number instruction; /* that makes it; a kernel before those of instructions: there is none */
    kernels_step step;
} entry;

enum { MAXIMUM = 128, NAME_SIZE = 24 };
static entry entries[MAXIMUM];
static mxcert_conversion conversions[MAXIMUM];
static char names[MAXIMUM][2][NAME_SIZE];
static uint32_t entry_count;

/* A row more. A name is put together of three parts. */
static entry* add(const char* prefix, const char* source, const char* suffix, const char* target_prefix,
                  const char* target, const char* how, const char* overflow) {
    const uint32_t i = entry_count++;
    snprintf(names[i][0], NAME_SIZE, "%s%s%s", prefix, source, suffix);
    snprintf(names[i][1], NAME_SIZE, "%s%s", target_prefix, target);
    const mxcert_conversion c = {sizeof c, 0, names[i][0], names[i][1], how, overflow};
    memcpy(&conversions[i], &c, sizeof c);
    return &entries[i];
}

/* Length and arrays of a conversion: `values` and `scales` as they are given. */
static int32_t line(const mxcert_convert_args* args, kernels_step step, kernels_buffer values, kernels_buffer scales,
                    kernels_buffer result) {
    kernels_job job = {0};
    job.buffers[VALUES] = values;
    job.buffers[SCALES] = scales;
    job.buffers[RESULT] = result;
    job.step = step;
    job.step.what.size[0] = args->count;
    job.step.what.place.length = args->count;
    return kernels_this_runtime.run(&job);
}

static const kernels_buffer nothing = {NULL, 0, 0};

static kernels_buffer input(const mxcert_convert_args* args) {
    return kernels_in(args->input, args->count * entries[args->conversion].from_bytes);
}
static kernels_buffer output(const mxcert_convert_args* args) {
    return kernels_out(args->output, args->count * entries[args->conversion].to_bytes);
}

/* Values to elements. */
static int32_t plainly(const mxcert_convert_args* args, kernels_step step) {
    return line(args, step, input(args), nothing, output(args));
}

/* Values or elements with the scale of the batch; elements without one get that of 1. */
static int32_t with_scale(const mxcert_convert_args* args, kernels_step step) {
    const uint8_t scale = (uint8_t)args->scale;
    return line(args, step, input(args), kernels_in(&scale, 1), output(args));
}
static int32_t with_scale_of_1(const mxcert_convert_args* args, kernels_step step) {
    const uint8_t scale = SCALE_OF_1;
    return line(args, step, input(args), kernels_in(&scale, 1), output(args));
}

/* Scales times an element of 1. */
static int32_t times_1(const mxcert_convert_args* args, kernels_step step) {
    const uint8_t one = entries[args->conversion].one;
    return line(args, step, kernels_in(&one, 1), input(args), output(args));
}

/* Values to scales: those are the result. */
static int32_t to_scales(const mxcert_convert_args* args, kernels_step step) {
    return line(args, step, input(args), output(args), nothing);
}

static void set(entry* e, converter* convert, uint32_t from_bytes, uint32_t to_bytes, kernels_number kernel) {
    e->convert = convert;
    e->from_bytes = from_bytes;
    e->to_bytes = to_bytes;
    e->step = kernels_line(kernel, 1);
}

static void encoders(const named_format* from, const element_format* to) {
    for (int is_nearest = 1; is_nearest >= 0; --is_nearest) {
        for (int overflow = 0; overflow < OVERFLOW_COUNT; ++overflow) {
            entry* e = add("", from->name, "", "", to->format.name, is_nearest ? "nearest_even" : "toward_zero",
                           overflow_names[overflow]);
            set(e, plainly, from->bytes, 1, from->bytes == 4 ? KERNEL_encode_u32 : KERNEL_encode_u16);
            e->step.what.from = from->is;
            e->step.what.to = to->format.is;
            e->step.what.round = to_element(to, is_nearest, overflow);
            if (is_nearest) e->instruction = to->instructions[from - wide];
        }
    }
    for (int overflow = 0; overflow < OVERFLOW_COUNT; ++overflow) {
        entry* e = add("", from->name, "_by_e8m0", "", to->format.name, "nearest_even", overflow_names[overflow]);
        set(e, with_scale, from->bytes, 1, from->bytes == 4 ? KERNEL_encode_scaled_u32 : KERNEL_encode_scaled_u16);
        e->step.what.place.scale[0] = 0;
        e->step.what.from = from->is;
        e->step.what.to = to->format.is;
        e->step.what.round = to_element(to, 1, overflow);
    }
}

/* From FP32 to a format that only instructions give. */
static void by_instruction(const element_format* to) {
    for (int overflow = 0; overflow < OVERFLOW_COUNT; ++overflow) {
        entry* e = add("", wide[0].name, "", "", to->format.name, "nearest_even", overflow_names[overflow]);
        set(e, plainly, wide[0].bytes, 1, to->instructions[0]);
        e->step.what.from = wide[0].is;
        e->step.what.to = to->format.is;
        e->step.what.round = to_element(to, 1, overflow);
        e->instruction = to->instructions[0];
    }
}

static void decoder(entry* e, converter* convert, const element_format* from, const named_format* to) {
    set(e, convert, 1, to->bytes,
        to->bytes == 8   ? KERNEL_decode_u64
        : to->bytes == 4 ? KERNEL_decode_u32
                         : KERNEL_decode_u16);
    e->step.what.from = from->format.is;
    e->step.what.to = to->is;
    e->step.what.round = to_wide(to);
    e->one = from->one;
    if (convert == times_1)
        e->step.what.place.value[0] = 0;
    else
        e->step.what.place.scale[0] = 0;
}

/* The power of two of an amax, by a scale rule, or of any value, rounded. */
static void scale(entry* e, const named_format* from, rule by) {
    set(e, to_scales, from->bytes, 1, from->bytes == 4 ? KERNEL_scale_u32 : KERNEL_scale_u16);
    e->step.what.from = from->is;
    e->step.what.scale = by;
}

static void scales_of_amax(const named_format* from, const element_format* to) {
    for (int name = 0; name < RULE_COUNT; ++name) {
        /* NVIDIA's rule saturates. */
        for (int overflow = 0; overflow < (name == RCEIL ? 1 : OVERFLOW_COUNT); ++overflow) {
            entry* e = add("amax_", from->name, "", "e8m0_for_", to->format.name, kernels_rule_names[name],
                           overflow_names[overflow]);
            scale(e, from, kernels_rule(name, from, to, overflow, 1));
        }
    }
}

/* Roundings to a power of two, as thresholds that m has to exceed. */
static void powers_of_two(const named_format* from) {
    static const struct {
        const char* name;
        uint32_t threshold;
        int has_instruction;
    } roundings[] = {{"toward_zero", 0xFFFFFFu, 1}, {"up", 0, 1}, {"nearest_away", 0x3FFFFFu, 0}};
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; ++i) {
        for (int overflow = 0; overflow < OVERFLOW_COUNT; ++overflow) {
            const uint32_t beyond = overflow == SAT ? 0xFEu : 0xFFu;
            const rule by = {0, roundings[i].threshold, 0, beyond, beyond, from->is.magnitude};
            entry* e = add("", from->name, "", "", "e8m0", roundings[i].name, overflow_names[overflow]);
            scale(e, from, by);
            if (roundings[i].has_instruction && from != &wide[FP16])
                e->instruction = from == &wide[FP32] ? KERNEL_instruct_e8m0 : KERNEL_instruct_bf16_e8m0;
        }
    }
}

const mxcert_conversion* kernels_conversions(uint32_t* count) {
    entry_count = 0;
    for (int to = 0; to < ELEMENT_COUNT; ++to) {
        for (int from = 0; from < WIDE_COUNT; ++from) {
            encoders(&wide[from], &elements[to]);
            scales_of_amax(&wide[from], &elements[to]);
        }
    }
    for (int from = 0; from < WIDE_COUNT; ++from) powers_of_two(&wide[from]);
    for (int to = 0; to < TARGET_COUNT; ++to) {
        for (int from = 0; from < ELEMENT_COUNT; ++from) {
            const char* const name = elements[from].format.name;
            entry* e = add("", name, "", "", wide[to].name, "nearest_even", "nosat");
            decoder(e, with_scale_of_1, &elements[from], &wide[to]);
            if (to == FP16) e->instruction = elements[from].to_fp16;
            decoder(add("", name, "_times_e8m0", "", wide[to].name, "nearest_even", "nosat"), with_scale,
                    &elements[from], &wide[to]);
        }
        entry* e = add("", "e8m0", "", "", wide[to].name, "nearest_even", "nosat");
        decoder(e, times_1, &elements[0], &wide[to]);
        if (to == BF16) e->instruction = KERNEL_instruct_e8m0_bf16;
    }
    for (int to = 0; to < ELEMENT_COUNT && kernels_this_runtime.has_fnuz; ++to) by_instruction(&fnuz[to]);
    *count = entry_count;
    return conversions;
}

/* The step of a conversion, by a kernel or by an instruction. */
static int32_t choose(uint32_t conversion, kernels_step* step) {
    if (conversion >= entry_count) return kernels_fail(MXCERT_ERROR, "there is no conversion %u", conversion);
    const entry* e = &entries[conversion];
    *step = e->step;
    if (kernels_this_runtime.instructs == NULL || !kernels_this_runtime.instructs()) return MXCERT_OK;
    if (e->instruction < KERNEL_COUNT || e->instruction >= kernels_this_runtime.instructions_end)
        return kernels_fail(MXCERT_UNSUPPORTED, "there is no instruction for this conversion");
    step->kernel = e->instruction;
    return MXCERT_OK;
}

int32_t kernels_convert(const mxcert_convert_args* args) {
    kernels_step step;
    const int32_t status = choose(args->conversion, &step);
    return status == MXCERT_OK ? entries[args->conversion].convert(args, step) : status;
}

/* How many steps a kernel found, and where they end: what there is room for. */
enum { MOST_STEPS = 4096 };
static uint32_t found_count;
static found_step found[MOST_STEPS];

/* The kernel that makes a range of what another one makes of values; 0: there is none. */
static const kernels_number steps_of[ALL_KERNELS] = {
    [KERNEL_encode_u32] = KERNEL_steps_encode,
    [KERNEL_encode_u16] = KERNEL_steps_encode,
    [KERNEL_encode_scaled_u32] = KERNEL_steps_encode_scaled,
    [KERNEL_encode_scaled_u16] = KERNEL_steps_encode_scaled,
    [KERNEL_scale_u32] = KERNEL_steps_scale,
    [KERNEL_scale_u16] = KERNEL_steps_scale,
    [KERNEL_instruct_e4m3] = KERNEL_steps_instruct_e4m3,
    [KERNEL_instruct_e5m2] = KERNEL_steps_instruct_e5m2,
    [KERNEL_instruct_fp16_e4m3] = KERNEL_steps_instruct_fp16_e4m3,
    [KERNEL_instruct_fp16_e5m2] = KERNEL_steps_instruct_fp16_e5m2,
    [KERNEL_instruct_bf16_e4m3] = KERNEL_steps_instruct_bf16_e4m3,
    [KERNEL_instruct_bf16_e5m2] = KERNEL_steps_instruct_bf16_e5m2,
    [KERNEL_instruct_e8m0] = KERNEL_steps_instruct_e8m0,
    [KERNEL_instruct_bf16_e8m0] = KERNEL_steps_instruct_bf16_e8m0,
};

static int by_place(const void* a, const void* b) {
    const uint32_t x = ((const found_step*)a)->place;
    const uint32_t y = ((const found_step*)b)->place;
    return x < y ? -1 : x > y;
}

int32_t kernels_convert_range(const mxcert_range_args* args) {
    kernels_step step;
    const int32_t chosen = choose(args->conversion, &step);
    if (chosen != MXCERT_OK) return chosen;
    const entry* e = &entries[args->conversion];
    const kernels_number kernel = steps_of[step.kernel];
    if (kernel == 0 || args->count > UINT32_MAX)
        return kernels_fail(MXCERT_UNSUPPORTED, "ranges are made of 16 and 32 bits, to elements and scales");
    const uint8_t scale = (uint8_t)args->scale;
    kernels_job job = {0};
    if (e->convert == with_scale) job.buffers[SCALES] = kernels_in(&scale, 1);
    found_count = 0;
    job.buffers[RIGHT] = kernels_out(&found_count, sizeof found_count);
    job.buffers[ADDED] = kernels_out(found, sizeof found);
    job.step = step;
    job.step.kernel = kernel;
    job.step.what.size[0] = (args->count + CODES_AT_ONCE - 1) / CODES_AT_ONCE;
    job.step.what.place.length = args->count;
    job.step.what.range.first = (uint32_t)args->first;
    job.step.what.range.capacity = MOST_STEPS;
    const int32_t status = kernels_this_runtime.run(&job);
    if (status != MXCERT_OK) return status;
    if (found_count > MOST_STEPS) return kernels_fail(MXCERT_UNSUPPORTED, "more than %d steps", MOST_STEPS);
    *args->step_count = found_count;
    if (found_count > args->capacity) return MXCERT_OK;
    qsort(found, found_count, sizeof found[0], by_place);
    for (uint32_t i = 0; i < found_count; ++i) {
        args->steps[i].last = args->first + found[i].place;
        args->steps[i].code = found[i].code;
    }
    return MXCERT_OK;
}

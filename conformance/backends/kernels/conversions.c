/* SPDX-License-Identifier: Apache-2.0
 * Conversions of single values. */
#include "shell.h"

#include <stdio.h>
#include <string.h>

typedef int32_t converter(const mxcert_convert_args* args, kernels_step step);

/* A conversion, and the step that makes it but for its length. */
typedef struct {
    converter* convert;
    uint32_t from_bytes;
    uint32_t to_bytes;
    uint8_t one;
    int has_instruction;
    kernels_number instruction; /* that makes it, if there is one */
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
    job.step_count = 1;
    job.steps[0] = step;
    job.steps[0].what.size[0] = args->count;
    job.steps[0].what.place.length = args->count;
    return kernels_this_runtime.run(&job);
}

static const kernels_buffer nothing = {NULL, 0, 0, 0};

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
            e->has_instruction = is_nearest && from->bytes == 4;
            e->instruction = to->instruction;
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
        set(e, plainly, wide[0].bytes, 1, to->instruction);
        e->step.what.from = wide[0].is;
        e->step.what.to = to->format.is;
        e->step.what.round = to_element(to, 1, overflow);
        e->has_instruction = 1;
        e->instruction = to->instruction;
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
            entry* e = add("amax_", from->name, "", "scale_", to->format.name, kernels_rule_names[name],
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
    } roundings[] = {{"toward_zero", 0xFFFFFFu}, {"up", 0}, {"nearest_away", 0x3FFFFFu}};
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; ++i) {
        for (int overflow = 0; overflow < OVERFLOW_COUNT; ++overflow) {
            const uint32_t beyond = overflow == SAT ? 0xFEu : 0xFFu;
            const rule by = {0, roundings[i].threshold, 0, beyond, beyond, from->is.magnitude};
            scale(add("", from->name, "", "", "e8m0", roundings[i].name, overflow_names[overflow]), from, by);
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
            decoder(add("", name, "", "", wide[to].name, "nearest_even", "nosat"), with_scale_of_1, &elements[from],
                    &wide[to]);
            decoder(add("", name, "_times_e8m0", "", wide[to].name, "nearest_even", "nosat"), with_scale,
                    &elements[from], &wide[to]);
        }
        decoder(add("", "e8m0", "", "", wide[to].name, "nearest_even", "nosat"), times_1, &elements[0], &wide[to]);
    }
    for (int to = 0; to < ELEMENT_COUNT && kernels_this_runtime.has_fnuz; ++to) by_instruction(&fnuz[to]);
    *count = entry_count;
    return conversions;
}

int32_t kernels_convert(const mxcert_convert_args* args) {
    if (args->conversion >= entry_count)
        return kernels_fail(MXCERT_ERROR, "there is no conversion %u", args->conversion);
    const entry* e = &entries[args->conversion];
    kernels_step step = e->step;
    if (kernels_this_runtime.instructs != NULL && kernels_this_runtime.instructs()) {
        if (!e->has_instruction) return kernels_fail(MXCERT_UNSUPPORTED, "there is no instruction for this conversion");
        step.kernel = e->instruction;
    }
    return e->convert(args, step);
}

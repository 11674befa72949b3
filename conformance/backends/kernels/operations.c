/* SPDX-License-Identifier: Apache-2.0
 * Operations on arrays. */
#include "shell.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_BLOCK = 1024, MX_BLOCK = 32 };

typedef int32_t runner(const mxcert_run_args* args, const kernels_step* how);

/* An instruction for products, by what it is claimed to add like. */
typedef struct {
    const char* accumulator;
    const char* order;
    const char* output;
    const char* architectures; /* that have it */
    int is_scaled;
    uint64_t rows; /* of D that a group of 128 lanes makes */
    uint64_t columns;
    kernels_number kernels[ELEMENT_COUNT][ELEMENT_COUNT];
} tensor_core;
enum { LANES = 128 };

/* That have instructions for rounding at random. */
static const char stochastic_architectures[] = "sm_100";

/* An operation, and what its steps have in common. */
typedef struct {
    runner* run;
    kernels_step how;
    const tensor_core* tensor_core; /* NULL: none */
    kernels_number instruction;     /* the kernel that makes it by conversion instructions */
    int is_column;                  /* blocks along columns */
    int left_transposed;
    int right_transposed;
} entry;

enum { MAXIMUM = 320, ATTRIBUTES_SIZE = 160 };
static entry entries[MAXIMUM];
static mxcert_operation operations[MAXIMUM];
static char attributes[MAXIMUM][ATTRIBUTES_SIZE];
static uint32_t entry_count;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static entry*
add(runner* run, const char* name, const char* text, ...) {
    const uint32_t i = entry_count++;
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(attributes[i], ATTRIBUTES_SIZE, text, arguments);
    va_end(arguments);
    operations[i].struct_size = sizeof operations[i];
    operations[i].name = name;
    operations[i].attributes = attributes[i];
    memset(&entries[i], 0, sizeof entries[i]);
    entries[i].run = run;
    entries[i].how = kernels_line(ALL_KERNELS, 1);
    return &entries[i];
}

/* A matrix in blocks along its rows or its columns. */
typedef struct {
    uint64_t rows, columns, block;
    uint64_t length; /* of a row or column that is cut into blocks */
    uint64_t blocks; /* of it */
} matrix;

static int32_t check(const mxcert_run_args* args, const entry* e, uint32_t inputs, uint32_t outputs, matrix* m) {
    m->rows = args->shape[0];
    m->columns = args->shape[1];
    m->block = args->shape[2];
    if (args->input_count != inputs || args->output_count != outputs)
        return kernels_fail(MXCERT_ERROR, "%u arrays in and %u out, not %u and %u", args->input_count,
                            args->output_count, inputs, outputs);
    if (m->rows == 0 || m->columns == 0) return kernels_fail(MXCERT_UNSUPPORTED, "a matrix without elements");
    if (m->block == 0 || m->block > LARGEST_BLOCK)
        return kernels_fail(MXCERT_UNSUPPORTED, "a block has 1 to %d elements", LARGEST_BLOCK);
    m->length = e->is_column ? m->rows : m->columns;
    m->blocks = (m->length + m->block - 1) / m->block;
    return MXCERT_OK;
}

/* X is a place of a row that is adjacent in memory, of values and in columns also of scales. */
static void place_values(kernels_step* step, const entry* e, const matrix* m) {
    parameters* p = &step->what;
    placement* at = &p->place;
    at->length = m->length;
    if (e->is_column) { /* X: the column; Y: the line of the block; Z: the block */
        const uint64_t size[3] = {m->columns, m->block, m->blocks};
        const uint64_t value[3] = {1, m->columns, m->block * m->columns};
        const uint64_t scale[3] = {1, 0, m->columns};
        const uint64_t along[3] = {0, 1, m->block};
        memcpy(p->size, size, sizeof size);
        memcpy(at->value, value, sizeof value);
        memcpy(at->scale, scale, sizeof scale);
        memcpy(at->along, along, sizeof along);
    } else { /* X: the place in the block; Y: the block; Z: the row */
        const uint64_t size[3] = {m->block, m->blocks, m->rows};
        const uint64_t value[3] = {1, m->block, m->columns};
        const uint64_t scale[3] = {0, 1, m->blocks};
        const uint64_t along[3] = {1, m->block, 0};
        memcpy(p->size, size, sizeof size);
        memcpy(at->value, value, sizeof value);
        memcpy(at->scale, scale, sizeof scale);
        memcpy(at->along, along, sizeof along);
    }
    memcpy(at->result, at->value, sizeof at->value);
}

/* X: the column and Y: the block, or X: the block and Y: the row. */
static void place_blocks(kernels_step* step, const entry* e, const matrix* m) {
    parameters* p = &step->what;
    placement* at = &p->place;
    at->length = m->length;
    at->block = m->block;
    at->stride = e->is_column ? m->columns : 1;
    p->size[0] = e->is_column ? m->columns : m->blocks;
    p->size[1] = e->is_column ? m->blocks : m->rows;
    at->value[0] = e->is_column ? 1 : m->block;
    at->value[1] = e->is_column ? m->block * m->columns : m->columns;
    at->scale[0] = 1;
    at->scale[1] = e->is_column ? m->columns : m->blocks;
    at->along[0] = e->is_column ? 0 : m->block;
    at->along[1] = e->is_column ? m->block : 0;
}

static uint64_t bytes_of(const mxcert_array* a) { return a->count * a->width; }

static int32_t quantize(const mxcert_run_args* args, const kernels_step* how) {
    const entry* e = &entries[args->operation];
    matrix m = {0};
    const int32_t status = check(args, e, 1, 2, &m);
    if (status != MXCERT_OK) return status;
    kernels_job job = {0};
    job.buffers[VALUES] = kernels_in(args->inputs[0].data, bytes_of(&args->inputs[0]));
    job.buffers[RESULT] = kernels_out(args->outputs[0].data, bytes_of(&args->outputs[0]));
    job.buffers[SCALES] = kernels_out(args->outputs[1].data, bytes_of(&args->outputs[1]));
    job.step = *how;
    if (kernels_this_runtime.instructs != NULL && kernels_this_runtime.instructs()) job.step.kernel = e->instruction;
    place_blocks(&job.step, e, &m);
    return kernels_this_runtime.run(&job);
}

static int32_t dequantize(const mxcert_run_args* args, const kernels_step* how) {
    const entry* e = &entries[args->operation];
    matrix m = {0};
    const int32_t status = check(args, e, 2, 1, &m);
    if (status != MXCERT_OK) return status;
    kernels_job job = {0};
    job.buffers[VALUES] = kernels_in(args->inputs[0].data, bytes_of(&args->inputs[0]));
    job.buffers[SCALES] = kernels_in(args->inputs[1].data, bytes_of(&args->inputs[1]));
    job.buffers[RESULT] = kernels_out(args->outputs[0].data, bytes_of(&args->outputs[0]));
    job.step = *how;
    place_values(&job.step, e, &m);
    return kernels_this_runtime.run(&job);
}

/* Whether the device that is open has an instruction that these have. */
static int32_t check_architecture(const char* architectures) {
    const char* const is = kernels_this_runtime.architecture();
    return strstr(architectures, is) != NULL
               ? MXCERT_OK
               : kernels_fail(MXCERT_UNSUPPORTED, "the instruction for this is one of %s; the device is %s",
                              architectures, is);
}

static uint64_t padded(uint64_t length, uint64_t multiple) { return (length + multiple - 1) / multiple * multiple; }

static int32_t move_scales(const mxcert_run_args* args, const kernels_step* how) {
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return kernels_fail(MXCERT_UNSUPPORTED, "a matrix without elements");
    kernels_job job = {0};
    job.step = *how;
    parameters* p = &job.step.what;
    p->arrange.rows = rows;
    p->arrange.columns = columns;
    p->size[0] = padded(columns, p->arrange.columnwise ? 128 : 4);
    p->size[1] = padded(rows, p->arrange.columnwise ? 4 : 128);
    const uint64_t buffer = p->size[0] * p->size[1];
    const uint64_t in = p->arrange.restores ? buffer : rows * columns;
    const uint64_t out = p->arrange.restores ? rows * columns : buffer;
    if (args->input_count != 1 || args->output_count != 1 || bytes_of(&args->inputs[0]) != in ||
        bytes_of(&args->outputs[0]) != out)
        return kernels_fail(MXCERT_ERROR, "arrays of other sizes than the scales");
    job.buffers[VALUES] = kernels_in(args->inputs[0].data, in);
    job.buffers[RESULT] = kernels_out(args->outputs[0].data, out);
    return kernels_this_runtime.run(&job);
}

static int32_t multiply(const mxcert_run_args* args, const kernels_step* how) {
    const entry* e = &entries[args->operation];
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    kernels_job job = {0};
    job.step = *how;
    parameters* p = &job.step.what;
    product* by = &p->multiply;
    const int is_scaled = by->block != 0;
    const tensor_core* core = e->tensor_core;
    const int32_t status = core != NULL ? check_architecture(core->architectures) : MXCERT_OK;
    if (status != MXCERT_OK) return status;
    const uint32_t inputs = 2u + (is_scaled ? 2u : 0u) + by->has_added;
    if (m == 0 || n == 0 || k == 0) return kernels_fail(MXCERT_UNSUPPORTED, "a product without elements");
    if (args->input_count != inputs || args->output_count != 1)
        return kernels_fail(MXCERT_ERROR, "%u arrays in and %u out, not %u and 1", args->input_count,
                            args->output_count, inputs);
    const uint64_t blocks = (k + MX_BLOCK - 1) / MX_BLOCK;
    const uint64_t width = args->outputs[0].width;
    p->size[0] = n;
    p->size[1] = m;
    if (core != NULL) {
        p->size[0] = (n + core->columns - 1) / core->columns * LANES;
        p->size[1] = (m + core->rows - 1) / core->rows;
    }
    by->rows = m;
    by->columns = n;
    by->k = k;
    by->left_line = e->left_transposed ? 1 : k;
    by->left_next = e->left_transposed ? m : 1;
    by->left_scale_line = e->left_transposed ? 1 : blocks;
    by->left_scale_next = e->left_transposed ? m : 1;
    by->right_line = e->right_transposed ? k : 1;
    by->right_next = e->right_transposed ? 1 : n;
    by->right_scale_line = e->right_transposed ? blocks : 1;
    by->right_scale_next = e->right_transposed ? 1 : n;
    job.buffers[VALUES] = kernels_in(args->inputs[0].data, m * k);
    job.buffers[RIGHT] = kernels_in(args->inputs[1].data, n * k);
    if (is_scaled) {
        job.buffers[SCALES] = kernels_in(args->inputs[2].data, bytes_of(&args->inputs[2]));
        job.buffers[RIGHT_SCALES] = kernels_in(args->inputs[3].data, bytes_of(&args->inputs[3]));
    }
    if (by->has_added) job.buffers[ADDED] = kernels_in(args->inputs[inputs - 1].data, m * n * width);
    job.buffers[RESULT] = kernels_out(args->outputs[0].data, m * n * width);
    return kernels_this_runtime.run(&job);
}

/* Random bits of the device's own, which go on from call to call. */
static int32_t draw(const mxcert_run_args* args, const kernels_step* how) {
    static uint64_t drawn = 0;
    kernels_job job = {0};
    if (args->input_count != 1 || args->output_count != 1 || args->inputs[0].count != args->outputs[0].count)
        return kernels_fail(MXCERT_ERROR, "arrays of different sizes");
    const int32_t status = check_architecture(stochastic_architectures);
    if (status != MXCERT_OK) return status;
    job.buffers[VALUES] = kernels_in(args->inputs[0].data, bytes_of(&args->inputs[0]));
    job.buffers[RESULT] = kernels_out(args->outputs[0].data, bytes_of(&args->outputs[0]));
    job.step = *how;
    job.step.what.size[0] = args->inputs[0].count;
    job.step.what.draw.first = drawn;
    drawn += args->inputs[0].count;
    return kernels_this_runtime.run(&job);
}

static const char* const axis_names[2] = {"row", "column"};

static void quantizers(const named_format* from, const element_format* to) {
    for (int name = 0; name < RULE_COUNT; ++name) {
        for (int overflow = 0; overflow < (name == RCEIL ? 1 : OVERFLOW_COUNT); ++overflow) {
            for (int axis = 0; axis < 2; ++axis) {
                entry* e = add(
                    quantize, "quantize",
                    "source=%s element=%s scale=e8m0 rule=%s rounding=nearest_even overflow=%s axis=%s block=any",
                    from->name, to->format.name, kernels_rule_names[name], overflow_names[overflow], axis_names[axis]);
                e->is_column = axis;
                e->how.kernel = from->bytes == 4 ? KERNEL_quantize_u32 : KERNEL_quantize_u16;
                e->instruction = to->quantizers[from - wide];
                e->how.what.from = from->is;
                e->how.what.to = to->format.is;
                e->how.what.round = to_element(to, 1, overflow);
                e->how.what.scale = kernels_rule(name, from, to, overflow, 0);
            }
        }
    }
}

static void dequantizers(const element_format* from, const named_format* to) {
    for (int axis = 0; axis < 2; ++axis) {
        entry* e = add(dequantize, "dequantize", "element=%s scale=e8m0 target=%s axis=%s block=any", from->format.name,
                       to->name, axis_names[axis]);
        e->is_column = axis;
        e->how.kernel = to->bytes == 8 ? KERNEL_decode_u64 : to->bytes == 4 ? KERNEL_decode_u32 : KERNEL_decode_u16;
        e->how.what.from = from->format.is;
        e->how.what.to = to->is;
        e->how.what.round = to_wide(to);
    }
}

static void layouts(void) {
    static const struct {
        const char* name;
        uint32_t columnwise;
        uint32_t swizzled;
    } all[] = {
        {"padded_128x4", 0, 0}, {"padded_4x128", 1, 0}, {"swizzle_128x4", 0, 1}, {"swizzle_128x4_columnwise", 1, 1}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        for (uint32_t restores = 0; restores < 2; ++restores) {
            entry* e =
                add(move_scales, "layout", "layout=%s direction=%s", all[i].name, restores ? "restore" : "arrange");
            e->how.kernel = KERNEL_move_scales;
            e->how.what.arrange.columnwise = all[i].columnwise;
            e->how.what.arrange.swizzled = all[i].swizzled;
            e->how.what.arrange.restores = restores;
        }
    }
}

/* Products by tensor cores: what the instruction of each architecture is claimed to add like. A group of 128 lanes
 * makes `rows` x `columns` of D. */
#define FOUR(instruction, result)                                                                                      \
    {                                                                                                                  \
        {KERNEL_##instruction##_##result##_e4m3_e4m3, KERNEL_##instruction##_##result##_e4m3_e5m2}, {                  \
            KERNEL_##instruction##_##result##_e5m2_e4m3, KERNEL_##instruction##_##result##_e5m2_e5m2                   \
        }                                                                                                              \
    }
static const tensor_core tensor_cores[] = {
    {"ada_fp8_f32", "given", "fp32", "sm_89", 0, 16, 32, FOUR(mma, f32)},
    {"ada_fp8_f16", "given", "fp16", "sm_89", 0, 16, 32, FOUR(mma, f16)},
    {"hopper_fp8_f32", "given", "fp32", "sm_90", 0, 64, 8, FOUR(wgmma, f32)},
    {"hopper_fp8_f16", "given", "fp16", "sm_90", 0, 64, 8, FOUR(wgmma, f16)},
    /* mma becomes instructions of FP16 there. */
    {"hopper_mma_fp8_f32", "given", "fp32", "sm_90, sm_100", 0, 16, 32, FOUR(mma, f32)},
    {"hopper_mma_fp8_f16", "given", "fp16", "sm_90, sm_100", 0, 16, 32, FOUR(mma, f16)},
    {"blackwell_fp8_f32", "given", "fp32", "sm_120", 0, 16, 32, FOUR(mma, f32)},
    {"blackwell_fp8_f16", "given", "fp16", "sm_120", 0, 16, 32, FOUR(mma, f16)},
    {"sm120_k16_fp8_f32", "given", "fp32", "sm_120", 0, 16, 32, FOUR(mma_k16, f32)},
    {"sm120_k16_fp8_f16", "given", "fp16", "sm_120", 0, 16, 32, FOUR(mma_k16, f16)},
    {"blackwell_mxf8f6f4", "given", "fp32", "sm_120", 1, 16, 32, FOUR(mma_scaled, f32)},
};
enum { TENSOR_CORE_COUNT = sizeof tensor_cores / sizeof tensor_cores[0] };

/* One product in all four transpositions. `by`: NULL for the kernel that adds one product after the other. */
static void products(const element_format* a, const element_format* b, int is_scaled, const tensor_core* by) {
    static const char* const transposes[2][2] = {{"nn", "nt"}, {"tn", "tt"}};
    const char* const output = by == NULL ? wide[0].name : by->output;
    for (int left = 0; left < 2; ++left) {
        for (int right = 0; right < 2; ++right) {
            /* Gradients of weights add up: A lies transposed in them. */
            const int has_added = left && !right;
            entry* e =
                add(multiply, "matmul",
                    "a=%s b=%s scale=%s block_a=%s block_b=%s transpose=%s c=%s output=%s accumulator=%s order=%s",
                    a->format.name, b->format.name, is_scaled ? "e8m0" : "none", is_scaled ? "1x32" : "none",
                    is_scaled ? "32x1" : "none", transposes[left][right], has_added ? output : "none", output,
                    by == NULL ? "fp32_multiply_add" : by->accumulator, by == NULL ? "given" : by->order);
            e->left_transposed = left;
            e->right_transposed = right;
            e->tensor_core = by;
            e->how.kernel = by == NULL ? KERNEL_matmul : by->kernels[a - elements][b - elements];
            e->how.what.from = a->format.is;
            e->how.what.right = b->format.is;
            e->how.what.to = wide[0].is;
            e->how.what.round = to_wide(&wide[0]);
            e->how.what.multiply.block = is_scaled ? MX_BLOCK : 0;
            e->how.what.multiply.has_added = has_added ? 1 : 0;
        }
    }
}

/* How many of its random bits an instruction looks at is not written down, so the law is not either. */
static void stochastic(const element_format* to, kernels_number kernel) {
    entry* e = add(draw, "stochastic", "source=fp32 target=%s law=any overflow=sat", to->format.name);
    e->how.kernel = kernel;
}

const mxcert_operation* kernels_operations(uint32_t* count) {
    entry_count = 0;
    for (int to = 0; to < ELEMENT_COUNT; ++to)
        for (int from = 0; from < WIDE_COUNT; ++from) quantizers(&wide[from], &elements[to]);
    for (int from = 0; from < ELEMENT_COUNT; ++from)
        for (int to = 0; to < TARGET_COUNT; ++to) dequantizers(&elements[from], &wide[to]);
    layouts();
    for (int a = 0; a < ELEMENT_COUNT; ++a)
        for (int b = 0; b < ELEMENT_COUNT; ++b) {
            for (int is_scaled = 0; is_scaled < 2; ++is_scaled) products(&elements[a], &elements[b], is_scaled, NULL);
            for (int i = 0; i < TENSOR_CORE_COUNT && kernels_this_runtime.has_one_of != NULL; ++i)
                if (kernels_this_runtime.has_one_of(tensor_cores[i].architectures))
                    products(&elements[a], &elements[b], tensor_cores[i].is_scaled, &tensor_cores[i]);
        }
    if (kernels_this_runtime.has_one_of != NULL && kernels_this_runtime.has_one_of(stochastic_architectures)) {
        stochastic(&elements[0], KERNEL_instruct_random_e4m3);
        stochastic(&elements[1], KERNEL_instruct_random_e5m2);
    }
    *count = entry_count;
    return operations;
}

int32_t kernels_run(const mxcert_run_args* args) {
    if (args->operation >= entry_count) return kernels_fail(MXCERT_ERROR, "there is no operation %u", args->operation);
    return entries[args->operation].run(args, &entries[args->operation].how);
}

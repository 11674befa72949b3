/* SPDX-License-Identifier: Apache-2.0
 * The plugin: one runtime, and the tables of what the kernels are offered as. */
#include "shell.h"

#define KERNEL_NAME(name) #name,
#define TENSOR_KERNEL_NAME(name, ...) #name,
const char* const kernels_names[ALL_KERNELS] = {KERNELS(KERNEL_NAME) INSTRUCTIONS(KERNEL_NAME)
                                                    TENSOR_CORES(TENSOR_KERNEL_NAME)};

const char* const kernels_rule_names[RULE_COUNT] = {"ocp_floor", "rceil"};

/* ocp_floor has no threshold that m could exceed. That of rceil is the fraction of the largest value, 1.75: a larger
 * amax divided by it is above a power of two. As NVIDIA has it the quotient is an FP32 number: at 2^-127, where these
 * lie 2^-149 apart, it is the power of two itself for one amax more. */
rule kernels_rule(int name, const named_format* source, const element_format* element, int overflow, int counts_nan) {
    const uint32_t beyond = overflow == SAT ? 0xFEu : 0xFFu;
    const rule r = {element->emax,
                    name == RCEIL ? 0x600000u : 0xFFFFFFu,
                    name == RCEIL ? 1 : 0,
                    beyond,
                    beyond,
                    counts_nan ? source->is.magnitude : source->is.infinity};
    return r;
}

kernels_step kernels_line(kernels_number kernel, uint64_t count) {
    kernels_step step = {0};
    step.kernel = kernel;
    step.what.size[0] = count;
    step.what.size[1] = 1;
    step.what.size[2] = 1;
    step.what.place.value[0] = 1;
    step.what.place.result[0] = 1;
    step.what.place.scale[0] = 1;
    step.what.place.along[0] = 1;
    step.what.place.length = count;
    step.what.place.block = 1;
    step.what.place.stride = 1;
    return step;
}

static void close_runtime(void) {
    if (kernels_this_runtime.close != NULL) kernels_this_runtime.close();
}

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    static mxcert_api api;
    api.struct_size = sizeof api;
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.conversions = kernels_conversions(&api.conversion_count);
    api.name = kernels_this_runtime.name;
    api.version = kernels_this_runtime.version;
    api.description = kernels_this_runtime.description();
    api.open = kernels_this_runtime.open;
    api.convert = kernels_convert;
    api.last_error = kernels_last_error;
    api.close = close_runtime;
    api.operations = kernels_operations(&api.operation_count);
    api.flags = kernels_this_runtime.is_one_device ? MXCERT_ONE_WORKER : 0;
    api.run = kernels_run;
    api.convert_range = kernels_convert_range;
    return &api;
}

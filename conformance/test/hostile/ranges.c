/* SPDX-License-Identifier: Apache-2.0
 * The upper byte of every input, and ranges of it as steps; the option says what is wrong with these. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): so POSIX names it */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/test/hostile/hostile.h"

static char way[32];
static int is(const char* name) { return strcmp(way, name) == 0; }

static int32_t open_way(const char* options) {
    strncpy(way, options, sizeof way - 1);
    return MXCERT_OK;
}

/* True for the first process alone that asks: it leaves a file behind. */
static int once(void) {
    const char* const path = getenv("MXCERT_TEST_ONCE");
    const int file = path == NULL ? -1 : open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static int32_t convert(const mxcert_convert_args* args) {
    /* This one makes no more in batches than what ranges are compared with: half of that by each of two workers. */
    static uint64_t made = 0;
    made += args->count;
    if (is("ranges alone") && made > UINT64_C(1) << 29) return MXCERT_ERROR;
    if (is("fails once") && args->conversion == 1 && once()) return MXCERT_ERROR;
    if (is("fails in batches") && args->conversion == 1) return MXCERT_ERROR;
    hostile_honest(args);
    return MXCERT_OK;
}

static int32_t convert_range(const mxcert_range_args* args) {
    const unsigned shift = args->conversion == 0 ? 24 : 8;
    const uint64_t last = args->first + args->count - 1;
    uint64_t count = 0;
    if (is("dies")) abort();
    if (is("unsupported")) return MXCERT_UNSUPPORTED;
    if (is("fails")) return MXCERT_ERROR;
    if (is("unwritten")) {
        *args->step_count = 1;
        return MXCERT_OK;
    }
    for (uint64_t first = args->first; first <= last; ++count) {
        const uint64_t end = first | ((UINT64_C(1) << shift) - 1);
        if (count < args->capacity) {
            args->steps[count].last = end < last ? end : last;
            args->steps[count].code = first >> shift;
        }
        first = end + 1;
    }
    *args->step_count = count;
    if (is("none")) *args->step_count = 0;
    if (is("too many")) *args->step_count = (uint64_t)args->capacity + 1;
    if (is("short")) args->steps[count - 1].last -= 1;
    if (is("long")) args->steps[count - 1].last += 1;
    if (is("backward")) {
        args->steps[count].last = args->steps[count - 1].last;
        *args->step_count = count + 1;
    }
    if (is("wide")) args->steps[0].code = 0x100;
    if (is("lies")) args->steps[0].code ^= 1;
    return MXCERT_OK;
}

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "fp16", "e4m3", "nearest_even", "sat"},
};
static const char* last_error(void) { return "it hurts"; }
static mxcert_api api;

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    api.struct_size = sizeof api;
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.conversion_count = sizeof conversions / sizeof conversions[0];
    api.conversions = conversions;
    api.name = "ranges";
    api.version = "1";
    api.description = "a backend for tests";
    api.open = open_way;
    api.convert = convert;
    api.last_error = last_error;
    api.convert_range = convert_range;
    return &api;
}

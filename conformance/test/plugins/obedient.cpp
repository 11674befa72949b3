// SPDX-License-Identifier: Apache-2.0
// A plugin that does what --backend-option says, and prints whenever it can.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "conformance/backend.h"

namespace {

std::string option;
std::string reason;
std::uint64_t largest_batch = 0;

[[gnu::constructor]] void print_on_load() {
    std::puts("printed by a constructor");
    std::fflush(stdout);
}

constexpr mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "e4m3", "fp16", "nearest_even", "nosat"},
    {sizeof(mxcert_conversion), 0, "fp64", "e5m2", "toward_zero", "nosat"},
    {sizeof(mxcert_conversion), 8, "fp16", "e4m3", "stochastic_a", "sat"},
    {sizeof(mxcert_conversion), 0, "posit8", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "e2m1", "fp64", "nearest_even", "nosat"},
    {sizeof(mxcert_conversion), 0, "bf16", "e8m0", "up", "sat"},
    {sizeof(mxcert_conversion), 0, "fp64", "fp64", "nearest_even", "nosat"},
    {sizeof(mxcert_conversion), 0, "fp16_by_e8m0", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "e4m3_times_e8m0", "fp32", "nearest_even", "nosat"},
};

std::int32_t open(const char* options) {
    option = options;
    std::printf("printed by open(%s)\n", options);
    std::fflush(stdout);
    // Descriptor 1 itself too: not every printing goes through stdio.
    static_cast<void>(::write(1, "raw\n", 4));
    if (option == "open-unsupported") {
        reason = "no such device";
        return MXCERT_UNSUPPORTED;
    }
    if (option == "open-throws") throw std::runtime_error("from open");
    return MXCERT_OK;
}

template <class In, class Out, class Function> void each(const mxcert_convert_args& args, Function function) {
    const auto* in = static_cast<const In*>(args.input);
    auto* out = static_cast<Out*>(args.output);
    for (std::uint64_t i = 0; i < args.count; ++i) out[i] = static_cast<Out>(function(in[i], i));
}

std::int32_t convert(const mxcert_convert_args* args) {
    if (args->count > largest_batch) largest_batch = args->count;
    if (option == "unsupported") {
        reason = "not on this device";
        return MXCERT_UNSUPPORTED;
    }
    if (option == "error") return MXCERT_ERROR;
    if (option == "seven") return 7;
    if (option == "throws") throw std::runtime_error("from convert");
    if (option == "throws-int") throw 5;
    if (option == "crash") std::abort();
    switch (args->conversion) {
    case 0:
        each<std::uint32_t, std::uint8_t>(*args, [](std::uint32_t x, std::uint64_t) { return (x ^ (x >> 24)) & 0xFF; });
        break;
    case 1: each<std::uint8_t, std::uint16_t>(*args, [](unsigned x, std::uint64_t) { return x * 0x0102; }); break;
    case 2: each<std::uint64_t, std::uint8_t>(*args, [](std::uint64_t x, std::uint64_t) { return x >> 56; }); break;
    case 3:
        each<std::uint16_t, std::uint8_t>(*args,
                                          [args](unsigned x, std::uint64_t i) { return (x + args->random[i]) & 0xFF; });
        break;
    case 5: each<std::uint8_t, std::uint64_t>(*args, [](std::uint64_t x, std::uint64_t) { return x << 56 | 1; }); break;
    case 6:
        // The size of the largest batch so far, for the test of batches.
        each<std::uint16_t, std::uint8_t>(*args, [](unsigned, std::uint64_t) { return largest_batch & 0xFF; });
        break;
    case 7: each<std::uint64_t, std::uint64_t>(*args, [](std::uint64_t x, std::uint64_t) { return x; }); break;
    case 8: // the scale of the batch, and the value
        each<std::uint16_t, std::uint8_t>(*args,
                                          [args](unsigned x, std::uint64_t) { return (x + args->scale) & 0xFF; });
        break;
    case 9:
        each<std::uint8_t, std::uint32_t>(
            *args, [args](unsigned x, std::uint64_t) { return args->scale << 16 | x << 8 | (args->count & 0xFF); });
        break;
    default: return MXCERT_ERROR;
    }
    auto* out = static_cast<std::uint8_t*>(args->output);
    if (option == "overrun") out[args->count] ^= 0xFF;
    if (option == "underrun") out[-1] ^= 0xFF;
    return MXCERT_OK;
}

const char* last_error() { return reason.c_str(); }

void close() {
    std::puts("printed by close");
    std::fflush(stdout);
    if (option == "close-crashes") std::abort();
}

constexpr mxcert_api api = {
    sizeof(mxcert_api),
    MXCERT_ABI_MAJOR,
    MXCERT_ABI_MINOR,
    static_cast<std::uint32_t>(std::size(conversions)),
    conversions,
    "obedient",
    "1.2",
    "for tests \xFF",
    open,
    convert,
    last_error,
    close,
    0,
    0,
    nullptr,
    nullptr,
    nullptr,
    0,
    nullptr,
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t /*host_abi_major*/) { return &api; }

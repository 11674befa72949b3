// SPDX-License-Identifier: Apache-2.0
// A plugin by backend.hpp, with a function of each form that it takes. Most answers only show what came in.
#include "conformance/backend.hpp"

#include <cmath>
#include <cstring>

namespace {

std::uint8_t upper_byte(std::uint16_t x) noexcept { return static_cast<std::uint8_t>(x >> 8); }

std::uint8_t fails(std::uint8_t x) {
    if (x == 1) throw std::runtime_error("it is one");
    if (x == 2) throw mxcert::backend::Unsupported("not on this machine");
    if (x == 3) throw 3;
    return x;
}

/// The scale is the first byte of the first value, elements are values less their place in the block.
std::uint8_t quantize(const float* values, std::size_t count, std::uint8_t* elements) {
    for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<std::uint8_t>(values[i] - static_cast<float>(i));
    return static_cast<std::uint8_t>(100 + count);
}

void dequantize(const std::uint8_t* elements, std::size_t count, std::uint8_t scale, double* values) {
    for (std::size_t i = 0; i < count; ++i) values[i] = elements[i] + 1000.0 * scale + 100 * static_cast<double>(count);
}

mxcert::backend::Backend& mine() {
    using namespace mxcert::backend;
    constexpr const char* quantizer_of = "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even "
                                         "overflow=sat block=2 axis=";
    static const std::string row = std::string(quantizer_of) + "row";
    static const std::string column = std::string(quantizer_of) + "column";
    static Backend wrapped(
        "wrapped", "1", "a plugin by backend.hpp",
        {
            {"fp32", "e4m3", "nearest_even", "sat", [](float x) { return static_cast<std::uint8_t>(x); }},
            {"bf16", "e4m3", "nearest_even", "sat", upper_byte},
            {"fp32", "e4m3", "stochastic_a", "sat",
             [](std::uint32_t x, std::uint32_t random) { return static_cast<std::uint8_t>((x >> 24) + random); }, 8},
            {"fp32_by_e8m0", "e4m3", "nearest_even", "sat",
             [](float x, std::uint8_t scale) {
                 return static_cast<std::uint8_t>(static_cast<std::uint8_t>(x) + scale);
             }},
            {"e4m3", "fp64", "nearest_even", "nosat",
             [](const std::uint8_t* in, double* out, std::size_t count) {
                 for (std::size_t i = 0; i < count; ++i) out[i] = in[i];
             }},
            {"e5m2", "e4m3", "nearest_even", "sat", fails},
            {"fp16", "e4m3", "nearest_even", "sat",
             [](const mxcert_convert_args& args) { std::memset(args.output, 7, args.count); }},
        },
        {
            quantizer(row.c_str(), quantize),
            quantizer(column.c_str(), quantize),
            dequantizer("element=e4m3 scale=e8m0 target=fp64 axis=column block=2", dequantize),
            {"layout", "layout=swizzle_128x4 direction=arrange",
             [](const Run& run) {
                 for (std::size_t i = 0; i < run.output_count(0); ++i) run.output<std::uint8_t>(0)[i] = 9;
                 (void)run.input<float>(0); // its values are bytes
             }},
        });
    return wrapped;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace mxcert::backend;
    return mine()
        .max_batch(1'000)
        .one_worker()
        .on_open([](const std::string& options) {
            if (options == "refuse") throw Unsupported("no such device");
        })
        .api(version);
}

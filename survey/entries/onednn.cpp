// SPDX-License-Identifier: Apache-2.0
// oneDNN on the processor: a reorder from one data type to another.
#include <oneapi/dnnl/dnnl.hpp>

#include "conformance/backend.hpp"

namespace {

using Type = dnnl::memory::data_type;

template <class In, class Out, Type Source, Type Target> void reorder(const In* input, Out* output, std::size_t count) {
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    static dnnl::stream stream(engine);
    const dnnl::memory::dims sizes{static_cast<dnnl::memory::dim>(count)};
    const dnnl::memory::desc from(sizes, Source, dnnl::memory::format_tag::a),
        to(sizes, Target, dnnl::memory::format_tag::a);
    dnnl::memory values(from, engine, const_cast<In*>(input)), answers(to, engine, output);
    try {
        dnnl::reorder(values, answers).execute(stream, values, answers);
    } catch (const dnnl::error& error) {
        if (error.status == dnnl_unimplemented) throw mxcert::backend::Unsupported(error.what());
        throw;
    }
    stream.wait();
}

using Code8 = std::uint8_t;
using Code16 = std::uint16_t;

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t abi) {
    const dnnl_version_t* about = dnnl_version();
    const std::string version =
        std::to_string(about->major) + '.' + std::to_string(about->minor) + '.' + std::to_string(about->patch);
    static mxcert::backend::Backend library(
        "onednn", version, "oneDNN on the processor, reorder",
        {
            {"fp32", "e4m3", "nearest_even", "nosat", reorder<std::uint32_t, Code8, Type::f32, Type::f8_e4m3>},
            {"fp16", "e4m3", "nearest_even", "nosat", reorder<Code16, Code8, Type::f16, Type::f8_e4m3>},
            {"bf16", "e4m3", "nearest_even", "nosat", reorder<Code16, Code8, Type::bf16, Type::f8_e4m3>},
            {"fp32", "e5m2", "nearest_even", "nosat", reorder<std::uint32_t, Code8, Type::f32, Type::f8_e5m2>},
            {"fp16", "e5m2", "nearest_even", "nosat", reorder<Code16, Code8, Type::f16, Type::f8_e5m2>},
            {"bf16", "e5m2", "nearest_even", "nosat", reorder<Code16, Code8, Type::bf16, Type::f8_e5m2>},
            {"fp32", "e8m0", "toward_zero", "nosat", reorder<std::uint32_t, Code8, Type::f32, Type::e8m0>},
            {"e4m3", "fp32", "nearest_even", "nosat", reorder<Code8, std::uint32_t, Type::f8_e4m3, Type::f32>},
            {"e4m3", "fp16", "nearest_even", "nosat", reorder<Code8, Code16, Type::f8_e4m3, Type::f16>},
            {"e4m3", "bf16", "nearest_even", "nosat", reorder<Code8, Code16, Type::f8_e4m3, Type::bf16>},
            {"e5m2", "fp32", "nearest_even", "nosat", reorder<Code8, std::uint32_t, Type::f8_e5m2, Type::f32>},
            {"e5m2", "fp16", "nearest_even", "nosat", reorder<Code8, Code16, Type::f8_e5m2, Type::f16>},
            {"e5m2", "bf16", "nearest_even", "nosat", reorder<Code8, Code16, Type::f8_e5m2, Type::bf16>},
            {"e8m0", "fp32", "nearest_even", "nosat", reorder<Code8, std::uint32_t, Type::e8m0, Type::f32>},
        });
    return library.api(abi);
}

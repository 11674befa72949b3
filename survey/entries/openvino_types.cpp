// SPDX-License-Identifier: Apache-2.0
// OpenVINO's own types, ov::float8_e4m3 and so on: its headers, and the library that has their constructors.
#include <openvino/core/type/bfloat16.hpp>
#include <openvino/core/type/float16.hpp>
#include <openvino/core/type/float4_e2m1.hpp>
#include <openvino/core/type/float8_e4m3.hpp>
#include <openvino/core/type/float8_e5m2.hpp>
#include <openvino/core/type/float8_e8m0.hpp>

#include "conformance/backend.hpp"

namespace {

using Code8 = std::uint8_t;
using Code16 = std::uint16_t;

template <class Type> Code8 encode(float x) { return Type(x).to_bits(); }
template <class Type> Code8 encode_half(Code16 x) {
    return Type(static_cast<float>(ov::float16::from_bits(x))).to_bits();
}
template <class Type> Code8 encode_bf16(Code16 x) {
    return Type(static_cast<float>(ov::bfloat16::from_bits(x))).to_bits();
}
template <class Type> float decode(Code8 code) { return static_cast<float>(Type::from_bits(code)); }

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace ov;
    static mxcert::backend::Backend types("openvino_types", "2026.4.1", "constructors of OpenVINO's types",
                                          {
                                              {"fp32", "e4m3", "nearest_even", "nosat", encode<float8_e4m3>},
                                              {"fp16", "e4m3", "nearest_even", "nosat", encode_half<float8_e4m3>},
                                              {"bf16", "e4m3", "nearest_even", "nosat", encode_bf16<float8_e4m3>},
                                              {"fp32", "e5m2", "nearest_even", "nosat", encode<float8_e5m2>},
                                              {"fp16", "e5m2", "nearest_even", "nosat", encode_half<float8_e5m2>},
                                              {"bf16", "e5m2", "nearest_even", "nosat", encode_bf16<float8_e5m2>},
                                              {"fp32", "e8m0", "nearest_even", "sat", encode<float8_e8m0>},
                                              {"fp16", "e8m0", "nearest_even", "sat", encode_half<float8_e8m0>},
                                              {"bf16", "e8m0", "nearest_even", "sat", encode_bf16<float8_e8m0>},
                                              {"fp32", "e2m1", "nearest_even", "sat", encode<float4_e2m1>},
                                              {"fp16", "e2m1", "nearest_even", "sat", encode_half<float4_e2m1>},
                                              {"bf16", "e2m1", "nearest_even", "sat", encode_bf16<float4_e2m1>},
                                              {"e4m3", "fp32", "nearest_even", "nosat", decode<float8_e4m3>},
                                              {"e5m2", "fp32", "nearest_even", "nosat", decode<float8_e5m2>},
                                              {"e8m0", "fp32", "nearest_even", "nosat", decode<float8_e8m0>},
                                              {"e2m1", "fp32", "nearest_even", "nosat", decode<float4_e2m1>},
                                          });
    return types.api(version);
}

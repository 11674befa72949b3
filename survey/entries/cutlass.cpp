// SPDX-License-Identifier: Apache-2.0
// CUTLASS' types on the host: constructors from float and conversions to float. They saturate.
#include <cutlass/bfloat16.h>
#include <cutlass/float8.h>
#include <cutlass/float_subbyte.h>
#include <cutlass/half.h>

#include "conformance/backend.hpp"

namespace {

using Code8 = std::uint8_t;
using Code16 = std::uint16_t;

template <class Type> Code8 encode(float x) { return Type(x).raw(); }
template <class Type> Code8 encode_half(Code16 x) { return Type(cutlass::half_t::bitcast(x)).raw(); }
template <class Type> Code8 encode_bf16(Code16 x) {
    return Type(static_cast<float>(cutlass::bfloat16_t::bitcast(x))).raw();
}
template <class Type> float decode(Code8 code) { return static_cast<float>(Type::bitcast(code)); }

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace cutlass;
    static mxcert::backend::Backend types("cutlass", "4.2.0", "CUTLASS' types, compiled for the host",
                                          {
                                              {"fp32", "e4m3", "nearest_even", "sat", encode<float_e4m3_t>},
                                              {"fp16", "e4m3", "nearest_even", "sat", encode_half<float_e4m3_t>},
                                              {"bf16", "e4m3", "nearest_even", "sat", encode_bf16<float_e4m3_t>},
                                              {"fp32", "e5m2", "nearest_even", "sat", encode<float_e5m2_t>},
                                              {"fp16", "e5m2", "nearest_even", "sat", encode_half<float_e5m2_t>},
                                              {"bf16", "e5m2", "nearest_even", "sat", encode_bf16<float_e5m2_t>},
                                              {"fp32", "e8m0", "up", "sat", encode<float_ue8m0_t>},
                                              {"bf16", "e8m0", "up", "sat", encode_bf16<float_ue8m0_t>},
                                              {"fp32", "ue4m3", "nearest_even", "sat", encode<float_ue4m3_t>},
                                              {"bf16", "ue4m3", "nearest_even", "sat", encode_bf16<float_ue4m3_t>},
                                              {"fp32", "e3m2", "nearest_even", "sat", encode<float_e3m2_t>},
                                              {"bf16", "e3m2", "nearest_even", "sat", encode_bf16<float_e3m2_t>},
                                              {"fp32", "e2m3", "nearest_even", "sat", encode<float_e2m3_t>},
                                              {"bf16", "e2m3", "nearest_even", "sat", encode_bf16<float_e2m3_t>},
                                              {"fp32", "e2m1", "nearest_even", "sat", encode<float_e2m1_t>},
                                              {"bf16", "e2m1", "nearest_even", "sat", encode_bf16<float_e2m1_t>},
                                              {"e4m3", "fp32", "nearest_even", "nosat", decode<float_e4m3_t>},
                                              {"e5m2", "fp32", "nearest_even", "nosat", decode<float_e5m2_t>},
                                              {"e8m0", "fp32", "nearest_even", "nosat", decode<float_ue8m0_t>},
                                              {"e3m2", "fp32", "nearest_even", "nosat", decode<float_e3m2_t>},
                                              {"e2m3", "fp32", "nearest_even", "nosat", decode<float_e2m3_t>},
                                              {"e2m1", "fp32", "nearest_even", "nosat", decode<float_e2m1_t>},
                                          });
    return types.api(version);
}

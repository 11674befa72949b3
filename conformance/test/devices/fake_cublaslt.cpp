// SPDX-License-Identifier: Apache-2.0
// libcublasLt for the tests: the calls that the backend `cublaslt` makes. Matrices lie in columns, as the library has
// them; products are those of the claimed accumulators; what a device does not take is refused.
#include <cublasLt.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "conformance/test/devices/fake_device.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/layout.hpp"

using namespace mxcert;

namespace {

using Attributes = std::map<int, std::vector<unsigned char>>;

/// Any of the library's handles: the numbers it was made of, and what was set.
struct Made {
    int type = 0;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::int64_t line = 0;
    Attributes set;
};

template <class Handle> Made& made(Handle handle) { return *reinterpret_cast<Made*>(handle); }
template <class Handle> cublasStatus_t make(Handle* handle, Made what) {
    *handle = reinterpret_cast<Handle>(new Made(std::move(what)));
    return CUBLAS_STATUS_SUCCESS;
}
template <class Handle> cublasStatus_t destroy(Handle handle) {
    delete &made(handle);
    return CUBLAS_STATUS_SUCCESS;
}
/// What the header says of each attribute that is set.
template <class Handle> cublasStatus_t set(Handle handle, const std::map<int, std::size_t>& sizes, int attribute,
                                           const void* value, std::size_t size) {
    const auto known = sizes.find(attribute);
    if (known == sizes.end() || known->second != size) return CUBLAS_STATUS_INVALID_VALUE;
    const auto* bytes = static_cast<const unsigned char*>(value);
    made(handle).set[attribute].assign(bytes, bytes + size);
    return CUBLAS_STATUS_SUCCESS;
}
template <class T> T get(const Made& quantized, int attribute, T otherwise) {
    const auto found = quantized.set.find(attribute);
    if (found != quantized.set.end()) std::memcpy(&otherwise, found->second.data(), sizeof otherwise);
    return otherwise;
}

const Format* format_of(int type) {
    switch (type) {
    case CUDA_R_8F_E4M3: return &formats::e4m3;
    case CUDA_R_8F_E5M2: return &formats::e5m2;
    case CUDA_R_32F: return &formats::fp32;
    case CUDA_R_16BF: return &formats::bf16;
    default: return nullptr;
    }
}

bool is_scaled(const Made& what) {
    return get(what, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F) ==
           CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
}
bool transposed(const Made& what, int attribute) { return get(what, attribute, CUBLAS_OP_N) == CUBLAS_OP_T; }

/// What the device is claimed to add like; null: it does not take this.
const Accumulator* taken(const Made& what, const Made& a, const Made& b) {
    const std::string on = test::fake_architecture(0);
    const bool is_fast = get(what, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{0}) != 0;
    const bool is_new = on == "sm_100" || on == "sm_120";
    const bool is_tn = transposed(what, CUBLASLT_MATMUL_DESC_TRANSA) && !transposed(what, CUBLASLT_MATMUL_DESC_TRANSB);
    if ((a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2) || (!is_tn && on != "sm_100")) return nullptr;
    for (const Made& side : {a, b})
        if (side.rows % 16 != 0 || side.columns % 16 != 0) return nullptr;
    if (is_scaled(what)) return is_new ? &accumulator("blackwell_mxf8f6f4") : nullptr;
    if (is_new) return &accumulator("blackwell_fp8_f32");
    if (on == "sm_90") return &accumulator(is_fast ? "hopper_fp8_f32" : "hopper_fp8_promote_128");
    return on == "sm_89" ? &accumulator("ada_fp8_f32") : nullptr;
}

/// Element (row, column) of op(M), which lies in columns.
Code at(const void* data, const Made& quantized, bool is_transposed, std::uint64_t row, std::uint64_t column) {
    if (is_transposed) std::swap(row, column);
    return static_cast<const unsigned char*>(data)[row + column * static_cast<std::uint64_t>(quantized.line)];
}

/// The scales of one line along the sum, from tiles.
std::vector<Code> scales_of(const Made& what, int attribute, std::uint64_t line, std::uint64_t lines, std::uint64_t k) {
    const auto* tiles = get<const unsigned char*>(what, attribute, nullptr);
    const std::uint64_t blocks = k / 32;
    const ScaleMap map(find_layout("swizzle_128x4"), {lines, blocks});
    std::vector<Code> scales;
    for (std::uint64_t block = 0; block < blocks; ++block) scales.push_back(tiles[map.offset_of({line, block})]);
    return scales;
}

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t*) {
    return static_cast<cublasStatus_t>(test::fake_error("cublasLtCreate"));
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
std::size_t cublasLtGetVersion() { return 130203; }
const char* cublasLtGetStatusString(cublasStatus_t) { return "a status of a library for tests"; }
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* handle, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
    if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_INVALID_VALUE;
    return make(handle, {});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t handle) { return destroy(handle); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t size) {
    static const std::map<int, std::size_t> sizes{
        {CUBLASLT_MATMUL_DESC_TRANSA, 4},         {CUBLASLT_MATMUL_DESC_TRANSB, 4},
        {CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1},     {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 4},
        {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 4},   {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, 8},
        {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, 8}};
    return set(handle, sizes, attribute, value, size);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* handle, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t line) {
    return make(handle, {static_cast<int>(type), rows, columns, line, {}});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t handle) { return destroy(handle); }
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* handle) { return make(handle, {}); }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t handle) { return destroy(handle); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t handle,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    std::size_t size) {
    static const std::map<int, std::size_t> sizes{{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8},
                                                  {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4}};
    return set(handle, sizes, attribute, value, size);
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t what, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t*,
                                              int* found) {
    *found = 0;
    if (taken(made(what), made(a), made(b)) == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t handle, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t of_a, const void* b, cublasLtMatrixLayout_t of_b, const void* beta,
                              const void*, cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t of_d,
                              const cublasLtMatmulAlgo_t*, void*, std::size_t, cudaStream_t) {
    if (const int error = test::fake_error("cublasLtMatmul")) return static_cast<cublasStatus_t>(error);
    const Made& what = made(handle);
    const Made& result = made(of_d);
    float factors[2];
    std::memcpy(&factors[0], alpha, sizeof(float));
    std::memcpy(&factors[1], beta, sizeof(float));
    if (factors[0] != 1 || factors[1] != 0) return CUBLAS_STATUS_INVALID_VALUE;
    const bool ta = transposed(what, CUBLASLT_MATMUL_DESC_TRANSA);
    const bool tb = transposed(what, CUBLASLT_MATMUL_DESC_TRANSB);
    const std::uint64_t k = ta ? made(of_a).rows : made(of_a).columns;
    const Accumulator& like = *taken(what, made(of_a), made(of_b));
    const bool scaled = is_scaled(what);
    const Format* scale = scaled ? &formats::e8m0 : nullptr;
    fast::Accumulate add(like, dot_format(like, *format_of(made(of_a).type), *format_of(made(of_b).type), scale));
    const Format& to = *format_of(result.type);
    std::vector<Code> line_a(k);
    std::vector<Code> line_b(k);
    for (std::uint64_t i = 0; i < result.rows; ++i) {
        for (std::uint64_t l = 0; l < k; ++l) line_a[l] = at(a, made(of_a), ta, i, l);
        for (std::uint64_t j = 0; j < result.columns; ++j) {
            for (std::uint64_t l = 0; l < k; ++l) line_b[l] = at(b, made(of_b), tb, l, j);
            std::vector<Code> scales_a;
            std::vector<Code> scales_b;
            if (scaled) {
                scales_a = scales_of(what, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, i, result.rows, k);
                scales_b = scales_of(what, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, j, result.columns, k);
            }
            const std::size_t block = scaled ? 32 : 0;
            const Code sum = add({line_a, line_b, scales_a, scales_b, block, block, 0});
            const Code code = exact::convert(formats::fp32, to, {.overflow = Overflow::nosat}, sum).code;
            const auto bytes = static_cast<std::size_t>(to.bytes());
            std::memcpy(static_cast<char*>(d) + (i + j * static_cast<std::uint64_t>(result.line)) * bytes, &code,
                        bytes);
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Conversions and block quantizers of mxcert.h.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/library/guarded.hpp"
#include "conformance/library/mxcert.h"
#include "conformance/library/options.hpp"
#include "conformance/tensors/arrays.hpp"
#include "conformance/tensors/quantize_options.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "reference/code_text.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::library {
namespace {

const Format& file_format(const char* name, const char* argument) {
    return tensors::taken_format(given(name, argument), tensors::file_formats);
}

/// Throws std::invalid_argument, of a tensor without values too.
std::vector<std::uint64_t> shape_of(std::uint32_t rank, const std::uint64_t* shape) {
    if (rank > MXCERT_MAX_RANK)
        throw std::invalid_argument(fmt::format("a shape has at most {} axes, not {}", MXCERT_MAX_RANK, rank));
    std::vector<std::uint64_t> sizes;
    if (rank != 0) sizes.assign(given(shape, "shape"), shape + rank);
    (void)tensors::values_of(sizes);
    return sizes;
}

tensors::Quantization quantization_of(const char* format, const char* source, const char* text, std::uint32_t rank,
                                      const std::uint64_t* shape) {
    tensors::QuantizeOptions options;
    options.format = given(format, "format");
    const OptionPlace places[] = {{"profile", &options.profile},
                                  {"recipe", &options.recipe},
                                  {"tensor-amax", &options.tensor_amax},
                                  {"rule", &options.rule},
                                  {"rounding", &options.rounding},
                                  {"overflow", &options.overflow},
                                  {"scale-choice", &options.scale_choices},
                                  {"element-choice", &options.element_choices},
                                  {"amax-nan", &options.amax_nan},
                                  {"amax-inf", &options.amax_inf},
                                  {"axis", &options.axis},
                                  {"block", &options.block},
                                  {"packing", &options.packing},
                                  {"layout", &options.layout}};
    read_options(text, places);
    return tensors::quantization_of(options, tensors::taken_format(given(source, "source"), tensors::value_formats),
                                    shape_of(rank, shape));
}

bool needs_amax(const tensors::Quantization& how) {
    return how.recipe != nullptr && how.tensor == recipe::TensorScales{};
}

void describe(const tensors::Quantization& how, mxcert_quantized& result) {
    const std::vector<std::uint64_t> elements = tensors::elements_shape(how);
    const std::vector<std::uint64_t> scales = tensors::scales_shape(how);
    result.element_format = how.format->element->name.data();
    result.scale_format = how.scale().name.data();
    result.block = how.block;
    result.tensor_scale = static_cast<std::uint32_t>(how.tensor.decode);
    result.tensor_amax = static_cast<std::uint32_t>(how.tensor.amax);
    result.element_rank = static_cast<std::uint32_t>(elements.size());
    result.scale_rank = static_cast<std::uint32_t>(scales.size());
    std::copy(elements.begin(), elements.end(), result.element_shape);
    std::copy(scales.begin(), scales.end(), result.scale_shape);
}

/// The choices of dequantizing are few: which quantizer it was does not matter on the way back.
struct Dequantization {
    tensors::Quantization how;
    Choices choices;
};

Dequantization dequantization_of(const char* format, const char* text, std::uint32_t rank, const std::uint64_t* shape) {
    const ScaledFormat& scaled = scaled_format(given(format, "format"));
    std::string axis = "row";
    unsigned block = scaled.block;
    std::string packing = "bytes";
    std::string layout = "rows";
    std::string tensor_scale = "1";
    tensors::ConvertOptions convert;
    convert.overflow = "nosat";
    const OptionPlace places[] = {{"axis", &axis},
                                  {"block", &block},
                                  {"packing", &packing},
                                  {"layout", &layout},
                                  {"tensor-scale", &tensor_scale},
                                  {"rounding", &convert.rounding},
                                  {"overflow", &convert.overflow}};
    read_options(text, places);
    std::map<std::string, std::string> written = {{"format", std::string(scaled.name)},
                                                  {"source", "fp32"},
                                                  {"shape", fmt::format("{}", fmt::join(shape_of(rank, shape), ","))},
                                                  {"axis", axis},
                                                  {"block", std::to_string(block)},
                                                  {"packing", packing},
                                                  {"layout", layout}};
    if (scaled.tensor_scale != nullptr) {
        written["recipe"] = recipe::nvfp4_presets().front().name;
        written["tensor scale"] = tensor_scale;
        written["tensor amax"] = "0"; // it makes no value
    }
    Dequantization result;
    try {
        result.how = tensors::read_quantization(written);
    } catch (const std::runtime_error& error) { // which are words of the caller's here
        throw std::invalid_argument(error.what());
    }
    set(result.choices, "overflow", convert.overflow);
    if (!convert.rounding.empty()) set(result.choices, "rounding", convert.rounding);
    if (is_stochastic(result.choices.rounding))
        throw std::invalid_argument("a stochastic rounding needs random bits, and dequantizing takes none");
    return result;
}

} // namespace
} // namespace mxcert::library

using namespace mxcert;

extern "C" {

int mxcert_format_bytes(const char* name, uint32_t* bytes) {
    return library::guarded([&] {
        *library::given(bytes, "bytes") = static_cast<std::uint32_t>(library::file_format(name, "format").bytes());
    });
}

int mxcert_convert(const char* from, const char* to, const char* options, const void* in, const uint32_t* random,
                   uint32_t random_bits, void* out, uint64_t count, uint32_t threads) {
    return library::guarded([&] {
        const Format& source = library::file_format(from, "from");
        const Format& target = library::file_format(to, "to");
        tensors::ConvertOptions given_options;
        const library::OptionPlace places[] = {{"profile", &given_options.profile},
                                               {"rounding", &given_options.rounding},
                                               {"overflow", &given_options.overflow},
                                               {"choice", &given_options.choices}};
        library::read_options(options, places);
        const Choices choices = tensors::choices_of(given_options, source, target);
        if (is_stochastic(choices.rounding) != (random != nullptr))
            throw std::invalid_argument(random == nullptr ? "a stochastic rounding needs random bits"
                                                          : "random bits are for a stochastic rounding");
        if (count == 0) return;
        tensors::convert_array(source, target, choices, library::given(in, "in"), {random, random_bits},
                               library::given(out, "out"), count, threads);
    });
}

int mxcert_quantized_shape(const char* format, const char* source, const char* options, uint32_t rank,
                           const uint64_t* shape, mxcert_quantized* result) {
    return library::guarded([&] {
        library::describe(library::quantization_of(format, source, options, rank, shape),
                          *library::given(result, "result"));
    });
}

int mxcert_quantize(const char* format, const char* source, const char* options, uint32_t rank, const uint64_t* shape,
                    const void* values, uint8_t* elements, uint8_t* scales, mxcert_quantized* result,
                    uint32_t threads) {
    return library::guarded([&] {
        tensors::Quantization how = library::quantization_of(format, source, options, rank, shape);
        const void* from = library::given(values, "values");
        if (library::needs_amax(how))
            how.tensor = fast::tensor_scales_of(how.recipe->choices, tensors::tensor_amax_of(how, from, threads));
        tensors::quantize_array(how, from, library::given(elements, "elements"), library::given(scales, "scales"),
                                threads);
        if (result != nullptr) library::describe(how, *result);
    });
}

int mxcert_dequantize(const char* format, const char* to, const char* options, uint32_t rank, const uint64_t* shape,
                      const uint8_t* elements, const uint8_t* scales, void* values, uint32_t threads) {
    return library::guarded([&] {
        const library::Dequantization dequantization = library::dequantization_of(format, options, rank, shape);
        const Format& target = library::file_format(to, "to");
        if (target.bytes() == 1) throw std::invalid_argument("values are fp64, fp32, fp16 or bf16");
        tensors::dequantize_array(dequantization.how, target, dequantization.choices,
                                  library::given(elements, "elements"), library::given(scales, "scales"),
                                  library::given(values, "values"), threads);
    });
}

} // extern "C"

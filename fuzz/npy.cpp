// SPDX-License-Identifier: Apache-2.0
// A npy file. The first line is a dtype or empty. What is read fills the file to its end, and reads the same from a
// header written anew.
#include <stdexcept>
#include <string>

#include "conformance/tensors/tensor_file.hpp"
#include "fuzz/little_endian.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

std::string written(const tensors::TensorInfo& info) {
    std::string shape;
    for (const std::uint64_t size : info.shape) shape += std::to_string(size) + ",";
    const std::string type = info.format == &formats::fp64   ? "<f8"
                             : info.format == &formats::fp32 ? "<f4"
                             : info.format == &formats::fp16 ? "<f2"
                                                             : "|V" + std::to_string(info.format->bytes());
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + ")}\n";
    return std::string("\x93NUMPY\x02\x00", 8) + fuzz::little_endian_bytes(header.size(), 4) + header;
}

void run(std::string_view input) {
    const std::string_view name = fuzz::take_line(input);
    const Format* dtype = nullptr;
    tensors::TensorInfo info;
    try {
        if (!name.empty()) dtype = &tensors::taken_format(name, tensors::file_formats);
        info = tensors::parse_npy(input, input.size(), dtype, tensors::file_formats);
    } catch (const std::invalid_argument&) { // no dtype
        return;
    } catch (const std::runtime_error&) {
        return;
    }
    const std::uint64_t bytes = info.values * static_cast<unsigned>(info.format->bytes());
    fuzz::require(info.offset + bytes == input.size(), "the values fill the file");
    fuzz::require(info.values != 0 && info.values == tensors::values_of(info.shape),
                  "the values are those of the shape");
    const std::string header = written(info);
    const tensors::TensorInfo again =
        tensors::parse_npy(header, header.size() + bytes, info.format, tensors::file_formats);
    fuzz::require(again.format == info.format && again.shape == info.shape && again.values == info.values,
                  "a header reads as it was written");
}

const fuzz::Target registered{"npy", run};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// A safetensors file. The tensors that are read lie one behind the other from the header to the end of the file, and
// read the same from a header written anew.
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "conformance/tensors/tensor_file.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

std::string written(const std::vector<tensors::SafeTensor>& tensors) {
    nlohmann::json json = nlohmann::json::object();
    for (const tensors::SafeTensor& tensor : tensors)
        json[tensor.name] = {
            {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}};
    return json.dump();
}

void run(std::string_view input) {
    std::vector<tensors::SafeTensor> tensors;
    std::uint64_t data_bytes = 0;
    try {
        const std::uint64_t length = tensors::safetensors_header_bytes(input, input.size());
        data_bytes = input.size() - 8 - length;
        tensors = tensors::parse_safetensors(input.substr(8, static_cast<std::size_t>(length)), data_bytes);
    } catch (const std::runtime_error&) {
        return;
    }
    std::uint64_t at = 0;
    for (const tensors::SafeTensor& tensor : tensors) {
        fuzz::require(tensor.begin == at && tensor.end >= at, "tensors lie one behind the other");
        at = tensor.end;
    }
    fuzz::require(at == data_bytes, "tensors fill the file");
    const std::vector<tensors::SafeTensor> again = tensors::parse_safetensors(written(tensors), data_bytes);
    fuzz::require(again.size() == tensors.size(), "as many tensors are read as were written");
    for (std::size_t i = 0; i < tensors.size(); ++i)
        fuzz::require(again[i].name == tensors[i].name && again[i].dtype == tensors[i].dtype &&
                          again[i].shape == tensors[i].shape && again[i].begin == tensors[i].begin &&
                          again[i].end == tensors[i].end,
                      "a header reads as it was written");
}

const fuzz::Target registered{"safetensors", run, fuzz::Form::length_and_json};

} // namespace

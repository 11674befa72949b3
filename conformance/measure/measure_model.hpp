// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/measure/measure.hpp"

// All tensors of a model side by side: which format suits which.
namespace mxcert::measure {

/// A tensor of a model and its figures.
struct MeasuredTensor {
    std::string name;
    TensorInfo info;
    Measurement measurement;

    /// The method with the largest SQNR, the first of equal ones; nothing where none has one, as of zeros.
    [[nodiscard]] std::optional<std::size_t> best() const;
};

struct Model {
    std::vector<MeasuredTensor> tensors;
    std::vector<std::string> left_out; ///< names of tensors that were not measured, with the reason
};

/// Measures every tensor of FP32, FP16 or BF16 of a safetensors file, in the order of their bytes. `binades`: keeps the
/// figures of each binade. `begins` is called before each, with its name. Throws what TensorFile does, and
/// std::runtime_error if there is none.
[[nodiscard]] Model measure_model(const std::filesystem::path& path, const std::vector<Method>& methods, bool binades,
                                  const std::function<void(const std::string& name)>& begins);

/// A row for each tensor: the SQNR of every method in dB, and the best one.
[[nodiscard]] Rows sqnr_rows(const std::vector<Method>& methods, const Model& model);
/// A row for each method: its bytes, and of how many tensors it is the best.
[[nodiscard]] Rows total_rows(const std::vector<Method>& methods, const Model& model);
/// The SQNR of each method for each tensor, and how often each is the best.
[[nodiscard]] std::string model_text(const std::string& name, const std::vector<Method>& methods, const Model& model);
[[nodiscard]] nlohmann::ordered_json model_json(const std::string& name, const std::vector<Method>& methods,
                                                const Model& model);
/// A line for each tensor, with a dot for each method at its SQNR. The best one has a ring.
[[nodiscard]] std::string model_plot(const std::string& name, const std::vector<Method>& methods, const Model& model);

} // namespace mxcert::measure

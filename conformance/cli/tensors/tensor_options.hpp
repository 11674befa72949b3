// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "conformance/cli/commands.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"

namespace mxcert::cli {

/// A tensor that a command reads.
struct TensorInput {
    std::string path;
    std::string dtype;
    std::string shape;
    std::string name;

    [[nodiscard]] tensors::TensorChoice choice(tensors::Taken taken) const;
    /// The file's name, and that of the tensor in it.
    [[nodiscard]] std::string shown() const;
};

/// How a command on tensors runs.
struct TensorRunning {
    std::string output;
    unsigned jobs = 0;
    bool quiet = false;
};

/// --dtype, --shape and --tensor.
void add_tensor_format(CLI::App& command, TensorInput& input, const char* formats);
/// IN and these.
void add_tensor_input(CLI::App& command, TensorInput& input, const char* formats);
/// -o, --jobs and --quiet.
void add_tensor_running(CLI::App& command, TensorRunning& running, const char* output);

/// The format that --to names: fp64, fp32, fp16 or bf16. Throws std::invalid_argument.
[[nodiscard]] const Format& wide_format(const std::string& to);

/// The progress of a run of so many values.
[[nodiscard]] std::unique_ptr<print::Progress> tensor_progress(const TensorRunning& running, const std::string& name,
                                                               std::uint64_t values);

} // namespace mxcert::cli

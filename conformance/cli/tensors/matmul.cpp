// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/multiply_tensors.hpp"
#include "conformance/tensors/tensor_output.hpp"

namespace mxcert::cli::matmul_command {
namespace {

struct Options {
    std::string a;
    std::string b;
    std::string a_dtype;
    std::string b_dtype;
    std::string a_tensor;
    std::string b_tensor;
    std::string c;
    std::string transpose = "nt";
    std::string accumulator = "exact";
    std::string epilogue;
    std::string to; ///< "": what the accumulator gives, of the exact sum fp32
    TensorRunning running;
};

void matmul(const Options& options) {
    tensors::Product product;
    product.accumulator = &accumulator(options.accumulator);
    if (!options.epilogue.empty()) product.epilogue = &epilogue(options.epilogue);
    product.to = !options.to.empty()              ? &wide_format(options.to)
                 : is_exact(*product.accumulator) ? &formats::fp32
                                                  : product.accumulator->result;
    product.a_transposed = options.transpose[0] == 't';
    product.b_transposed = options.transpose[1] == 't';
    product.a = tensors::read_operand(options.a, {options.a_dtype, {}, options.a_tensor, tensors::file_formats});
    product.b = tensors::read_operand(options.b, {options.b_dtype, {}, options.b_tensor, tensors::file_formats});
    if (!options.c.empty()) product.c = tensors::read_operand(options.c, {});
    const MatmulShape shape = tensors::shape_of(product);
    tensors::TensorOutput output(options.running.output, {{"values", product.to, {shape.m, shape.n}}});
    const auto progress =
        tensor_progress(options.running, options.a + " x " + options.b, static_cast<std::uint64_t>(shape.m) * shape.n);
    const std::vector<unsigned char> d = tensors::multiply(product, {options.running.jobs, progress.get()});
    output.write(0, 0, shape.m * shape.n, d.data());
    output.finish();
    progress->clear();
    fmt::print("{}: [{}, {}] of {}, sums of {} products by {}{}\n", options.running.output, shape.m, shape.n,
               product.to->name, shape.k, product.accumulator->name,
               product.epilogue == nullptr ? "" : fmt::format(", epilogue {}", product.epilogue->name));
}

void add_matmul_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("matmul", "Multiply two matrices in files, exactly or as a device adds");
    command->add_option("A", options->a, "What `mxcert quantize` wrote, or a matrix of codes")->required();
    command->add_option("B", options->b, "The same")->required();
    add_tensor_running(*command, options->running, "Where to write D: .npy, .safetensors or .bin");
    command
        ->add_option("--transpose", options->transpose,
                     "How A and B are stored: n as multiplied, t transposed (nt: D = A B^T)")
        ->check(CLI::IsMember({"nn", "nt", "tn", "tt"}));
    command->add_option("--accumulator", options->accumulator,
                        "exact, the real number rounded once, or one of `mxcert accumulators` (exact)");
    command->add_option("--epilogue", options->epilogue,
                        "How NVFP4 sums in FP32 are multiplied by the scales of both tensors: product, in_turn, "
                        "te_nvfp4, ... (exactly, before the only rounding)");
    command->add_option(
        "--to", options->to,
        "Format of D: of the exact sum fp64, fp32, fp16 or bf16 (fp32), else the accumulator's, fp16 or bf16");
    command->add_option("--c", options->c,
                        "A matrix to add to the product: of the accumulator's format; of the exact sum fp64, "
                        "fp32, fp16 or bf16");
    command->add_option("--a-dtype", options->a_dtype, "Format of a matrix of codes: e4m3, bf16, ...");
    command->add_option("--b-dtype", options->b_dtype, "The same of B");
    command->add_option("--a-tensor", options->a_tensor, "Name of a tensor in a safetensors file of codes");
    command->add_option("--b-tensor", options->b_tensor, "The same of B");
    command->footer("Examples:\n"
                    "  mxcert quantize x.npy -o x_mx --format mxfp8_e4m3\n"
                    "  mxcert quantize w.npy -o w_mx --format mxfp4\n"
                    "  mxcert matmul x_mx w_mx -o y.npy\n"
                    "  mxcert matmul x_mx w_mx -o y.npy --accumulator fp32_fma\n"
                    "  mxcert matmul x_nv w_nv -o y.npy --accumulator blackwell_mxf4nvf4 --epilogue te_nvfp4\n");
    command->callback([options] { matmul(*options); });
}

const Command registered{Group::tensors, "matmul", add_matmul_command};

} // namespace
} // namespace mxcert::cli::matmul_command

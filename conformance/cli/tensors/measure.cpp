// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/measure.hpp"
#include "conformance/measure/measure_model.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/measure_page.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli::measure_command {
namespace {

struct MeasureOptions {
    TensorInput input;
    std::vector<std::string> elements{"e4m3", "e5m2"};
    std::vector<std::string> rules{"ocp_floor", "rceil", "tensor", "plain"};
    std::vector<std::uint32_t> blocks{32};
    bool all = false;
    bool each = false;
    std::string json;
    std::string plot;
    std::string html;
};

/// Where the results go: the table, and the files that were asked for, which are opened before anything is measured.
class Output {
  public:
    explicit Output(const MeasureOptions& options)
        : json_to_stdout_(options.json == "-"), html_(html_file(options.html)) {
        if (!options.json.empty() && !json_to_stdout_) json_.emplace(options.json);
        if (!options.plot.empty()) plot_.emplace(options.plot);
    }
    [[nodiscard]] bool wants_page() const { return html_.has_value(); }
    void write(const std::string& text, const nlohmann::ordered_json& json, const std::string& plot,
               const std::string& page) {
        fmt::print(json_to_stdout_ ? stderr : stdout, "{}", text);
        if (json_to_stdout_) fmt::print("{}", files::json_text(json));
        if (json_) json_->write(files::json_text(json));
        if (plot_) plot_->write(plot);
        if (html_) html_->write(page);
    }

  private:
    bool json_to_stdout_;
    std::optional<files::OutputFile> html_;
    std::optional<files::OutputFile> json_;
    std::optional<files::OutputFile> plot_;
};

/// Without a tensor: what one of this shape takes.
void print_bytes(const MeasureOptions& options, const std::vector<measure::Method>& methods) {
    if (options.input.shape.empty())
        throw std::invalid_argument("measure: FILE is missing, or --shape for the bytes alone");
    if (!options.input.dtype.empty() || !options.input.name.empty() || !options.plot.empty())
        throw std::invalid_argument("measure: --dtype, --tensor and --plot need FILE");
    Output output(options);
    tensors::TensorInfo info;
    info.shape = tensors::parse_shape(options.input.shape);
    output.write(measure::bytes_text(info.shape, methods), measure::measure_json({}, info, methods, nullptr), {},
                 output.wants_page() ? html::bytes_page(info.shape, methods) : "");
}

void run_model(const MeasureOptions& options, const std::vector<measure::Method>& methods) {
    if (!options.input.dtype.empty() || !options.input.shape.empty() || !options.input.name.empty())
        throw std::invalid_argument("measure: --all takes every tensor as it is: no --dtype, --shape or --tensor");
    if (std::filesystem::path(options.input.path).extension() != ".safetensors")
        throw std::invalid_argument("measure: --all needs a .safetensors file");
    Output output(options);
    const measure::Model model =
        measure::measure_model(options.input.path, methods, !options.json.empty(), [](const std::string& name) {
            fmt::print(stderr, "measuring {}\n", print::printable(name));
        });
    const std::string name = options.input.shown();
    output.write(measure::model_text(name, methods, model),
                 options.json.empty() ? nlohmann::ordered_json() : measure::model_json(name, methods, model),
                 options.plot.empty() ? "" : measure::model_plot(name, methods, model),
                 output.wants_page() ? html::model_page(name, methods, model) : "");
}

void run_measure(const MeasureOptions& options) {
    const std::vector<measure::Method> methods = measure::methods_of(options.elements, options.rules, options.blocks);
    if (options.each && (options.all || options.input.path.empty()))
        throw std::invalid_argument("measure: --each lists the values of one tensor: it needs FILE, and no --all");
    if (options.all && options.input.path.empty()) throw std::invalid_argument("measure: --all needs FILE");
    if (options.input.path.empty()) return print_bytes(options, methods);
    if (options.all) return run_model(options, methods);
    const tensors::TensorFile file(options.input.path, options.input.choice(tensors::value_formats));
    if (options.each && file.info().values > measure::most_listed)
        throw std::invalid_argument(fmt::format("measure: --each is for tensors of at most {} values; this one has {}",
                                                measure::most_listed, file.info().values));
    Output output(options);
    const std::string name = options.input.shown();
    const measure::Measurement measurement = measure::measure(file, methods);
    const std::string each = options.each ? measure::each_text(methods, measurement) + "\n" : "";
    output.write(each + measure::measure_text(name, file.info(), methods, measurement),
                 measure::measure_json(name, file.info(), methods, &measurement),
                 measure::measure_plot(name, methods, measurement),
                 output.wants_page() ? html::measure_page(name, file.info(), methods, measurement) : "");
}

void add_measure_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<MeasureOptions>();
    CLI::App* command =
        app.add_subcommand("measure", "Measure the quantization error of formats, blocks and scale rules on a tensor");
    command->add_option("FILE", options->input.path,
                        "A tensor: .npy, .safetensors, or raw values. Without it, only the bytes of --shape");
    command->add_option("--dtype", options->input.dtype, "Format of the values; default: that of the file")
        ->check(CLI::IsMember({"fp32", "fp16", "bf16"}));
    command->add_option("--shape", options->input.shape, "Sizes with commas: 4096,1024. Raw values are stored by rows");
    command->add_option("--tensor", options->input.name, "Name of a tensor in a safetensors file (the only one)");
    command->add_flag("--all", options->all,
                      "Every tensor of a safetensors file, one row each with the SQNR of every method");
    command->add_flag("--each", options->each,
                      "List every value with its element, scale and result; at most 64 values");
    repeatable(command->add_option("--element", options->elements,
                                   "e4m3, e5m2, e3m2, e2m3, e2m1 or int8 (the first two); may be repeated"),
               "NAME");
    repeatable(
        command->add_option("--rule", options->rules,
                            "Scale: a rule of `mxcert rules`; absmax, tile, row or tensor (FP32); te_nvfp4, "
                            "element_percentile_9999 and the like (`mxcert recipes`); or plain (ocp_floor, rceil, "
                            "tensor, plain); may be repeated"),
        "NAME");
    repeatable(command->add_option("--block", options->blocks,
                                   "Values of a block, 1 to 1024 (32), or a side of a tile; may be repeated"),
               "UINT");
    add_json_option(*command, options->json)
        ->description("Write all figures as JSON, with those of each binade; - is standard output");
    command->add_option("--plot", options->plot, "Write a plot of relative error against magnitude as SVG");
    add_html_option(*command, options->html);
    command->footer(
        "Examples:\n"
        "  mxcert measure weights.npy --plot weights.svg\n"
        "  mxcert measure model.safetensors --tensor layers.0.weight --block 16 --block 32 --block 64\n"
        "  mxcert measure model.safetensors --all --element e4m3 --rule rceil --rule te_nvfp4 --plot model.svg\n"
        "  mxcert measure values.bin --dtype bf16 --shape 4096,1024 --element e4m3 --json figures.json\n"
        "  mxcert measure --shape 31250,32000\n");
    command->callback([options] { run_measure(*options); });
}

const Command registered{Group::tensors, "measure", add_measure_command};

} // namespace
} // namespace mxcert::cli::measure_command

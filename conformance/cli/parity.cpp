// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/parity.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/parity_page.hpp"
#include "conformance/parity/parity_report.hpp"
#include "conformance/parity/tensor_cost.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::cli::parity_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string a;
    std::string b;
    std::vector<std::string> filters;
    std::string operation;
    std::string against;
    std::string before_a;
    std::string before_b;
    std::string values;
    bool transpose = false;
    TensorInput tensor;
    std::string json;
    std::string html;
    std::size_t max_failures = 5;
    BackendOptions run;
};

/// Operations of A and B that are compared.
struct Pair {
    Operation a;
    Operation b;
};

bool is_quantizer(const Operation& operation) {
    return operation.info->name == "quantize" || operation.info->name == "quantize_nvfp4";
}

std::vector<Operation> quantizers_of(const observe::Subject& subject, const std::string& glob) {
    std::vector<Operation> matching;
    for (const Operation& operation : subject.info().operations)
        if (is_quantizer(operation) && (glob.empty() || print::glob_matches(glob, to_string(operation))))
            matching.push_back(operation);
    return matching;
}

/// The one operation that a pattern names.
Operation named(const observe::Subject& subject, const std::string& glob, const char* option) {
    const std::vector<Operation> matching = quantizers_of(subject, glob);
    if (matching.size() == 1) return matching.front();
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(matching.size(), 5); ++i)
        names += "\n  " + to_string(matching[i]);
    throw std::invalid_argument(
        matching.empty() ? fmt::format("{}: {} offers no quantizer '{}': `mxcert backends` lists its operations",
                                       option, print::printable(subject.info().name), print::printable(glob))
                         : fmt::format("{}: '{}' matches {} quantizers of {}; name one of them:{}{}", option,
                                       print::printable(glob), matching.size(), print::printable(subject.info().name),
                                       names, matching.size() > 5 ? "\n  ..." : ""));
}

/// The pair that is named; else those that both offer, or the only quantizer of each.
std::vector<Pair> pairs_of(const observe::Subject& a, const observe::Subject& b, const Options& options) {
    if (!options.operation.empty()) {
        const Operation of_a = named(a, options.operation, "--operation");
        return {{of_a, named(b, options.against.empty() ? to_string(of_a) : options.against,
                             options.against.empty() ? "--operation" : "--against")}};
    }
    std::vector<Pair> pairs;
    const std::vector<Operation> of_b = quantizers_of(b, "");
    for (const Operation& operation : quantizers_of(a, ""))
        if (print::selected(options.filters, to_string(operation)) &&
            std::find(of_b.begin(), of_b.end(), operation) != of_b.end())
            pairs.push_back({operation, operation});
    if (!pairs.empty()) return pairs;
    std::vector<Operation> only_a;
    std::vector<Operation> only_b;
    for (const Operation& operation : quantizers_of(a, ""))
        if (print::selected(options.filters, to_string(operation))) only_a.push_back(operation);
    for (const Operation& operation : of_b)
        if (print::selected(options.filters, to_string(operation))) only_b.push_back(operation);
    if (only_a.size() == 1 && only_b.size() == 1) return {{only_a.front(), only_b.front()}};
    return {};
}

parity::ParityOptions parity_options(const Options& options, Running& a) {
    parity::ParityOptions result;
    result.level = a.level();
    result.seed = options.run.seed;
    if (!options.values.empty()) result.values = &tensors::taken_format(options.values, tensors::value_formats);
    result.transpose = options.transpose;
    result.most_blocks = std::max<std::size_t>(options.max_failures, 8);
    result.stop = &a.stop();
    return result;
}

Activation activation_named(const std::string& name) { return name.empty() ? Activation::none : find_activation(name); }

std::string summary_of(const std::vector<parity::Parity>& all) {
    const auto number = [&](Status status) {
        return std::count_if(all.begin(), all.end(),
                             [&](const parity::Parity& parity) { return parity.status == status; });
    };
    return fmt::format("{} pairs: {} equal, {} different, {} incomplete", all.size(), number(Status::pass),
                       number(Status::fail),
                       static_cast<std::ptrdiff_t>(all.size()) - number(Status::pass) - number(Status::fail));
}

Json json_of(const observe::BackendInfo& info, Activation before) {
    return {{"name", info.name},
            {"version", info.version},
            {"description", info.description},
            {"build_id", info.build_id},
            {"before", to_string(before)}};
}

int parity_command(const Options& options) {
    const observe::BackendSpec spec_a = observe::resolve_backend(options.a);
    const observe::BackendSpec spec_b = observe::resolve_backend(options.b);
    const Activation before_a = activation_named(options.before_a);
    const Activation before_b = activation_named(options.before_b);
    const bool to_stdout = options.json == "-";
    std::optional<files::OutputFile> file;
    if (!options.json.empty() && !to_stdout) file.emplace(options.json);
    std::optional<files::OutputFile> html = html_file(options.html);
    std::optional<tensors::TensorFile> tensor;
    if (!options.tensor.path.empty())
        tensor.emplace(options.tensor.path, options.tensor.choice(tensors::value_formats));
    std::FILE* people = to_stdout ? stderr : stdout;

    Running a(spec_a, options.run);
    Running b(spec_b, options.run);
    if (!a.report_start() || !b.report_start()) return exit_unfinished;
    parity::ParityOptions asking = parity_options(options, a);
    const std::vector<Pair> pairs = pairs_of(*a.subject(), *b.subject(), options);
    if (pairs.empty()) {
        fmt::print(stderr,
                   "mxcert: {} and {} have no quantizer in common{}: name one of each with --operation and --against\n",
                   print::printable(options.a), print::printable(options.b),
                   options.filters.empty() ? "" : " that --filter selects");
        return exit_nothing;
    }
    verdict::GoldenSource golden;
    std::vector<parity::Parity> all;
    std::vector<std::optional<parity::TensorCost>> costs;
    Json results = Json::array();
    const auto clear = [&] {
        a.progress().finish();
        a.progress().clear();
    };
    for (const Pair& pair : pairs) {
        asking.started = [&](const std::string& part, std::uint64_t inputs) {
            clear();
            a.progress().start(to_string(pair.a) + ": " + part, inputs);
        };
        asking.done = [&](std::uint64_t inputs) { a.progress().update(inputs); };
        const parity::Pipeline of_a{a.subject(), pair.a, before_a};
        const parity::Pipeline of_b{b.subject(), pair.b, before_b};
        all.push_back(parity::compare(of_a, of_b, golden, asking));
        costs.emplace_back();
        if (tensor) {
            asking.started("the tensor", tensor->info().values);
            costs.back() = parity::cost_of(of_a, of_b, *tensor, asking);
        }
        clear();
        results.push_back(parity::json_of(all.back(), costs.back()));
        if (options.run.quiet && all.back().status == Status::pass) continue;
        if (all.size() > 1) fmt::print(people, "\n");
        fmt::print(people, "{}{}", parity::text_of(all.back(), options.max_failures),
                   costs.back() ? parity::text_of(*costs.back()) : "");
        std::fflush(people);
    }
    if (all.size() > 1) fmt::print(people, "{}\n", summary_of(all));
    int code = parity::exit_code(all);
    for (Running* running : {&a, &b})
        if (const std::string reason = running->subject()->end_runs(); !reason.empty()) {
            fmt::print(stderr, "mxcert: {}\n", print::printable(reason));
            code = exit_unfinished;
        }
    const bool is_measured = std::all_of(costs.begin(), costs.end(), [](const std::optional<parity::TensorCost>& cost) {
        return !cost || cost->status == Status::pass;
    });
    if (!is_measured && code == exit_ok) code = exit_unfinished;
    const Json json{{"schema", "mxcert-parity-1"},
                    {"tool", {{"name", "mxcert"}, {"version", print::tool_version}}},
                    {"a", json_of(a.subject()->info(), before_a)},
                    {"b", json_of(b.subject()->info(), before_b)},
                    {"seed", asking.seed},
                    {"level", to_string(asking.level)},
                    {"exit_code", code},
                    {"pairs", results}};
    const std::string text = files::json_text(json);
    if (to_stdout) fmt::print("{}", text);
    if (file) file->write(text);
    if (html)
        html->write(html::parity_page(all, costs, {options.a, a.subject()->info()}, {options.b, b.subject()->info()},
                                      asking, code, options.max_failures));
    return code;
}

constexpr const char* footer =
    R"(A and B are BACKENDs as for certify. Both get the same values: every amax and every reachable value of FP16 and BF16, a
sample of FP32; then blocks with special values, tails and matrices of many shapes. Packing and layout of the scales are
undone before the comparison. Different axes are DIFFERENT; with --transpose B gets the transpose of each matrix, and only
the arithmetic is compared.

If they differ, the choices of A are identified, and the changed choice is found that gives every answer of B.

Without --operation every quantizer that both offer is compared, or the only one of each.

Exit codes: 0 equal; 1 different; 2 usage or file error; 3 something could not be compared; 4 nothing was compared.

Examples:
  mxcert parity torchao ./my_kernel.so --filter 'quantize-bf16-e4m3-*'
  mxcert parity portable portable --operation quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any \
      --against quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-any
  mxcert parity ./fused.so ./plain.so --operation '*-srelu' --against 'quantize-bf16-*' --before-b srelu
  mxcert parity torchao compressed_tensors --operation quantize_nvfp4-bf16-torchao_nvfp4-* \
      --against 'quantize_nvfp4-bf16-*' --measure layer.safetensors --tensor mlp.weight)";

void add_parity_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "parity", "Compare two quantizers on all values, and find the choice that explains a difference");
    command->add_option("A", options->a, "The first")->required();
    command->add_option("B", options->b, "The second")->required();
    globs(command->add_option("--filter", options->filters, "Only quantizers that match, repeatable"));
    CLI::Option* operation =
        command->add_option("--operation", options->operation, "The quantizer of A, a name or a pattern");
    command->add_option("--against", options->against, "The quantizer of B (same name)")->needs(operation);
    operation->excludes("--filter");
    command->add_option("--values", options->values,
                        "The type of the tested values: fp32, fp16 or bf16 (values of both sources)");
    command->add_option("--before-a", options->before_a, "An activation applied to the values of A: relu, srelu");
    command->add_option("--before-b", options->before_b, "The same of B");
    command->add_flag("--transpose", options->transpose, "Give B the transpose of each matrix, for a different axis");
    CLI::Option* measure = command->add_option("--measure", options->tensor.path,
                                               "Also quantize this tensor with both, and print the errors");
    measure->type_name("FILE");
    add_tensor_format(*command, options->tensor, "fp32, fp16 or bf16");
    command->add_option("--max-failures", options->max_failures, "Ranges and blocks to print for each part")
        ->capture_default_str();
    add_json_option(*command, options->json);
    add_html_option(*command, options->html);
    add_level_options(*command, options->run, false);
    add_backend_options(*command, options->run);
    command->footer(footer);
    command->callback([options, &exit] { exit.code = parity_command(*options); });
}

const Command registered{Group::test, "parity", add_parity_command};

} // namespace
} // namespace mxcert::cli::parity_command

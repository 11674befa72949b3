// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/identify_page.hpp"
#include "conformance/identify/identify_conversion.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report_identified.hpp"
#include "conformance/suites/given_bits/identify_random.hpp"
#include "conformance/suites/registry.hpp"

namespace mxcert::cli::identify_command {
namespace {

struct Options {
    std::string backend;
    bool matmul = false;
    suites::MoreOfMatmul more;
    std::vector<std::string> filters;
    std::string json;
    std::string html;
    BackendOptions run;
};

/// What was found, as it comes.
struct Taken {
    Running& running;
    std::FILE* out;
    LevelOf level;
    nlohmann::ordered_json json;
    std::vector<suites::Identified> all;
    int code = exit_ok;

    /// `named`: it was asked for by its name.
    void take(const suites::Identified& found, bool named) {
        running.progress().finish();
        running.progress().clear();
        fmt::print(out, "{}", report::text_of(found));
        std::fflush(out);
        all.push_back(found);
        json.push_back(report::json_of(found));
        json.back()["level"] = to_string(level);
        const std::optional<Status> status = report::status_of(found);
        if (!status)
            code = named && code == exit_ok ? exit_failed : code;
        else if (*status != Status::pass)
            code = exit_unfinished;
        else if (!report::is_explained(found) && code == exit_ok)
            code = exit_failed;
    }
};

int identify(const Options& options) {
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    const bool to_stdout = options.json == "-";
    std::optional<files::OutputFile> file;
    if (!options.json.empty() && !to_stdout) file.emplace(options.json);
    std::optional<files::OutputFile> html = html_file(options.html);
    Running running(spec, options.run);
    if (!running.report_start()) return exit_unfinished;
    observe::Subject& subject = *running.subject();
    tell_unmatched("--filter", options.filters, subject.info());
    Taken taken{running, to_stdout ? stderr : stdout, running.level(), nlohmann::ordered_json::array(), {}};
    verdict::GoldenSource golden;
    for (const Conversion& conversion : subject.info().conversions) {
        const std::string id = to_string(conversion);
        if (options.matmul || !print::selected(options.filters, id)) continue;
        running.progress().start(id, 0);
        taken.take(conversion.random_bits != 0 ? suites::identify_random(subject, conversion)
                                               : identify::identify_conversion(subject, conversion, golden),
                   true);
    }
    for (const Operation& operation : subject.info().operations) {
        const std::string id = to_string(operation);
        if ((options.matmul && operation.info->name != "matmul") || !print::selected(options.filters, id)) continue;
        running.progress().start(id, 0);
        const std::string kind = std::string(operation.info->name) + '-';
        const bool named = std::any_of(options.filters.begin(), options.filters.end(),
                                       [&](const std::string& filter) { return filter.starts_with(kind); });
        if (options.more.family || options.more.order != 0) {
            taken.take(suites::identify_matmul(subject, operation, options.more), named);
            continue;
        }
        for (const suites::Identified& found : suites::suite_of(operation).identify(subject, operation, golden))
            taken.take(found, named);
    }
    if (taken.json.empty()) {
        fmt::print(taken.out, "{} offers no {}{}: nothing was identified.\n", print::printable(subject.info().name),
                   options.matmul ? "matrix product" : "conversion or operation",
                   options.filters.empty() ? "" : " of that name");
        return exit_nothing;
    }
    if (const std::string reason = subject.end_runs(); !reason.empty()) {
        fmt::print(stderr, "mxcert: {}\n", print::printable(reason));
        taken.code = exit_unfinished;
    }
    fmt::print(taken.out, "Level: {}\n", to_string(taken.level));
    const std::string text = taken.json.dump(2) + "\n";
    if (file) file->write(text);
    if (html) html->write(html::identify_page(subject.info(), taken.level, taken.all));
    if (to_stdout) fmt::print("{}", text);
    return taken.code;
}

constexpr const char* footer =
    R"(Declarations are ignored. The choices of a conversion (`mxcert choices`) are changed one at a time until they explain every
input; remaining answers are compared with known faults (`mxcert bugs`). For a quantizer this is done for the scale as a
function of the amax, for the elements as a function of scale and value, and for how blocks combine them. Float scales are
compared with every recipe, layouts with known layouts, and products with every accumulator of `mxcert accumulators`; if
none explains all answers, the parameters of the nearest are changed one at a time. A conversion with given random bits is
compared with every stochastic rounding by all of the bits, or a part of them: all that give every answer are named.

Linear layers, scaling and the operation stochastic are not identified; the output says so.

Exit codes: 0 every conversion, block and layout is explained, and every product is that of an accumulator of the table;
1 one is not, --order found no order, or --filter names an operation that is not identified; 2 usage or file error; 3 an ERROR; 4 nothing of that name is offered.

Examples:
  mxcert identify ml_dtypes --filter 'fp16-*'
  mxcert identify portable --filter 'quantize-bf16-*'
  mxcert identify portable --matmul
  mxcert identify ./my_kernel.so --matmul --order 4096
  mxcert identify ./my_kernel.so --matmul --filter 'matmul-e4m3-*' --json found.json)";

void add_identify_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("identify", "Infer rounding, overflow, scales, layout and accumulation from outputs");
    add_backend_argument(*command, options->backend, options->run, "What to identify");
    CLI::Option* matmul = command->add_flag("--matmul", options->matmul, "Only its matrix products");
    command
        ->add_flag("--family", options->more.family,
                   "With --matmul: try every combination of parameters, and count those that remain; seconds a product")
        ->needs(matmul);
    command
        ->add_option("--order", options->more.order,
                     "With --matmul: find in which order N products are added, and by which partial sums")
        ->type_name("N")
        ->transform(number_between(std::size_t{2}, suites::most_ordered))
        ->needs(matmul);
    globs(command->add_option("--filter", options->filters, "Only what matches, repeatable: 'fp32-*', 'quantize-*'"));
    add_json_option(*command, options->json);
    add_html_option(*command, options->html);
    add_level_options(*command, options->run, false);
    add_backend_options(*command, options->run);
    command->footer(footer);
    command->callback([options, &exit] {
        take_backend(options->backend, options->run);
        exit.code = identify(*options);
    });
}

const Command registered{Group::test, "identify", add_identify_command};

} // namespace
} // namespace mxcert::cli::identify_command

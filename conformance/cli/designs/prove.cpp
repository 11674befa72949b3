// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/prove.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cases/reproduce.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/designs/design_options.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/launch/pipe_spec.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report.hpp"
#include "conformance/verdict/profile_for.hpp"
#include "reference/code_text.hpp"

namespace mxcert::cli::prove_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    DesignOptions design;
    std::string conversion;
    std::string profile;
    std::string folder;
    std::string color = "auto";
    double timeout = 300; ///< seconds
    unsigned cycles = 0;
    unsigned max_failures = 1;
    std::string json;
};

/// What is claimed, in a word or two for each column.
std::string claim_text(const prove::Proof& proof) {
    return proof.claim == prove::Claim::steady ? "every input, any state"
                                               : fmt::format("{} cycles from reset", proof.cycles);
}

std::string detail_of(const prove::Proof& proof, const Conversion& conversion) {
    if (proof.planted) return fmt::format("wrong row planted at {} found", code_text(*conversion.from, *proof.planted));
    if (proof.verdict != prove::Verdict::refuted) return proof.reason;
    if (!proof.reason.empty()) return proof.reason;
    const prove::Replayed& seen = *proof.replayed;
    return fmt::format("{} gives {}", code_text(*conversion.from, *seen.asked),
                       seen.code ? code_text(*conversion.to, *seen.code) : "undefined bits");
}

/// Inputs of a format: "2^32".
std::string inputs_of(const Format& format) { return fmt::format("2^{}", format.width()); }

/// What the simulation says of a design with a counterexample, as certify says it.
void explain(const Options& options, const prove::Design& design, const Conversion& conversion, const Profile& profile,
             verdict::GoldenSource& golden, std::optional<Code> counterexample, const prove::SolverOptions& solver,
             std::FILE* people) {
    verdict::Row row = prove::explain_refuted(design, conversion, profile, golden, counterexample, solver);
    if (row.status != Status::fail) {
        fmt::print(people,
                   "\nThe simulation of {} gives no wrong code: what is wrong depends on when inputs come, and "
                   "{} shows it.\n",
                   print::counted(row.compared, "input"), (solver.folder / "*_replay.v").string());
        return;
    }
    auto& table = std::get<verdict::TableFindings>(row.found);
    // The counterexample is one of them, and the others are many.
    if (table.differences.size() > options.max_failures) table.differences.resize(options.max_failures);
    cases::Invocation invocation;
    invocation.backend = launch::pipe_argument(prove::simulation_command(solver), {to_string(conversion)});
    invocation.profiles = {std::string(profile.name)};
    invocation.backend_options = "at-end";
    const report::View view{.color = print::use_color(print::parse_color_mode(options.color), people),
                            .width = print::width_of(people)};
    fmt::print(people, "\n{}", report::failure_text(row, invocation, view));
}

Json json_of(const prove::Proof& proof, const Conversion& conversion) {
    return {{"claim", claim_text(proof)},
            {"lane", proof.lane},
            {"verdict", to_string(proof.verdict)},
            {"seconds", proof.seconds},
            {"detail", print::printable(detail_of(proof, conversion))}};
}

int exit_code_of(const std::vector<prove::Proof>& proofs) {
    const auto any = [&](prove::Verdict verdict) {
        return std::any_of(proofs.begin(), proofs.end(), [&](const auto& proof) { return proof.verdict == verdict; });
    };
    if (any(prove::Verdict::refuted)) return exit_failed;
    return any(prove::Verdict::unproven) || proofs.empty() ? exit_unfinished : exit_ok;
}

int prove_command(const Options& options) {
    JsonOutput output(options.json);
    std::FILE* people = output.people();
    const prove::Design design = design_of(options.design);
    prove::check(design);
    const Conversion conversion = parse_conversion(options.conversion);
    const Profile& profile = verdict::profile_for(conversion, options.profile);
    verdict::GoldenSource golden;
    const verdict::GoldenUsed& used = golden.get(profile, conversion);
    const PermitTable permitted = select(used.golden, profile, conversion);

    prove::ProveOptions proving;
    proving.cycles = options.cycles;
    proving.solver.folder = options.folder.empty() ? design.top + "_proof" : options.folder;
    proving.solver.limit = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * 1000));
    proving.solver.stop = &stop_on_signals();

    fmt::print(people, "{} against {} of {}: {}\n\n{:<26}{:<6}{:<10}{:>9}  {}\n", design.top, to_string(conversion),
               profile.name, print::counted(permitted.steps.size(), "step"), "claim", "lane", "verdict", "seconds",
               "detail");
    const std::vector<prove::Proof> proofs =
        prove::prove(design, conversion, permitted, proving, [&](const prove::Proof& proof) {
            fmt::print(people, "{:<26}{:<6}{:<10}{:>9.1f}  {}\n", claim_text(proof), proof.lane,
                       to_string(proof.verdict), proof.seconds, detail_of(proof, conversion));
            std::fflush(people);
        });
    const auto refuted = std::find_if(proofs.begin(), proofs.end(), [](const prove::Proof& proof) {
        return proof.verdict == prove::Verdict::refuted;
    });
    if (refuted != proofs.end())
        explain(options, design, conversion, profile, golden, refuted->replayed->asked, proving.solver, people);

    const int code = exit_code_of(proofs);
    const std::string solver = prove::solver_version(proving.solver);
    if (code == exit_ok)
        fmt::print(people, "\nPROVEN: {} gives what {} permits on all {} inputs, by {}\n", design.top, profile.name,
                   inputs_of(*conversion.from), solver);
    else if (code == exit_failed)
        fmt::print(people, "\nFAIL: {} gives what {} does not permit; the simulation confirms it\n", design.top,
                   profile.name);
    else
        fmt::print(people, "\nUNPROVEN: neither a proof nor a counterexample of {} that the simulation confirms\n",
                   design.top);
    fmt::print(people, "Solver input: {}\n", print::shell_word(proving.solver.folder.string()));
    output.write([&] {
        Json json{{"design", design.top},
                  {"conversion", to_string(conversion)},
                  {"profile", profile.name},
                  {"steps", permitted.steps.size()},
                  {"rows", Json::array()}};
        for (const prove::Proof& proof : proofs) json["rows"].push_back(json_of(proof, conversion));
        json["verdict"] = code == exit_ok ? "PROVEN" : code == exit_failed ? "FAIL" : "UNPROVEN";
        json["solver"] = solver;
        json["folder"] = proving.solver.folder.string();
        json["exit_code"] = code;
        return json;
    });
    return code;
}

constexpr const char* footer =
    R"(The permit table of the conversion becomes a module of comparators, and yosys searches for an input with a wrong code. For
each lane, from any state: the answer to each input is right --latency cycles later. With valid signals also: for --cycles
cycles from a reset, with any valid and ready signals, the answers are right and in order. Each proof is repeated with one
wrong row in the table, which must be found. Icarus Verilog simulates a counterexample.

Exit codes: 0 PROVEN; 1 FAIL, a counterexample that the simulation confirms; 2 a bad argument, or a design that yosys cannot read;
3 UNPROVEN: a timeout, or a missing program.

Examples:
  mxcert prove my_cvt.v --top my_cvt --conversion fp32-e4m3-nearest_even-sat
  mxcert prove pipe.sv cvt.sv --top pipe --conversion fp32-e5m2-nearest_even-nosat --clock clk --latency 3 --lanes 4
  mxcert prove my_cvt.v --top my_cvt --conversion fp64-e4m3-nearest_even-sat --profile ocp-sat --timeout 60)";

void add_prove_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("prove", "Prove that a hardware design gives what a profile permits, on every input");
    command->add_option("DESIGN", options->design.design.files, "Files in Verilog or SystemVerilog")->required();
    command->add_option("--conversion", options->conversion, "For instance fp32-e4m3-nearest_even-sat")->required();
    command->add_option("--profile", options->profile,
                        "Default: ocp-sat or ocp-nosat, by the overflow mode, or the first profile "
                        "that judges it");
    command
        ->add_option("--folder", options->folder, "Folder for the files of the proof; TOP_proof if this is not given")
        ->type_name("DIR");
    command->add_option("--timeout", options->timeout, "Seconds for each call of the solver (300)")
        ->transform(number_between(0.001, 1e6));
    command
        ->add_option("--cycles", options->cycles, "Cycles from a reset with any valid and ready signals (latency + 7)")
        ->transform(number_between(2U, 200U));
    command->add_option("--max-failures", options->max_failures, "Wrong inputs that are listed (1)")
        ->transform(number_between(0U, 1000U));
    command->add_option("--color", options->color, "auto, always or never (auto)");
    add_json_option(*command, options->json);
    add_design_options(*command, options->design);
    command->get_option("--top")->required();
    command->footer(footer);
    command->callback([options, &exit] { exit.code = prove_command(*options); });
}

const Command registered{Group::test, "prove", add_prove_command};

} // namespace
} // namespace mxcert::cli::prove_command

// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/solve.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"
#include "conformance/print/text.hpp"
#include "conformance/prove/run_program.hpp"

namespace mxcert::prove {
namespace {

constexpr std::string_view proven = "SAT proof finished - no model found: SUCCESS!";
constexpr std::string_view refuted = "SAT proof finished - model found: FAIL!";

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string script_of(const Design& design, const Miter& miter, const std::string& name,
                      const std::string& table_file) {
    std::string settings;
    for (const std::string& define : design.defines) settings += " -D" + define;
    for (const std::string& folder : design.includes) settings += " -I" + std::filesystem::absolute(folder).string();
    std::string script = fmt::format("read_verilog -sv {} {}.v\n", table_file, name);
    for (const std::string& file : design.files)
        script += fmt::format("read_verilog -sv{} \"{}\"\n", settings, std::filesystem::absolute(file).string());
    // Any state at all may be the first one: what a design starts with is no part of the claim.
    script += "hierarchy -check -top miter\nproc\nsetattr -unset init */w:*\nflatten\nopt_expr\nopt_clean\n"
              "memory -nomap\nmemory_map\nopt -fast\nasync2sync\nopt_clean\n";
    // Undefined bits are wrong. Over many cycles they would take several times as long, and what they do to an answer
    // the steady claim has shown.
    std::string sat = fmt::format("sat -prove bad 0{}", miter.reset_first ? "" : " -enable_undef -set-def-inputs");
    if (!design.clock.empty()) sat += fmt::format(" -seq {} -prove-skip {}", miter.cycles, miter.cycles - 1);
    if (!design.clock.empty() && !miter.reset_first) sat += " -set-init-def";
    for (unsigned cycle = 1; cycle <= miter.cycles && !design.clock.empty(); ++cycle)
        sat += fmt::format(" -set-at {} reset 1'b{}", cycle, miter.reset_first && cycle == 1 ? 1 : 0);
    if (design.clock.empty()) sat += " -set reset 1'b0";
    for (const Signal& signal : miter.inputs) sat += " -show " + signal.name;
    return script + sat + "\n";
}

/// Rows "4 \x0  1055653888  3eec0000  0011..." after the heading of the model; without -seq there is no first column.
std::vector<std::map<std::string, std::string>> cycles_of(const std::string& log, const Miter& miter) {
    std::vector<std::map<std::string, std::string>> cycles(miter.cycles);
    std::istringstream lines(log.substr(log.find(refuted)));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> row{std::istream_iterator<std::string>(words), {}};
        const std::size_t at = row.size() > 1 && row.front().front() != '\\' ? 1 : 0;
        if (row.size() < at + 2 || row[at].front() != '\\') continue;
        const std::size_t cycle = at == 0 ? 1 : std::strtoul(row.front().c_str(), nullptr, 10);
        if (cycle >= 1 && cycle <= cycles.size()) cycles[cycle - 1][row[at].substr(1)] = row.back();
    }
    for (const auto& signals : cycles)
        for (const Signal& signal : miter.inputs)
            if (const auto found = signals.find(signal.name);
                found == signals.end() || found->second.find_first_not_of("01") != std::string::npos)
                throw std::runtime_error(
                    fmt::format("yosys gives no value of '{}' in its counterexample", signal.name));
    return cycles;
}

/// The lines of yosys's log that say why it stopped.
std::string errors_of(const std::string& log) {
    std::string errors;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (line.find("ERROR") != std::string::npos) errors += (errors.empty() ? "" : "; ") + print::printable(line);
    return errors;
}

} // namespace

Answer solve(const Design& design, const Miter& miter, const std::string& name, const std::string& table_file,
             const SolverOptions& options) {
    files::OutputFile(options.folder / (name + ".v")).write(miter.text);
    files::OutputFile(options.folder / (name + ".ys")).write(script_of(design, miter, name, table_file));
    const auto began = std::chrono::steady_clock::now();
    const Ran ran = run_program(options.folder, fmt::format("exec yosys -q -l {0}.log -s {0}.ys", name), options.limit,
                                *options.stop);
    Answer answer;
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    switch (ran.end) {
    case Ran::End::missing: answer.reason = "yosys is not here: apt-get install yosys"; return answer;
    case Ran::End::too_late:
        answer.reason = fmt::format("not decided within {} s; --timeout gives it longer",
                                    std::chrono::duration<double>(options.limit).count());
        return answer;
    case Ran::End::stopped: answer.reason = "stopped"; return answer;
    default: break;
    }
    const std::string log = text_of(options.folder / (name + ".log"));
    if (ran.end == Ran::End::failed) {
        const std::string errors = errors_of(log);
        throw std::runtime_error(fmt::format("yosys: {}", errors.empty() ? ran.how : errors));
    }
    if (log.find(proven) != std::string::npos) {
        answer.kind = Answer::Kind::holds;
    } else if (log.find(refuted) != std::string::npos) {
        answer.kind = Answer::Kind::refuted;
        answer.cycles = cycles_of(log, miter);
    } else {
        answer.reason = fmt::format("yosys came to no answer; {}.log in the folder says more", name);
    }
    return answer;
}

std::string solver_version(const SolverOptions& options) {
    const Ran ran = run_program(options.folder, "exec yosys -V", options.limit, *options.stop);
    if (ran.end != Ran::End::cleanly) return "";
    return ran.out.substr(0, ran.out.find(" ("));
}

} // namespace mxcert::prove

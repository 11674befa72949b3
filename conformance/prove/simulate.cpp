// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/simulate.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"
#include "conformance/print/text.hpp"
#include "conformance/prove/run_program.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::prove {
namespace {

constexpr std::string_view no_icarus = "Icarus Verilog is not here to simulate it: apt-get install iverilog";

/// The code of digits; none of anything else, such as the x of an undefined one.
std::optional<Code> code_of(const std::string& digits, int base) {
    Code code = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return code;
}

/// Compiles with the sources of the design. "" or why it failed.
std::string compile(const Design& design, const std::string& top, const std::string& output,
                    const std::vector<std::string>& sources, const SolverOptions& options) {
    std::string command = fmt::format("exec iverilog -g2012 -s {} -o {}", top, output);
    for (const std::string& define : design.defines) command += " -D" + define;
    for (const std::string& folder : design.includes)
        command += " -I " + print::shell_word(std::filesystem::absolute(folder).string());
    for (const std::string& source : sources) command += " " + source;
    for (const std::string& file : design.files)
        command += " " + print::shell_word(std::filesystem::absolute(file).string());
    const Ran ran = run_program(options.folder, command, options.limit, *options.stop);
    if (ran.end == Ran::End::missing) return std::string(no_icarus);
    return ran.end == Ran::End::cleanly ? "" : "iverilog: " + ran.how;
}

std::string replay_text(const Miter& miter, const Answer& answer) {
    std::string text = "module replay;\n    reg clk = 0;\n    wire bad;\n";
    std::string ports = ".clk(clk), .bad(bad), .asked(asked), .answer(answer)";
    for (const Signal& signal : miter.inputs) {
        text += fmt::format("    reg [{}:0] {} = {};\n", signal.width - 1, signal.name, signal.name == "reset" ? 1 : 0);
        ports += fmt::format(", .{0}({0})", signal.name);
    }
    text +=
        "    miter miter (" + ports + ");\n    initial begin\n        repeat (4) begin #1 clk = 1; #1 clk = 0; end\n";
    for (std::size_t cycle = 0; cycle < answer.cycles.size(); ++cycle) {
        for (const Signal& signal : miter.inputs)
            text +=
                fmt::format("        {} = {}'b{};\n", signal.name, signal.width, answer.cycles[cycle].at(signal.name));
        if (cycle + 1 != answer.cycles.size()) text += "        #1 clk = 1; #1 clk = 0;\n";
    }
    return text + "        #1 $display(\"bad=%b asked=%b answer=%b\", bad, asked, answer);\n        $finish;\n"
                  "    end\nendmodule\n";
}

std::string member(const std::string& line, const std::string& name) {
    const std::size_t at = line.find(name + "=");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 1;
    return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

// Valid and ready signals pause now and then, so that what goes wrong in a stall is seen.
constexpr std::string_view testbench = R"(module simulate;
    reg clk = 0, reset = 1, in_valid = 0, out_ready = 1;
    wire in_ready, out_valid;
    reg  [@VALUES@:0] all_x = 0;
    @SCALE@
    wire [@CODES@:0] all_code;
@INSTANCE@
    reg [@WIDTH@:0] words [0:1048575];
    integer count = 0, next = 0, given = 0, lane, cycle = 0, status, idle = 0;
    integer due [0:@LATENCY@];
    reg fed;

    task give; // the next inputs, the last one again where there are no more
        for (lane = 0; lane < @LANES@; lane = lane + 1) begin
            all_x[lane*@VALUE@ +: @VALUE@] = words[next + lane < count ? next + lane : count - 1];
            @GIVESCALE@
        end
    endtask
    task take(input integer first);
        for (lane = 0; lane < @LANES@ && first + lane < count; lane = lane + 1)
            $display("%h", all_code[lane*@CODE@ +: @CODE@]);
    endtask

    initial begin
        status = 1;
        while (status == 1 && count < 1048576) begin
            status = $fscanf(32'h80000000, "%h", words[count]);
            if (status == 1) count = count + 1;
        end
        repeat (4) begin #1 clk = 1; #1 clk = 0; end
        reset = 0;
        for (lane = 0; lane <= @LATENCY@; lane = lane + 1) due[lane] = -1;
        while (given < count && idle < 1000) begin
            in_valid = next < count && cycle % 5 != 3;
            out_ready = cycle % 7 != 2;
            give;
            fed = @FED@;
            #1 if (@TAKEN@) begin
                take(@FIRST@);
                given = given + @LANES@;
                idle = 0;
            end
            idle = idle + 1;
            fed = @FED@;
            for (lane = @LATENCY@; lane > 0; lane = lane - 1) due[lane] = due[lane - 1];
            due[0] = fed ? next : -1;
            if (fed) next = next + @LANES@;
            #1 clk = 1; #1 clk = 0;
            cycle = cycle + 1;
        end
        $finish;
    end
endmodule
)";

std::string testbench_text(const Design& design, const Conversion& conversion) {
    const Format& from = *conversion.from;
    const int lanes = static_cast<int>(design.lanes);
    const int value = from.value_width();
    const int scale = from.scale == nullptr ? 0 : from.scale->width();
    const int code = conversion.to->width();
    const bool by_valid = !design.in_valid.empty();
    const std::pair<std::string_view, std::string> places[]{
        {"@INSTANCE@", instance_of(design, conversion)},
        {"@VALUES@", fmt::format("{}", value * lanes - 1)},
        {"@CODES@", fmt::format("{}", code * lanes - 1)},
        {"@WIDTH@", fmt::format("{}", from.width() - 1)},
        {"@SCALE@", scale == 0 ? "" : fmt::format("reg [{}:0] all_scale = 0;", scale * lanes - 1)},
        {"@GIVESCALE@", scale == 0 ? ""
                                   : fmt::format("all_scale[lane*{0} +: {0}] = words[next + lane < count ? next + "
                                                 "lane : count - 1] >> {1};",
                                                 scale, value)},
        {"@LANES@", fmt::format("{}", lanes)},
        {"@VALUE@", fmt::format("{}", value)},
        {"@CODE@", fmt::format("{}", code)},
        {"@LATENCY@", fmt::format("{}", design.latency)},
        {"@FED@", !by_valid                 ? "next < count"
                  : design.in_ready.empty() ? "in_valid"
                                            : "in_valid && in_ready"},
        {"@TAKEN@", by_valid              ? "out_valid === 1'b1 && out_ready"
                    : design.latency == 0 ? "fed"
                                          : fmt::format("due[{}] >= 0", design.latency - 1)},
        {"@FIRST@", "given"},
    };
    std::string text(testbench);
    for (const auto& [place, replacement] : places)
        for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += replacement.size())
            text.replace(at, place.size(), replacement);
    // Without ready signals nothing can be held back.
    if (design.out_ready.empty()) text.replace(text.find("cycle % 7 != 2"), 14, "1");
    return text;
}

} // namespace

Replayed replay(const Design& design, const Conversion& conversion, const Miter& miter, const std::string& name,
                const std::string& table_file, const Answer& answer, const SolverOptions& options) {
    std::string text = replay_text(miter, answer);
    text.insert(text.find("    reg clk"), fmt::format("    wire [{}:0] asked;\n    wire [{}:0] answer;\n",
                                                      conversion.from->width() - 1, conversion.to->width() - 1));
    files::OutputFile(options.folder / (name + "_replay.v")).write(text);
    Replayed replayed;
    replayed.reason = compile(design, "replay", name + ".vvp", {table_file, name + ".v", name + "_replay.v"}, options);
    if (!replayed.reason.empty()) return replayed;
    const Ran ran = run_program(options.folder, fmt::format("exec vvp -n {}.vvp", name), options.limit, *options.stop);
    const std::string bad = member(ran.out, "bad");
    if (ran.end != Ran::End::cleanly || bad.empty()) {
        replayed.reason = "the simulation came to no answer: " + ran.how;
        return replayed;
    }
    replayed.asked = code_of(member(ran.out, "asked"), 2);
    replayed.code = code_of(member(ran.out, "answer"), 2);
    replayed.bad = bad != "0"; // undefined is not right either
    return replayed;
}

std::string build_simulation(const Design& design, const Conversion& conversion, const SolverOptions& options) {
    files::OutputFile(options.folder / "simulate.v").write(testbench_text(design, conversion));
    return compile(design, "simulate", "simulate.vvp", {"simulate.v"}, options);
}

std::string simulation_command(const SolverOptions& options) {
    return "vvp -n " + print::shell_word((options.folder / "simulate.vvp").string());
}

std::vector<inputs::Point> simulate(const Conversion& conversion, const std::vector<Code>& asked,
                                    const SolverOptions& options) {
    std::string text;
    for (const Code input : asked) text += hex(input, *conversion.from) + "\n";
    files::OutputFile(options.folder / "inputs.hex").write(text);
    const Ran ran = run_program(options.folder, "exec vvp -n simulate.vvp < inputs.hex", options.limit, *options.stop);
    if (ran.end != Ran::End::cleanly) throw std::runtime_error("the simulation did not end: " + ran.how);
    std::vector<inputs::Point> points;
    std::istringstream lines(ran.out);
    std::size_t at = 0;
    for (std::string line; at < asked.size() && std::getline(lines, line); ++at)
        if (const std::optional<Code> code = code_of(line, 16)) points.push_back({asked[at], 0, *code});
    return points;
}

} // namespace mxcert::prove

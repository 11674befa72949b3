// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/miter.hpp"

#include <fmt/format.h>

namespace mxcert::prove {
namespace {

std::string port(std::string_view kind, const Signal& signal) {
    return fmt::format("    {} wire {}{},\n", kind, signal.width == 1 ? "" : fmt::format("[{}:0] ", signal.width - 1),
                       signal.name);
}

std::string lane_name(std::string_view name, unsigned lane) { return fmt::format("{}{}", name, lane); }

/// {x2, x1, x0}
std::string joined(std::string_view name, unsigned lanes) {
    std::string text;
    for (unsigned lane = lanes; lane-- != 0;) text += lane_name(name, lane) + (lane == 0 ? "" : ", ");
    return "{" + text + "}";
}

// The input of the lane goes through as many registers as an answer takes cycles.
std::string steady_body(const Design& design, int width) {
    std::string text;
    for (unsigned i = 0; i < design.latency; ++i)
        text += fmt::format("    reg [{}:0] past{};\n    always @(posedge clk) past{} <= {};\n", width - 1, i, i,
                            i == 0 ? "given" : lane_name("past", i - 1));
    text += fmt::format("    assign asked = {};\n    assign answer = taken;\n",
                        design.latency == 0 ? "given" : lane_name("past", design.latency - 1));
    text += fmt::format("    assign bad = !permitted{};\n", design.out_valid.empty() ? "" : " || !out_valid");
    return text;
}

// Inputs and answers are counted, and one of them, which the solver chooses, is kept.
std::string handshake_body(int width, int code_width) {
    return fmt::format(R"(    reg [7:0] watched, inputs, answers;
    reg [{}:0] kept_input;
    reg [{}:0] kept_answer;
    reg has_answer, too_early;
    always @(posedge clk)
        if (reset) begin
            watched <= which;
            inputs <= 0;
            answers <= 0;
            has_answer <= 0;
            too_early <= 0;
        end else begin
            if (in_valid && in_ready) begin
                inputs <= inputs + 1;
                if (inputs == watched) kept_input <= given;
            end
            if (out_valid && out_ready) begin
                answers <= answers + 1;
                if (answers == inputs) too_early <= 1;
                if (answers == watched) begin
                    kept_answer <= taken;
                    has_answer <= 1;
                end
            end
        end
    assign asked = kept_input;
    assign answer = kept_answer;
    assign bad = too_early || (has_answer && !permitted);
)",
                       width - 1, code_width - 1);
}

} // namespace

std::vector<Claim> claims_of(const Design& design) {
    if (design.in_valid.empty()) return {Claim::steady};
    return {Claim::steady, Claim::handshake};
}

std::string_view to_string(Claim claim) { return claim == Claim::steady ? "steady" : "handshake"; }

Miter miter_of(const Design& design, const Conversion& conversion, std::string_view table, Claim claim, unsigned lane,
               unsigned cycles, const std::optional<InputRange>& part) {
    const Format& from = *conversion.from;
    const int value_width = from.value_width();
    const int code_width = conversion.to->width();
    const bool stalls = claim == Claim::handshake;
    Miter miter;
    miter.reset_first = stalls;
    miter.cycles = stalls ? cycles : 2 * design.latency + 1; // the state is that of inputs which the solver shows
    miter.inputs.push_back({"reset", 1});
    for (unsigned i = 0; i < design.lanes; ++i) miter.inputs.push_back({lane_name("x", i), value_width});
    if (from.scale != nullptr)
        for (unsigned i = 0; i < design.lanes; ++i)
            miter.inputs.push_back({lane_name("scale", i), from.scale->width()});
    if (stalls) {
        miter.inputs.push_back({"which", 8});
        miter.inputs.push_back({"in_valid", 1});
        if (!design.out_ready.empty()) miter.inputs.push_back({"out_ready", 1});
    }
    std::string& text = miter.text;
    text =
        fmt::format("// {}: {}, lane {}\nmodule miter (\n    input  wire clk,\n", design.top, to_string(claim), lane);
    for (const Signal& signal : miter.inputs) text += port("input ", signal);
    text +=
        port("output", {"asked", from.width()}) + port("output", {"answer", code_width}) + "    output wire bad\n);\n";
    if (!stalls) text += "    wire in_valid = 1'b1;\n";
    if (!stalls || design.out_ready.empty()) text += "    wire out_ready = 1'b1;\n";
    text += "    wire out_valid;\n";
    text += design.in_ready.empty() ? "    wire in_ready = 1'b1;\n" : "    wire in_ready;\n";
    text += fmt::format("    wire [{}:0] all_x = {};\n", value_width * static_cast<int>(design.lanes) - 1,
                        joined("x", design.lanes));
    if (from.scale != nullptr)
        text += fmt::format("    wire [{}:0] all_scale = {};\n",
                            from.scale->width() * static_cast<int>(design.lanes) - 1, joined("scale", design.lanes));
    text += fmt::format("    wire [{}:0] all_code;\n", code_width * static_cast<int>(design.lanes) - 1);
    text += instance_of(design, conversion);
    text += fmt::format("    wire [{}:0] given = {};\n", from.width() - 1,
                        from.scale == nullptr ? lane_name("x", lane)
                                              : "{" + lane_name("scale", lane) + ", " + lane_name("x", lane) + "}");
    text += fmt::format("    wire [{}:0] taken = all_code[{} +: {}];\n", code_width - 1,
                        static_cast<int>(lane) * code_width, code_width);
    text += fmt::format("    wire in_table;\n    {} table_ (.x(asked), .code(answer), .permitted(in_table));\n", table);
    text += "    wire permitted = in_table";
    if (part)
        text += fmt::format(" || !(asked >= {0}'h{1:X} && asked <= {0}'h{2:X})", from.width(), part->first, part->last);
    text += ";\n";
    text += stalls ? handshake_body(from.width(), code_width) : steady_body(design, from.width());
    text += "endmodule\n";
    return miter;
}

} // namespace mxcert::prove

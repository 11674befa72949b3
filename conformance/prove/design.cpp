// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/design.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::prove {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Constants of Verilog, and nothing that ends an expression or a line of a script.
bool is_value(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '\''; });
}

/// Of a file or folder that scripts and commands name.
void check_path(const std::string& path) {
    if (path.find_first_of("\"\\\n;#") != std::string::npos)
        throw std::invalid_argument(
            fmt::format("'{}': the path of a design's file cannot have one of \" \\ ; #", print::printable(path)));
}

void check_file(const std::string& file) {
    check_path(file);
    if (!std::filesystem::is_regular_file(file))
        throw std::invalid_argument(fmt::format("'{}' is no file", print::printable(file)));
}

void check_folder(const std::string& folder) {
    check_path(folder);
    if (std::filesystem::absolute(folder).string().find(' ') != std::string::npos)
        throw std::invalid_argument(
            fmt::format("--include: '{}': yosys reads no path with a space", print::printable(folder)));
    if (!std::filesystem::is_directory(folder))
        throw std::invalid_argument(fmt::format("--include: '{}' is no folder", print::printable(folder)));
}

} // namespace

bool is_identifier(std::string_view text) {
    return !text.empty() && (text.front() < '0' || text.front() > '9') &&
           std::all_of(text.begin(), text.end(), is_word);
}

void check(const Design& design) {
    if (design.files.empty()) throw std::invalid_argument("no file of a design is named");
    for (const std::string& file : design.files) check_file(file);
    for (const std::string& folder : design.includes) check_folder(folder);
    const std::pair<const char*, const std::string*> needed[]{
        {"--top", &design.top}, {"--input", &design.input}, {"--scale", &design.scale}, {"--output", &design.output}};
    const std::pair<const char*, const std::string*> optional[]{
        {"--clock", &design.clock},       {"--reset", &design.reset},         {"--in-valid", &design.in_valid},
        {"--in-ready", &design.in_ready}, {"--out-valid", &design.out_valid}, {"--out-ready", &design.out_ready}};
    const auto check_name = [](const char* option, const std::string& name) {
        if (!is_identifier(name))
            throw std::invalid_argument(
                fmt::format("{}: '{}' is not an identifier of Verilog", option, print::printable(name)));
    };
    for (const auto& [option, name] : needed) check_name(option, *name);
    for (const auto& [option, name] : optional)
        if (!name->empty()) check_name(option, *name);
    for (const auto& [name, value] : design.parameters) {
        check_name("--parameter", name);
        if (!is_value(value))
            throw std::invalid_argument(
                fmt::format("--parameter {}: '{}' is not a constant of Verilog", name, print::printable(value)));
    }
    for (const std::string& define : design.defines) {
        const std::size_t equals = std::min(define.find('='), define.size());
        check_name("--define", define.substr(0, equals));
        if (equals + 1 < define.size() && !is_value(define.substr(equals + 1)))
            throw std::invalid_argument(
                fmt::format("--define '{}': the value is not a constant of Verilog", print::printable(define)));
    }
    if (design.clock.empty() && (design.latency != 0 || !design.reset.empty() || !design.in_valid.empty()))
        throw std::invalid_argument("a latency, a reset and valid signals need a --clock");
    if (!design.clock.empty() && design.latency == 0)
        throw std::invalid_argument("a design with a --clock needs its --latency in cycles");
    if (design.in_valid.empty() != design.out_valid.empty())
        throw std::invalid_argument("--in-valid and --out-valid belong together");
    if (design.in_ready.empty() != design.out_ready.empty())
        throw std::invalid_argument("--in-ready and --out-ready belong together");
    if (!design.in_ready.empty() && design.in_valid.empty())
        throw std::invalid_argument("ready signals need valid signals");
    if (!design.in_valid.empty() && design.reset.empty())
        throw std::invalid_argument("a design with valid signals needs its --reset");
}

std::string instance_of(const Design& design, const Conversion& conversion) {
    std::string parameters;
    for (const auto& [name, value] : design.parameters)
        parameters += fmt::format("{}.{}({})", parameters.empty() ? "" : ", ", name, value);
    std::string ports = fmt::format(".{}(all_x), .{}(all_code)", design.input, design.output);
    if (conversion.from->scale != nullptr) ports += fmt::format(", .{}(all_scale)", design.scale);
    const auto connect = [&](const std::string& port, std::string_view wire) {
        if (!port.empty()) ports += fmt::format(", .{}({})", port, wire);
    };
    connect(design.clock, "clk");
    connect(design.reset, design.reset_low ? "!reset" : "reset");
    connect(design.in_valid, "in_valid");
    connect(design.in_ready, "in_ready");
    connect(design.out_valid, "out_valid");
    connect(design.out_ready, "out_ready");
    return fmt::format("    {} {}dut ({});\n", design.top, parameters.empty() ? "" : "#(" + parameters + ") ", ports);
}

} // namespace mxcert::prove

// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/designs/design_options.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {

void add_design_options(CLI::App& command, DesignOptions& options) {
    constexpr const char* group = "The design";
    prove::Design& design = options.design;
    const auto name = [&](const char* option, std::string& value, const char* says) {
        command.add_option(option, value, says)->type_name("NAME")->group(group);
    };
    name("--top", design.top, "Its top module");
    name("--input", design.input, "Port of the values: all lanes, lane 0 in the lowest bits (x)");
    name("--scale", design.scale,
         "Port of the given scales, of a conversion that has one; of a quantizer its scale (scale)");
    name("--output", design.output, "Port of the codes, all lanes (code)");
    name("--clock", design.clock, "Clock; without it the design is combinational");
    name("--reset", design.reset, "Synchronous or asynchronous reset; !NAME if it is active low");
    name("--in-valid", design.in_valid, "Input: the values of this cycle are valid");
    name("--in-ready", design.in_ready, "Output: the design accepts them");
    name("--out-valid", design.out_valid, "Output: the codes of this cycle are valid");
    name("--out-ready", design.out_ready, "Input: they are accepted");
    command.add_option("--latency", design.latency, "Cycles from a value to its code while nothing stalls")
        ->transform(number_between(1U, prove::max_latency))
        ->group(group);
    command.add_option("--lanes", design.lanes, "Values a cycle (1)")
        ->transform(number_between(1U, prove::max_lanes))
        ->group(group);
    repeatable(command.add_option("--parameter", options.parameters, "Parameter of the top module; may be repeated"),
               "NAME=VALUE")
        ->group(group);
    repeatable(command.add_option("--define", design.defines, "Macro of the preprocessor; may be repeated"),
               "NAME[=VALUE]")
        ->group(group);
    repeatable(command.add_option("--include", design.includes, "Folder of files that it includes; may be repeated"),
               "DIR")
        ->group(group);
}

prove::Design design_of(const DesignOptions& options) {
    prove::Design design = options.design;
    for (const std::string& parameter : options.parameters) {
        const std::size_t equals = parameter.find('=');
        if (equals == std::string::npos)
            throw std::invalid_argument(
                fmt::format("--parameter '{}': expected NAME=VALUE", print::printable(parameter)));
        design.parameters.emplace_back(parameter.substr(0, equals), parameter.substr(equals + 1));
    }
    design.reset_low = !design.reset.empty() && design.reset.front() == '!';
    if (design.reset_low) design.reset.erase(0, 1);
    return design;
}

} // namespace mxcert::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/certify.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::cli::backends_command {
namespace {

using Names = std::vector<std::string>;

void append(Names& names, std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

// The ways a source is converted to a target: all roundings with all overflow modes where that is what is offered, else
// each pair of them.
struct Ways {
    Names roundings;
    Names overflows;
    Names pairs;

    [[nodiscard]] std::string text() const {
        if (roundings.size() * overflows.size() == pairs.size())
            return fmt::format("{}; {}", fmt::join(roundings, " "), fmt::join(overflows, " "));
        return fmt::format("{}", fmt::join(pairs, " "));
    }
};

void print_offers(const std::vector<Conversion>& conversions) {
    std::vector<std::pair<std::string, Names>> lines; // " -> e4m3: ways", its sources
    std::map<std::pair<const Format*, const Format*>, Ways> ways;
    std::vector<std::pair<const Format*, const Format*>> order;
    for (const Conversion& c : conversions) {
        const auto [at, fresh] = ways.try_emplace({c.from, c.to});
        if (fresh) order.emplace_back(c.from, c.to);
        std::string rounding(value_name(choices_of(c), rounding_or_rule(*c.to)));
        if (is_stochastic(c.rounding)) rounding += std::to_string(c.random_bits);
        const std::string overflow(value_name(choices_of(c), Choice::overflow));
        append(at->second.roundings, rounding);
        append(at->second.overflows, overflow);
        append(at->second.pairs, rounding + '-' + overflow);
    }
    for (const auto& pair : order) {
        const std::string line = fmt::format("{:<8} {}", pair.second->name, ways.at(pair).text());
        auto at = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == line; });
        if (at == lines.end()) at = lines.insert(lines.end(), {line, {}});
        at->second.emplace_back(pair.first->name);
    }
    for (const auto& [line, sources] : lines)
        fmt::print("    {:>20} -> {}\n", fmt::format("{}", fmt::join(sources, " ")), line);
}

/// "quantize, 36 of them: source=fp32|fp16|bf16 element=e4m3|e5m2 ...": not every combination need be there.
void print_operations(const std::vector<Operation>& operations) {
    for (const OperationInfo& info : all_operations()) {
        std::vector<std::string_view> attributes(info.attributes.begin(), info.attributes.end());
        const std::vector<std::string_view> optional = optional_attributes(info);
        attributes.insert(attributes.end(), optional.begin(), optional.end());
        std::vector<std::string> seen(attributes.size());
        std::size_t count = 0;
        for (const Operation& operation : operations) {
            if (operation.info != &info) continue;
            ++count;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                const std::string value(operation.value(attributes[i]));
                if (('|' + seen[i] + '|').find('|' + value + '|') == std::string::npos)
                    seen[i] += (seen[i].empty() ? "" : "|") + value;
            }
        }
        if (count == 0) continue;
        fmt::print("    {}, {} of them:", info.name, count);
        for (std::size_t i = 0; i < seen.size(); ++i) fmt::print(" {}={}", attributes[i], seen[i]);
        fmt::print("\n");
    }
}

void print_backend(const observe::BackendSpec& spec, const observe::ObserveOptions& options) {
    if (spec.kind == observe::BackendSpec::Kind::missing) {
        fmt::print("{}: not here: {}\n", spec.name, print::printable(spec.reason));
        return;
    }
    try {
        const std::unique_ptr<observe::Subject> subject = subjects::open_subject(spec, options);
        const observe::BackendInfo& info = subject->info();
        fmt::print("{}: {} {}, {}\n", print::printable(spec.name), print::printable(info.name),
                   print::printable(info.version), print::printable(info.description));
        fmt::print("    {}, judged by {} unless --profile names others\n",
                   print::counted(info.conversions.size(), "conversion"),
                   fmt::join(certify::default_profiles(info), ", "));
        print_offers(info.conversions);
        print_operations(info.operations);
        for (const std::string& unknown : info.unknown)
            fmt::print("    not understood: {}\n", print::printable(unknown));
    } catch (const std::runtime_error& error) {
        fmt::print("{}: does not start: {}\n", print::printable(spec.name), print::printable(error.what()));
    }
}

void backends_command(const Names& names, const SandboxOptions& sandbox) {
    std::vector<observe::BackendSpec> specs;
    for (const std::string& name : names) specs.push_back(observe::resolve_backend(name));
    if (names.empty()) specs = observe::known_backends();
    observe::ObserveOptions options;
    sandbox.give(options);
    for (const observe::BackendSpec& spec : specs) print_backend(spec, options);
}

constexpr const char* footer =
    R"(Each line of a backend: the sources, the target, the roundings (scale rules where the target is a scale), and what may
happen to values that are too large. Operations follow, with the values that each attribute has among them.

Examples:
  mxcert backends
  mxcert backends ./my_kernel.so)";

void add_backends_command(CLI::App& app, Exit& /*exit*/) {
    auto names = std::make_shared<Names>();
    auto sandbox = std::make_shared<SandboxOptions>();
    CLI::App* command =
        app.add_subcommand("backends", "List the built-in backends, their offers, and why one is missing");
    command->add_option("BACKEND", *names, "Only these; the built-in ones if none is given");
    add_sandbox_options(*command, *sandbox);
    command->footer(footer);
    command->callback([names, sandbox] { backends_command(*names, *sandbox); });
}

const Command registered{Group::test, "backends", add_backends_command};

} // namespace
} // namespace mxcert::cli::backends_command

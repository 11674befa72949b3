// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/certify/certify.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/print/text.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::cli::backends_command {
namespace {

using Names = std::vector<std::string>;
using Json = nlohmann::ordered_json;

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

std::string text_of_offers(const std::vector<Conversion>& conversions) {
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
    std::string text;
    for (const auto& [line, sources] : lines)
        text += fmt::format("    {:>20} -> {}\n", fmt::format("{}", fmt::join(sources, " ")), line);
    return text;
}

/// "quantize, 36 of them: source=fp32|fp16|bf16 element=e4m3|e5m2 ...": not every combination need be there.
std::string text_of_operations(const std::vector<Operation>& operations) {
    std::string text;
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
        text += fmt::format("    {}, {} of them:", info.name, count);
        for (std::size_t i = 0; i < seen.size(); ++i) text += fmt::format(" {}={}", attributes[i], seen[i]);
        text += "\n";
    }
    return text;
}

/// A backend, and what it offers if it is here and starts.
struct Listed {
    std::string name;
    bool is_missing = false;
    std::string reason; ///< why it offers nothing
    std::optional<observe::BackendInfo> info;
};

Listed listed(const observe::BackendSpec& spec, const observe::ObserveOptions& options) {
    if (spec.kind == observe::BackendSpec::Kind::missing) return {spec.name, true, spec.reason, {}};
    try {
        return {spec.name, false, "", subjects::open_subject(spec, options)->info()};
    } catch (const std::runtime_error& error) {
        return {spec.name, false, error.what(), {}};
    }
}

std::string text_of(const Listed& backend) {
    const std::string name = print::printable(backend.name);
    if (!backend.info)
        return fmt::format("{}: {}: {}\n", name, backend.is_missing ? "not here" : "does not start",
                           print::printable(backend.reason));
    const observe::BackendInfo& info = *backend.info;
    std::string text =
        fmt::format("{}: {} {}, {}\n    {}, judged by {} unless --profile names others\n", name,
                    print::printable(info.name), print::printable(info.version), print::printable(info.description),
                    print::counted(info.conversions.size(), "conversion"),
                    fmt::join(certify::default_profiles(info), ", ")) +
        text_of_offers(info.conversions) + text_of_operations(info.operations);
    for (const std::string& unknown : info.unknown)
        text += fmt::format("    not understood: {}\n", print::printable(unknown));
    return text;
}

Json json_of(const Listed& backend) {
    Json json{{"name", print::printable(backend.name)},
              {"status", backend.info         ? "ready"
                         : backend.is_missing ? "missing"
                                              : "broken"},
              {"reason", print::printable(backend.reason)}};
    if (!backend.info) return json;
    const observe::BackendInfo& info = *backend.info;
    json["title"] = print::printable(info.name);
    json["version"] = print::printable(info.version);
    json["description"] = print::printable(info.description);
    json["profiles"] = certify::default_profiles(info);
    for (const char* list : {"conversions", "operations", "unknown"}) json[list] = Json::array();
    for (const Conversion& conversion : info.conversions) json["conversions"].push_back(to_string(conversion));
    for (const Operation& operation : info.operations) json["operations"].push_back(to_string(operation));
    for (const std::string& unknown : info.unknown) json["unknown"].push_back(print::printable(unknown));
    return json;
}

void backends_command(const Names& names, const SandboxOptions& sandbox, const std::string& json) {
    std::vector<observe::BackendSpec> specs;
    for (const std::string& name : names) specs.push_back(observe::resolve_backend(name));
    if (names.empty()) specs = observe::known_backends();
    observe::ObserveOptions options;
    sandbox.give(options);
    std::vector<Listed> all;
    for (const observe::BackendSpec& spec : specs) all.push_back(listed(spec, options));
    print_result(
        json,
        [&] {
            std::string text;
            for (const Listed& backend : all) text += text_of(backend);
            return text;
        },
        [&] {
            Json array = Json::array();
            for (const Listed& backend : all) array.push_back(json_of(backend));
            return array;
        });
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
    auto json = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("backends", "List the built-in backends, their offers, and why one is missing");
    command->add_option("BACKEND", *names, "Only these; the built-in ones if none is given");
    add_sandbox_options(*command, *sandbox);
    command->footer(footer);
    add_json_option(*command, *json);
    command->callback([names, sandbox, json] { backends_command(*names, *sandbox, *json); });
}

const Command registered{Group::test, "backends", add_backends_command};

} // namespace
} // namespace mxcert::cli::backends_command

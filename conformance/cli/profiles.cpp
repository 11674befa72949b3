// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/terminal.hpp"
#include "reference/base/word_list.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::cli::profiles_command {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string or_all(std::string_view list) { return list.empty() ? "all" : std::string(list); }
std::string or_any(std::string_view value) { return value.empty() ? "any" : std::string(value); }

// In the order of AmaxNan and AmaxInf.
constexpr std::string_view amax_nan_names[] = {"ignored", "used only if all values are NaN", "propagated"};
constexpr std::string_view amax_inf_names[] = {"counted", "left out"};

/// Values by their names.
template <class Values, std::size_t n>
std::vector<std::string_view> names_of(const Values& values, const std::string_view (&names)[n]) {
    std::vector<std::string_view> all;
    for (const auto value : values) all.push_back(names[static_cast<std::size_t>(value)]);
    return all;
}

struct ByModes {
    std::string_view modes; ///< "sat nosat"
    std::vector<std::string_view> targets;
};

/// The formats that conversions are judged to, by the overflow modes in which they are, both in order of first mention;
/// without scopes that name their modes.
std::vector<ByModes> targets_by_overflow(const Profile& p) {
    std::vector<ByModes> all;
    std::set<std::string_view> seen;
    for (const Scope& scope : p.scopes) {
        if (!scope.overflow.empty()) continue;
        for (const std::string_view target : list_of(scope.targets)) {
            if (!seen.insert(target).second) continue;
            const std::string_view modes = judged_overflow(p, *find_format(target));
            auto at = std::find_if(all.begin(), all.end(),
                                   [&](const ByModes& this_modes) { return this_modes.modes == modes; });
            if (at == all.end()) at = all.insert(all.end(), {modes, {}});
            at->targets.push_back(target);
        }
    }
    return all;
}

std::string text_of_profiles() {
    Rows rows{{"profile", "element overflow", "what", "rests on"}};
    for (const Profile& p : all_profiles())
        rows.push_back({std::string(p.name), p.overflow_modes.empty() ? "-" : std::string(p.overflow_modes),
                        std::string(p.title), std::string(p.source)});
    return print::columns(rows, print::width_of(stdout));
}

std::string text_of_scope(const Scope& scope) {
    return fmt::format("from {} to {}{}{}{}{}\n", scope.sources, scope.targets,
                       scope.roundings.empty() ? "" : ", rounded ", scope.roundings,
                       scope.overflow.empty() ? "" : ", overflow ", scope.overflow);
}

std::string text_of_profile(const Profile& p) {
    std::string text = fmt::format("{}: {}\nrests on: {}\n", p.name, p.title, p.source);
    for (const ByModes& modes : targets_by_overflow(p))
        text += fmt::format("overflow modes judged to {}: {}\n", fmt::join(modes.targets, " "), modes.modes);
    if (!p.roundings.empty()) text += fmt::format("roundings judged: {}\n", p.roundings);
    for (const Scope& scope : p.scopes) text += "judged: " + text_of_scope(scope);
    for (const FloatScope& scope : p.float_scopes)
        text += fmt::format("judged: recipes {} from {}, scales in {}, blocks {}\n", or_all(scope.recipes),
                            or_all(scope.sources), or_all(scope.scales), or_all(scope.blocks));
    if (!p.nvfp4_recipes.empty()) text += fmt::format("quantizers to NVFP4 judged: {}\n", p.nvfp4_recipes);
    if (!p.recipes.empty()) text += fmt::format("scaling judged: {}\n", p.recipes);
    if (!p.scale_rules.empty())
        text += fmt::format("scale rules judged: {}\nNaN in a block: {}; Inf: {}\n", p.scale_rules,
                            fmt::join(names_of(p.amax_nan, amax_nan_names), " or "),
                            fmt::join(names_of(p.amax_inf, amax_inf_names), " or "));
    if (p.products) text += "matrix products judged, each by the accumulator and the order that it declares\n";
    if (!p.layouts.empty()) text += fmt::format("layouts judged: {}\n", p.layouts);
    if (p.scopes.empty()) return text + "\nnothing is left open but which NaN a NaN is; nothing must be offered\n";
    text += "\npermitted besides the conversion's own rounding and overflow (every other choice: its default; the "
            "first line that holds counts)\n";
    Rows rows{{"choice", "from", "to", "values"}};
    for (const PermittedChoice& entry : p.permitted)
        rows.push_back({std::string(info(entry.choice).name), or_all(entry.sources), or_all(entry.targets),
                        fmt::format("{}", fmt::join(entry.values, ", "))});
    text += print::columns(rows);
    if (!p.whole.empty()) {
        text += "\nall of these are to be offered, in each rounding and overflow mode; else the verdict is PARTIAL\n";
        for (const Scope& scope : p.whole) text += text_of_scope(scope);
        return text;
    }
    if (p.provisions.empty()) return text + "\nnothing must be offered\n";
    text += "\nmust be offered\n";
    rows = {{"clause", "rounding", "overflow", "to each of"}};
    for (const Provision& provision : p.provisions)
        rows.push_back({std::string(provision.clause), or_any(provision.rounding), or_any(provision.overflow),
                        std::string(provision.targets)});
    return text + print::columns(rows);
}

Json json_of_scopes(std::span<const Scope> scopes) {
    Json json = Json::array();
    for (const Scope& scope : scopes)
        json.push_back({{"sources", scope.sources},
                        {"targets", scope.targets},
                        {"roundings", scope.roundings},
                        {"overflow", scope.overflow}});
    return json;
}

Json json_of_profile(const Profile& p) {
    Json json = {{"name", p.name}, {"title", p.title}, {"source", p.source}, {"overflow_modes", p.overflow_modes}};
    json["judged_overflow"] = Json::object();
    for (const ByModes& modes : targets_by_overflow(p))
        for (const std::string_view target : modes.targets) json["judged_overflow"][std::string(target)] = modes.modes;
    json["scopes"] = json_of_scopes(p.scopes);
    json["whole"] = json_of_scopes(p.whole);
    json["float_scopes"] = Json::array();
    for (const FloatScope& scope : p.float_scopes)
        json["float_scopes"].push_back({{"recipes", scope.recipes},
                                        {"sources", scope.sources},
                                        {"scales", scope.scales},
                                        {"blocks", scope.blocks}});
    json["recipes"] = p.recipes;
    json["nvfp4_recipes"] = p.nvfp4_recipes;
    json["products"] = p.products;
    json["roundings"] = p.roundings;
    json["scale_rules"] = p.scale_rules;
    json["layouts"] = p.layouts;
    json["amax_nan"] = names_of(p.amax_nan, amax_nan_names);
    json["amax_inf"] = names_of(p.amax_inf, amax_inf_names);
    json["permitted"] = Json::array();
    for (const PermittedChoice& entry : p.permitted)
        json["permitted"].push_back({{"choice", info(entry.choice).name},
                                     {"sources", entry.sources},
                                     {"targets", entry.targets},
                                     {"values", std::vector<std::string>(entry.values.begin(), entry.values.end())}});
    json["provisions"] = Json::array();
    for (const Provision& provision : p.provisions)
        json["provisions"].push_back({{"clause", provision.clause},
                                      {"rounding", provision.rounding},
                                      {"overflow", provision.overflow},
                                      {"targets", provision.targets}});
    return json;
}

Json json_of_profiles() {
    Json all = Json::array();
    for (const Profile& profile : all_profiles()) all.push_back(json_of_profile(profile));
    return all;
}

void print(const std::string& name, const std::string& json) {
    if (name.empty()) return print_result(json, text_of_profiles, json_of_profiles);
    const Profile& profile = find_profile(name);
    print_result(
        json, [&] { return text_of_profile(profile); }, [&] { return json_of_profile(profile); });
}

void add_profiles_command(CLI::App& app, Exit& /*exit*/) {
    auto name = std::make_shared<std::string>();
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("profiles", "List the profiles: what each permits and requires");
    command->add_option("NAME", *name, "One profile, in full");
    add_json_option(*command, *json);
    command->callback([name, json] { print(*name, *json); });
}

const Command registered{Group::look_up, "profiles", add_profiles_command};

} // namespace
} // namespace mxcert::cli::profiles_command

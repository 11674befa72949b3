// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/report_identified.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"

namespace mxcert::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_shown = 4; // ranges of inputs that are not explained

/// The parameters of what was found, each with what speaks for it, in `noun`s.
std::string text_of(const std::vector<diagnose::FoundParameter>& parameters, std::string_view noun) {
    std::vector<std::vector<std::string>> rows;
    for (const diagnose::FoundParameter& parameter : parameters)
        rows.push_back({"  " + std::string(parameter.name), parameter.value,
                        !parameter.alike.empty() ? fmt::format("not decided: {}", fmt::join(parameter.alike, ", "))
                        : parameter.decided_by.has_value() ? "decided by " + print::counted(*parameter.decided_by, noun)
                                                           : "no other is looked at"});
    return rows.empty() ? "" : print::columns(rows);
}

Json json_of(const std::vector<diagnose::FoundParameter>& parameters) {
    Json all = Json::array();
    for (const diagnose::FoundParameter& parameter : parameters)
        all.push_back({{"name", parameter.name},
                       {"value", parameter.value},
                       {"decided_by", parameter.decided_by.value_or(0)},
                       {"alike", parameter.alike}});
    return all;
}

std::string verdict_of(const diagnose::FoundBehaviour& found) {
    if (found.status != Status::pass)
        return fmt::format("{}: {}", to_string(found.status), print::printable(found.reason));
    const std::string all =
        found.explained == found.asked
            ? "explains all " + print::counted(found.asked, "input")
            : fmt::format("explains {} of {}", print::grouped(found.explained), print::counted(found.asked, "input"));
    return found.sample ? all + " of a sample" : all;
}

/// The profiles that permit all, and the nearest one that does not.
std::string text_of(const std::vector<diagnose::FoundProfile>& profiles, std::string_view noun) {
    std::string text;
    std::vector<std::string_view> permitting;
    for (const diagnose::FoundProfile& profile : profiles)
        if (profile.differing == 0) permitting.push_back(profile.name);
    if (!permitting.empty()) text += fmt::format("  permitted by {}\n", fmt::join(permitting, ", "));
    if (permitting.size() == profiles.size()) return text;
    const diagnose::FoundProfile& next = profiles[permitting.size()];
    text += fmt::format("  not by {}: {}", next.name, print::counted(next.differing, noun));
    const char* separator = ", of ";
    for (const diagnose::FoundClause& clause : next.clauses) {
        if (clause.differing == 0) continue;
        text += fmt::format("{}{} {}", separator, clause.id, print::grouped(clause.differing));
        separator = ", ";
    }
    return text + "\n";
}

Json json_of(const std::vector<diagnose::FoundProfile>& profiles) {
    Json all = Json::array();
    for (const diagnose::FoundProfile& profile : profiles) {
        Json clauses = Json::array();
        for (const diagnose::FoundClause& clause : profile.clauses)
            clauses.push_back({{"id", clause.id}, {"inputs", clause.inputs}, {"differing", clause.differing}});
        all.push_back({{"name", profile.name}, {"differing", profile.differing}, {"clauses", clauses}});
    }
    return all;
}

std::string text_of(const diagnose::FoundBehaviour& found) {
    std::string text = fmt::format("{}\n  {}\n", found.conversion, verdict_of(found));
    if (found.status != Status::pass) return text;
    text += text_of(found.parameters, "input");
    for (const diagnose::FoundFault& fault : found.faults)
        text += fmt::format("  fault: {} ({}), {}\n", fault.fault->name, fault.fault->bug_class,
                            print::counted(fault.inputs, "input"));
    for (std::size_t i = 0; i < std::min(found.unexplained.size(), most_shown); ++i) {
        const diagnose::Unexplained& unexplained = found.unexplained[i];
        text +=
            fmt::format("  unexplained: {}{} gives {}, not {}\n", code_text(*found.from, unexplained.first),
                        unexplained.first == unexplained.last ? "" : ".." + code_text(*found.from, unexplained.last),
                        code_text(*found.to, unexplained.got), code_text(*found.to, unexplained.expected));
    }
    if (found.unexplained.size() > most_shown)
        text += fmt::format("  and {} more\n", print::counted(found.unexplained.size() - most_shown, "range"));
    return text + text_of(found.profiles, "input");
}

Json json_of(const diagnose::FoundBehaviour& found) {
    Json json{{"conversion", found.conversion},
              {"status", to_string(found.status)},
              {"reason", found.reason},
              {"sample", found.sample},
              {"asked", found.asked},
              {"explained", found.explained},
              {"behaviour", describe(found.choices)}};
    json["parameters"] = json_of(found.parameters);
    json["faults"] = Json::array();
    for (const diagnose::FoundFault& fault : found.faults)
        json["faults"].push_back(
            {{"name", fault.fault->name}, {"bug_class", fault.fault->bug_class}, {"inputs", fault.inputs}});
    json["unexplained"] = Json::array();
    for (const diagnose::Unexplained& unexplained : found.unexplained)
        json["unexplained"].push_back({{"first", hex(unexplained.first, *found.from)},
                                       {"last", hex(unexplained.last, *found.from)},
                                       {"got", hex(unexplained.got, *found.to)},
                                       {"expected", hex(unexplained.expected, *found.to)}});
    json["profiles"] = json_of(found.profiles);
    return json;
}

bool is_explained(const diagnose::FoundBehaviour& found) {
    return found.status == Status::pass && found.asked != 0 && found.explained == found.asked;
}

std::string verdict_of(const suites::FoundAccumulator& found) {
    if (found.status != Status::pass)
        return fmt::format("{}: {}", to_string(found.status), print::printable(found.reason));
    if (!found.model) return "no accumulator takes these formats";
    if (!found.same.empty()) {
        const std::string names = fmt::format("{}", fmt::join(found.same, " or "));
        const std::string all = print::counted(found.asked, "product");
        // A name is none where others fit as well.
        if (found.family && found.family->remain.size() > found.same.size())
            return fmt::format("{} accumulators explain all {}, {} among them", found.family->remain.size(), all,
                               names);
        const bool is_open =
            !found.family && std::any_of(found.parameters.begin(), found.parameters.end(),
                                         [](const auto& parameter) { return !parameter.alike.empty(); });
        return fmt::format("{}{}: explains all {}", names,
                           is_open ? ", or one that differs in what is not decided" : "", all);
    }
    const std::string nearest =
        fmt::format("no accumulator of the table; nearest {}, {} of {}", found.nearest,
                    print::counted(found.nearest_explained, "product"), print::grouped(found.asked));
    if (found.explained == found.asked) return nearest + "; the parameters below explain all";
    return fmt::format("{}; the parameters below explain {}", nearest, print::grouped(found.explained));
}

std::string text_of(const suites::Family& family) {
    std::string text = fmt::format("  family: {}{} give every answer, of {} combinations of parameters",
                                   family.has_more ? "at least " : "", print::grouped(family.remain.size()),
                                   print::grouped(family.tried));
    if (family.remain.size() > 1)
        text += family.probes == 0 ? fmt::format("; {} further products part none of them", family.drawn)
                                   : fmt::format("; {} that part them were asked for",
                                                 print::counted(family.probes, "further product"));
    text += '\n';
    for (const std::string& open : suites::open_parameters(family)) text += "    " + open + "\n";
    return text;
}

std::string text_of(const suites::SumOrder& order) {
    const std::string of =
        order.every == 1 ? print::counted(order.products, "product")
                         : fmt::format("{}, one of each {}", print::counted(order.products, "product"), order.every);
    const std::string where = order.of_first ? " in the first element of D, other elements otherwise" : "";
    if (!order.tree) return fmt::format("  order of {}: not found: {}\n", of, print::printable(order.reason));
    return fmt::format("  order of {}{}: {}\n", of, where, suites::text(*order.tree, order.products));
}

std::string text_of(const suites::FoundAccumulator& found) {
    std::string text = fmt::format("{}\n  {}\n", found.operation, verdict_of(found));
    text += text_of(found.parameters, "product");
    if (found.family) text += text_of(*found.family);
    if (found.order) text += text_of(*found.order);
    if (!found.nans.empty()) text += fmt::format("  NaN came as 0x{}\n", fmt::join(found.nans, ", 0x"));
    for (const std::string& this_text : found.unexplained) text += "  unexplained: " + this_text + "\n";
    return text;
}

Json json_of(const suites::FoundAccumulator& found) {
    Json json{{"operation", found.operation}, {"status", to_string(found.status)},
              {"reason", found.reason},       {"asked", found.asked},
              {"explained", found.explained}, {"same", found.same},
              {"nearest", found.nearest},     {"nearest_explained", found.nearest_explained},
              {"nans", found.nans},           {"unexplained", found.unexplained}};
    json["parameters"] = json_of(found.parameters);
    if (found.family)
        json["family"] = {{"tried", found.family->tried},       {"remain", found.family->remain.size()},
                          {"has_more", found.family->has_more}, {"drawn", found.family->drawn},
                          {"probes", found.family->probes},     {"open", suites::open_parameters(*found.family)}};
    if (found.order) {
        const suites::SumOrder& order = *found.order;
        json["order"] = {{"products", order.products},
                         {"every", order.every},
                         {"asked", order.asked},
                         {"of_first", order.of_first},
                         {"reason", order.reason}};
        json["order"]["plan"] = order.tree ? Json::parse(suites::plan(*order.tree, order.products)) : Json();
    }
    return json;
}

bool is_explained(const suites::FoundAccumulator& found) {
    return found.status == Status::pass && !found.same.empty() && (!found.order || found.order->tree);
}

bool is_explained(const suites::FoundCases& found) {
    return found.status == Status::pass && found.asked != 0 && found.explained == found.asked;
}

std::string verdict_of(const suites::FoundCases& found) {
    if (found.status != Status::pass)
        return fmt::format("{}: {}", to_string(found.status), print::printable(found.reason));
    const bool all = is_explained(found);
    std::string known;
    if (!found.in_table)
        known = fmt::format("no {} of the table", found.table) +
                (found.name.empty() ? "" : fmt::format("; {}{}", all ? "" : "nearest ", found.name));
    else if (!found.name.empty())
        known = found.name;
    if (!known.empty()) known += ": ";
    return known + (all ? "explains all " + print::counted(found.asked, found.noun)
                        : fmt::format("explains {} of {}", print::grouped(found.explained),
                                      print::counted(found.asked, found.noun)));
}

std::string text_of(const suites::FoundCases& found) {
    std::string text = fmt::format("{}\n  {}\n", found.operation, verdict_of(found));
    if (found.status != Status::pass) return text;
    text += text_of(found.parameters, found.noun);
    if (!found.refused.empty()) text += fmt::format("  refused: {}\n", fmt::join(found.refused, "; "));
    for (std::size_t i = 0; i < std::min(found.unexplained.size(), most_shown); ++i)
        text += fmt::format("  unexplained: {}\n", found.unexplained[i]);
    return text + text_of(found.profiles, found.noun);
}

Json json_of(const suites::FoundCases& found) {
    Json json{{"operation", found.operation}, {"status", to_string(found.status)}, {"reason", found.reason},
              {"asked", found.asked},         {"explained", found.explained},      {"name", found.name},
              {"in_table", found.in_table},   {"refused", found.refused},          {"unexplained", found.unexplained}};
    json["parameters"] = json_of(found.parameters);
    json["profiles"] = json_of(found.profiles);
    return json;
}

std::string verdict_of(const suites::NotIdentified& found) { return "not identified: " + found.reason; }

std::string text_of(const suites::NotIdentified& found) {
    return fmt::format("{}\n  {}\n", found.operation, verdict_of(found));
}

Json json_of(const suites::NotIdentified& found) {
    return {{"operation", found.operation}, {"status", "not_identified"}, {"reason", found.reason}};
}

bool is_explained(const suites::NotIdentified& /*found*/) { return false; }

} // namespace

std::string name_of(const suites::Identified& found) {
    return std::visit(
        [](const auto& item) {
            if constexpr (requires { item.conversion; })
                return item.conversion;
            else
                return item.operation;
        },
        found);
}

std::string verdict_of(const suites::Identified& found) {
    return std::visit([](const auto& item) { return verdict_of(item); }, found);
}

std::string text_of(const suites::Identified& found) {
    return std::visit([](const auto& item) { return text_of(item); }, found);
}

Json json_of(const suites::Identified& found) {
    return std::visit([](const auto& item) { return json_of(item); }, found);
}

std::optional<Status> status_of(const suites::Identified& found) {
    return std::visit(
        [](const auto& item) -> std::optional<Status> {
            if constexpr (requires { item.status; })
                return item.status;
            else
                return std::nullopt;
        },
        found);
}

bool is_explained(const suites::Identified& found) {
    return std::visit([](const auto& item) { return is_explained(item); }, found);
}

} // namespace mxcert::report

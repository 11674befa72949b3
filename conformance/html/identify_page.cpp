// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/identify_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/html/bits.hpp"
#include "conformance/html/heat_map.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report_identified.hpp"

namespace mxcert::html {
namespace {

std::string parameters_html(const std::vector<diagnose::FoundParameter>& parameters, std::string_view noun) {
    std::vector<std::vector<std::string>> lines;
    for (const diagnose::FoundParameter& parameter : parameters)
        lines.push_back({escaped(parameter.name), code(parameter.value),
                         !parameter.alike.empty()
                             ? escaped(fmt::format("not decided: {}", fmt::join(parameter.alike, ", ")))
                         : parameter.decided_by ? "decided by " + print::counted(*parameter.decided_by, noun)
                                                : "no other value is tested"});
    return lines.empty() ? "" : table("parameters", {"parameter", "value", "evidence"}, lines);
}

std::string profiles_html(const std::vector<diagnose::FoundProfile>& profiles, std::string_view noun) {
    std::vector<std::vector<std::string>> lines;
    for (const diagnose::FoundProfile& profile : profiles)
        lines.push_back({code(profile.name),
                         profile.differing == 0 ? badge("PASS", Status::pass) : badge("FAIL", Status::fail),
                         print::grouped(profile.differing)});
    return lines.empty() ? ""
                         : table("permitting", {"profile", "verdict", fmt::format("{}s not permitted", noun)}, lines);
}

std::string texts_html(const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& item : texts) text += fmt::format("<p class=\"finding\">{}</p>\n", escaped(item));
    return text;
}

// What is explained by nothing, as a map and as ranges.
std::string unexplained_html(const diagnose::FoundBehaviour& found) {
    constexpr std::size_t most = 16;
    if (found.unexplained.empty()) return {};
    std::vector<Difference> differences;
    for (const diagnose::Unexplained& range : found.unexplained)
        differences.push_back({range.first, range.last, range.got, permit_code(range.expected), ""});
    std::string text = "<h3>Not explained</h3>\n";
    if (found.from->scale == nullptr)
        text += map_figure(verdict::map_of(*found.from, *found.to, differences, !found.sample),
                           "Map of the inputs of " + found.conversion);
    std::vector<std::vector<std::string>> lines;
    for (std::size_t i = 0; i < std::min(most, differences.size()); ++i)
        lines.push_back({bits(*found.from, differences[i].first), bits(*found.from, differences[i].last),
                         bits(*found.to, differences[i].got), bits(*found.to, found.unexplained[i].expected)});
    text += table("unexplained", {"from", "to", "gives", "nearest explanation"}, lines);
    if (differences.size() > most)
        text +=
            fmt::format("<p class=\"note\">and {}</p>\n", print::counted(differences.size() - most, "further range"));
    return text;
}

std::string body_of(const diagnose::FoundBehaviour& found) {
    std::string text = parameters_html(found.parameters, "input");
    for (const diagnose::FoundFault& fault : found.faults)
        text += fmt::format("<p class=\"finding\">Fault: {} ({}), {}</p>\n", escaped(fault.fault->name),
                            code(fault.fault->bug_class), print::counted(fault.inputs, "input"));
    return text + unexplained_html(found) + profiles_html(found.profiles, "input");
}

std::string body_of(const suites::FoundAccumulator& found) {
    std::string text = parameters_html(found.parameters, "product");
    if (found.family)
        text += fmt::format("<p>{} combinations of parameters tried, {}{} give every answer</p>\n{}",
                            found.family->tried, found.family->has_more ? "at least " : "", found.family->remain.size(),
                            texts_html(suites::open_parameters(*found.family)));
    if (found.order)
        text += fmt::format(
            "<p>Order of {}: {}</p>\n", print::counted(found.order->products, "product"),
            escaped(found.order->tree ? suites::text(*found.order->tree, found.order->products) : found.order->reason));
    if (!found.nans.empty()) text += fmt::format("<p>NaN came as 0x{}</p>\n", fmt::join(found.nans, ", 0x"));
    return text + texts_html(found.unexplained);
}

std::string body_of(const suites::FoundCases& found) {
    return parameters_html(found.parameters, found.noun) + texts_html(found.refused) + texts_html(found.unexplained) +
           profiles_html(found.profiles, found.noun);
}

std::string body_of(const suites::NotIdentified& /*found*/) { return {}; }

Status tone_of_found(const suites::Identified& found) {
    if (report::is_explained(found)) return Status::pass;
    return report::status_of(found) ? Status::fail : Status::unsupported;
}

} // namespace

std::string identify_page(const observe::BackendInfo& info, const LevelOf& level,
                          const std::vector<suites::Identified>& all) {
    std::string body;
    std::size_t explained = 0;
    for (const suites::Identified& found : all) {
        explained += report::is_explained(found) ? 1 : 0;
        const Status tone = tone_of_found(found);
        body += details("row",
                        fmt::format("{} {}: <span class=\"found\">{}</span>",
                                    badge(tone == Status::pass   ? "explained"
                                          : tone == Status::fail ? "not explained"
                                                                 : "not supported",
                                          tone),
                                    code(report::name_of(found)), escaped(report::verdict_of(found))),
                        std::visit([](const auto& item) { return body_of(item); }, found));
    }
    const bool is_all = explained == all.size();
    Page page{"identify",
              info.name + (info.version.empty() ? "" : " " + info.version),
              fmt::format("{}: {} of {}, at level {}.", is_all ? "EXPLAINED" : "NOT EXPLAINED", explained,
                          print::counted(all.size(), "row"), to_string(level)),
              is_all ? Status::pass : Status::fail,
              {{"Description", info.description}, {"Build id", info.build_id}, {"Level", to_string(level)}},
              {}};
    page.sections = {{"found", "Explanations", body}};
    return page_html(page);
}

} // namespace mxcert::html

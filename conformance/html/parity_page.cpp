// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/parity_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/parity/parity_report.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

std::string parts_table(const parity::Parity& parity) {
    std::vector<std::vector<std::string>> rows;
    for (const parity::Part& part : parity.parts)
        rows.push_back({std::string(part.name), print::grouped(part.compared),
                        part.all == 0 ? "-" : print::grouped(part.all), std::string(part.inputs),
                        print::grouped(part.differing)});
    return rows.empty() ? "" : table("parts", {"part", "compared", "of", "inputs", "differing"}, rows);
}

std::string differences_of(const parity::Part& part, const parity::Parity& parity, std::size_t most) {
    std::string lines;
    const std::size_t ranges = std::min(most, part.ranges.size());
    for (std::size_t i = 0; i < ranges; ++i)
        lines += fmt::format("<p class=\"finding\">{}</p>\n", escaped(parity::text_of(part.ranges[i], part, parity)));
    if (ranges < part.ranges.size())
        lines +=
            fmt::format("<p class=\"note\">and {}</p>\n", print::counted(part.ranges.size() - ranges, "further range"));
    for (std::size_t i = 0; i < std::min(most, part.blocks.size()); ++i)
        lines += fmt::format("<p class=\"finding\">{}: {}</p>\n", escaped(part.blocks[i].title),
                             escaped(part.blocks[i].text));
    return lines.empty()
               ? ""
               : details("row", fmt::format("{} {} differ", print::grouped(part.differing), part.name), lines, true);
}

std::string refused_list(const parity::Parity& parity) {
    std::string items;
    for (const parity::Refusal& refusal : parity.refused)
        items += fmt::format("<li>{} refuses {}: {}</li>\n", refusal.by_a ? "A" : "B", escaped(refusal.name),
                             escaped(refusal.reason));
    return items.empty() ? ""
                         : details("row", print::counted(parity.refused.size(), "shape") + " not compared",
                                   "<ul>\n" + items + "</ul>\n");
}

std::string body_of(const parity::Parity& parity, const std::optional<parity::TensorCost>& cost, std::size_t most) {
    std::string text = fmt::format("<p>A: {}<br>B: {}</p>\n", code(parity.a), code(parity.b));
    for (const std::string& brought : parity.brought)
        text += fmt::format("<p class=\"note\">Brought to one form: {}</p>\n", escaped(brought));
    text += paragraphs(parity::verdict_of(parity)) + parts_table(parity);
    for (const parity::Part& part : parity.parts) text += differences_of(part, parity, most);
    text += refused_list(parity);
    if (cost) text += paragraphs(parity::text_of(*cost));
    return text;
}

} // namespace

std::string parity_page(const std::vector<parity::Parity>& all,
                        const std::vector<std::optional<parity::TensorCost>>& costs, const DiffSide& a,
                        const DiffSide& b, const parity::ParityOptions& options, int exit_code, std::size_t most) {
    const auto number = [&](Status status) {
        return std::count_if(all.begin(), all.end(),
                             [&](const parity::Parity& parity) { return parity.status == status; });
    };
    Page page{"parity",
              fmt::format("{} and {}", a.info.name, b.info.name),
              fmt::format("{}: {} equal, {} different, {} incomplete",
                          exit_code == 0   ? "EQUAL"
                          : exit_code == 1 ? "DIFFERENT"
                          : exit_code == 3 ? "NOT FINISHED"
                                           : "NOTHING COMPARED",
                          number(Status::pass), number(Status::fail),
                          static_cast<std::ptrdiff_t>(all.size()) - number(Status::pass) - number(Status::fail)),
              exit_code == 0   ? Status::pass
              : exit_code == 1 ? Status::fail
                               : Status::incomplete,
              facts_of(a, b, options.level, options.seed),
              {}};
    for (std::size_t i = 0; i < all.size(); ++i)
        page.sections.push_back({fmt::format("pair-{}", i + 1),
                                 fmt::format("{}: {}", parity::word_of(all[i]), all[i].a),
                                 body_of(all[i], costs[i], most)});
    return page_html(page);
}

} // namespace mxcert::html

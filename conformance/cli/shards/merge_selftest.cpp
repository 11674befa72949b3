// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/merge_selftest.hpp"

#include <optional>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/html/selftest_page.hpp"
#include "conformance/print/text.hpp"
#include "conformance/selftest/part.hpp"

namespace mxcert::cli {

int tell_outcomes(const selftest::Outcomes& outcomes, const std::string& more,
                  const std::function<nlohmann::ordered_json()>& json, JsonOutput& output) {
    const selftest::Tally tally(outcomes);
    fmt::print(output.people(), "{}{}{}{}", selftest::matrix_text(tally), selftest::bad_text(outcomes),
               selftest::verdict_text(tally), more);
    output.write(json);
    return selftest::is_any_bad(outcomes) ? exit_failed : exit_ok;
}

int merge_selftest(const std::vector<std::filesystem::path>& files, const std::string& json, const std::string& html) {
    const selftest::SelftestParts parts(files);
    JsonOutput output(json);
    std::optional<files::OutputFile> page = html_file(html);
    const std::vector<std::string> missing = parts.missing();
    if (!missing.empty()) {
        fmt::print(output.people(), "NOT FINISHED: {} of {} not there; each command plants the bugs of one:\n    {}\n",
                   print::counted(missing.size(), "part"), parts.parts(), fmt::join(missing, "\n    "));
        return exit_unfinished;
    }
    const std::size_t again = parts.plant_again(0);
    const selftest::Outcomes outcomes = parts.outcomes();
    fmt::print(output.people(), "Merged: {} of {}. Planted again, with the same result: {}, one of each part.\n",
               print::counted(parts.all().size(), "bug"), print::counted(parts.parts(), "part"),
               print::counted(again, "bug"));
    if (page) page->write(html::selftest_page(outcomes, ""));
    return tell_outcomes(
        outcomes, "", [&] { return selftest::outcomes_json(outcomes); }, output);
}

} // namespace mxcert::cli

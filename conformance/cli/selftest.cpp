// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/shards/certify_part.hpp"
#include "conformance/cli/shards/merge_selftest.hpp"
#include "conformance/faults/planted.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/selftest_page.hpp"
#include "conformance/identify/identify_conversion.hpp"
#include "conformance/level.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/selftest/part.hpp"
#include "conformance/selftest/place_faults.hpp"
#include "conformance/selftest/planted_backend.hpp"
#include "conformance/selftest/planted_list.hpp"
#include "conformance/selftest/selftest.hpp"
#include "conformance/selftest/selftest_outcomes.hpp"
#include "conformance/selftest/sticky_bits.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/verdict/offers.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::cli::selftest_command {
namespace {

struct Options {
    selftest::Selection selection;
    bool quiet = false;
    unsigned jobs = 0;
    std::string json;
    std::string html;
    std::string level;        ///< "smoke"; "": none
    std::uint64_t budget = 0; ///< inputs of a small suite; 0: none
    bool sticky = false;
    bool places = false;
    std::string shard;
};

constexpr std::uint64_t usual_seed = 1; // of certify

constexpr const char* nothing_planted = "Nothing of that name is judged: nothing was planted.\n";

/// What small suites are worth.
struct Worth {
    std::vector<std::vector<std::string>> rows{{"conversion or row", "profile", "inputs", "planted", "shown"}};
    std::string escapes;
    std::size_t planted = 0;
    std::size_t shown = 0;

    void add(const std::string& name, std::string_view profile, std::uint64_t inputs, std::size_t all,
             const std::vector<std::string>& escaped) {
        rows.push_back({name, std::string(profile), print::grouped(inputs), std::to_string(all),
                        std::to_string(all - escaped.size())});
        for (const std::string& bug : escaped) escapes += fmt::format("escaped: {} by {}: {}\n", name, profile, bug);
        planted += all;
        shown += all - escaped.size();
    }
};

void add_conversions(const Options& options, Worth& worth) {
    verdict::GoldenSource golden;
    for (const selftest::SelftestConversion& this_conversion : selftest::selftest_conversions()) {
        const std::string name(this_conversion.name);
        const Conversion conversion = parse_conversion(name);
        if (!print::selected(options.selection.filters, name) || !faults::has_small_suite(conversion)) continue;
        for (const Profile* profile : selftest::profiles_of(options.selection, this_conversion)) {
            const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {profile}, golden);
            const faults::SmallSuite suite = faults::small_suite(conversion, judges, options.budget, usual_seed);
            std::size_t planted = 0;
            const std::vector<std::string> passed = faults::escaping(suite, conversion, judges.front(), planted);
            worth.add(name, profile->name, suite.inputs.size(), planted, passed);
        }
    }
}

// The bugs of one row are beside each other.
void add_operations(const Options& options, const selftest::PlantedList& planted_list, Worth& worth) {
    const std::vector<const selftest::PlantedBackend*>& backends = planted_list.backends;
    std::vector<selftest::PlantedBackendResult> results(backends.size());
    in_parallel(backends.size(), options.jobs, [&](std::size_t i) {
        results[i] = selftest::run_planted(*backends[i], planted_list.folder, Level::smoke);
    });
    for (std::size_t i = 0; i < results.size();) {
        const selftest::PlantedBackend& first = *backends[i];
        std::vector<std::string> escaped;
        std::uint64_t inputs = 0;
        std::size_t planted = 0;
        for (; i < results.size() && backends[i]->row == first.row && backends[i]->profile == first.profile; ++i) {
            ++planted;
            inputs = std::max(inputs, results[i].compared);
            if (results[i].status != backends[i]->verdict) escaped.emplace_back(backends[i]->option);
        }
        worth.add(std::string(first.row), first.profile, inputs, planted, escaped);
    }
}

int small_suites(const Options& options) {
    Worth worth;
    add_conversions(options, worth);
    // Of those of time and place an input or two shows nothing, and neither does it of a distribution.
    const selftest::PlantedList list =
        selftest::backends_of(options.selection, [](const selftest::PlantedBackend& backend) {
            const std::size_t part = backend.row.find('/');
            if (part == std::string_view::npos) return false;
            const Operation operation = parse_operation(backend.row.substr(0, part));
            return !suites::suite_of(operation).draws_randomly(operation);
        });
    add_operations(options, list, worth);
    if (worth.planted == 0) {
        fmt::print("{}", list.not_run.empty() ? nothing_planted : list.not_run);
        return exit_nothing;
    }
    fmt::print("{}{}{} of {} planted bugs are shown that all inputs and cases would show.\n{}",
               print::columns(worth.rows), worth.escapes, worth.shown, worth.planted, list.not_run);
    return worth.shown == worth.planted ? exit_ok : exit_failed;
}

std::string listed(const std::vector<unsigned>& bits) {
    return bits.empty() ? "-" : fmt::format("{}", fmt::join(bits, " "));
}

int sticky_bits(const Options& options) {
    std::vector<std::vector<std::string>> table{{"conversion or row", "asked", "inputs", "bits", "caught", "escaped"}};
    std::size_t planted = 0;
    std::size_t caught = 0;
    for (const std::string& row : selftest::sticky_rows()) {
        if (!print::selected(options.selection.filters, row)) continue;
        for (const selftest::StickyResult& result : selftest::sticky_results(row)) {
            const std::size_t found = result.planted - result.escaped.size();
            table.push_back({result.row, result.asked, print::grouped(result.inputs), std::to_string(result.planted),
                             std::to_string(found), listed(result.escaped)});
            planted += result.planted;
            caught += found;
        }
    }
    if (planted == 0) {
        fmt::print("{}", nothing_planted);
        return exit_nothing;
    }
    fmt::print("{}{} of {} wrong conversions and quantizers are caught.\n", print::columns(table), caught, planted);
    return caught == planted ? exit_ok : exit_failed;
}

int places(const Options& options) {
    std::vector<const selftest::PlaceFault*> faults;
    for (const selftest::PlaceFault& fault : selftest::place_faults())
        if (print::selected(options.selection.filters, std::string(fault.planted.row))) faults.push_back(&fault);
    if (faults.empty()) {
        fmt::print("{}", nothing_planted);
        return exit_nothing;
    }
    const std::filesystem::path folder = selftest::planted_folder();
    std::vector<selftest::PlaceResult> results(faults.size());
    in_parallel(faults.size(), options.jobs,
                [&](std::size_t i) { results[i] = selftest::run_place_fault(*faults[i], folder); });
    std::vector<std::vector<std::string>> table{{"bug", "conversion or row", "smoke", "quick", "standard"}};
    std::size_t escaped = 0;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        table.push_back({std::string(faults[i]->planted.option), std::string(faults[i]->planted.row)});
        for (const std::string& seen : results[i].seen) table.back().push_back(seen);
        escaped += results[i].escaped == 0 ? 0 : 1;
    }
    fmt::print("{}{} of {} are seen at each level that is to see them.\n", print::columns(table),
               faults.size() - escaped, faults.size());
    return escaped == 0 ? exit_ok : exit_failed;
}

int selftest(const Options& options) {
    if (options.sticky) return sticky_bits(options);
    if (options.places) return places(options);
    if (!options.level.empty() || options.budget != 0) return small_suites(options);
    const selftest::PlantedList all = selftest::planted_of(options.selection);
    std::optional<selftest::PartOf> part;
    if (!options.shard.empty()) {
        const PartNumber number = parse_part(options.shard);
        part = {number.part, number.parts};
    }
    JsonOutput output(options.json);
    std::optional<files::OutputFile> html = html_file(options.html);
    if (all.size() == 0) {
        fmt::print(output.people(), "{}", all.not_run.empty() ? nothing_planted : all.not_run);
        return exit_nothing;
    }
    const selftest::PlantedList list = part ? selftest::bugs_of(all, *part) : all;
    const bool show = !options.quiet && print::is_terminal(stderr);
    const auto progress = [&](std::size_t finished) {
        if (show) fmt::print(stderr, "\r{} of {} planted", finished, list.size());
    };
    const selftest::Outcomes outcomes = selftest::plant_all(list, options.jobs, progress);
    if (show) fmt::print(stderr, "\r\033[K");
    const std::string as_part =
        !part ? ""
              : fmt::format("PART {} of {}: {} of {}. It is no result: mxcert merge joins the files of all parts.\n",
                            part->part + 1, part->parts, list.size(), print::counted(all.size(), "bug"));
    if (html) html->write(html::selftest_page(outcomes, all.not_run));
    return tell_outcomes(
        outcomes, as_part + all.not_run,
        [&] {
            return part ? selftest::part_json(options.selection, all, *part, outcomes)
                        : selftest::outcomes_json(outcomes);
        },
        output);
}

constexpr const char* footer =
    R"(Plants every other value of every choice (`mxcert choices`) and every fault that no choice expresses in conversions, and
judges each complete table as certify would. A table with only permitted answers is equivalent to a conforming one, and no
test can catch it. Bugs of operations, time and place are planted in backends. All must be caught, and the verdict must
name their class (`mxcert bugs`) or one with the same wrong answers; bugs without a class must get no name.

With --sticky-bits: each bit of the significand in turn is omitted from the sticky OR of a rounding, which is then wrong on
single inputs next to ties. The table lists the bits that the inputs of each level catch.

With --places: the verdicts of smoke, quick and standard on bugs of lanes and packs, and on bugs that need large calls or
matrices.

With --shard: the bugs of one part of N, counted off the list of all bugs. Its JSON is no result: mxcert merge joins the
files of all parts to the JSON of one run.

With --level smoke or --budget: the number of bugs that the inputs of certify with these options expose.

Exit codes: 0 all are caught and explained; 1 one is not; 2 usage or file error; 4 nothing with that name is judged.

Examples:
  mxcert selftest
  mxcert selftest --filter 'fp32-e4m3-*' --every-profile
  mxcert selftest --filter 'matmul-*'
  mxcert selftest --shard 2/8 --json part-2.json
  mxcert selftest --level smoke
  mxcert selftest --sticky-bits
  mxcert selftest --places --filter 'fp16-*')";

void add_selftest_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("selftest", "Check that the suite catches and names every planted bug");
    globs(command->add_option("--filter", options->selection.filters,
                              "Only these conversions and rows, repeatable: 'fp32-e4m3-*'"));
    repeatable(command->add_option("--profile", options->selection.profiles, "Judge by this profile, repeatable"),
               "NAME");
    command->add_flag("--every-profile", options->selection.every_profile,
                      "Judge by every applicable profile, not only the first");
    add_threads_option(*command, options->jobs);
    command->add_flag("--quiet", options->quiet, "No progress");
    add_json_option(*command, options->json);
    add_html_option(*command, options->html);
    CLI::Option* level =
        command->add_option("--level", options->level, "Count the bugs that the inputs of this level of certify expose")
            ->check(CLI::IsMember({"smoke"}))
            ->excludes("--json")
            ->excludes("--html");
    command->add_option("--budget", options->budget, "The same with N inputs a conversion")
        ->transform(number_between(std::uint64_t{1}, largest_budget))
        ->type_name("N")
        ->excludes(level)
        ->excludes("--json")
        ->excludes("--html");
    command->add_flag("--sticky-bits", options->sticky, "Show which sticky bits each level of certify detects")
        ->excludes(level)
        ->excludes("--budget")
        ->excludes("--profile")
        ->excludes("--every-profile")
        ->excludes("--json")
        ->excludes("--html");
    command->add_flag("--places", options->places, "Show how each level of certify judges bugs of places and sizes")
        ->excludes(level)
        ->excludes("--budget")
        ->excludes("--sticky-bits")
        ->excludes("--profile")
        ->excludes("--every-profile")
        ->excludes("--json")
        ->excludes("--html");
    CLI::Option* shard = command
                             ->add_option("--shard", options->shard,
                                          "Plant only the bugs of part I of N; --json is then a part for mxcert merge")
                             ->type_name("I/N")
                             ->needs("--json");
    for (const char* name : {"--html", "--level", "--budget", "--sticky-bits", "--places"}) shard->excludes(name);
    command->footer(footer);
    command->callback([options, &exit] { exit.code = selftest(*options); });
}

const Command registered{Group::test, "selftest", add_selftest_command};

} // namespace
} // namespace mxcert::cli::selftest_command

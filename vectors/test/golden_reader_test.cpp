// SPDX-License-Identifier: Apache-2.0
// The reader of docs/vectors.md, docs/examples/read_golden.py, against the exact model: it must expand every golden
// file to what the model gives, and refuse a file that is no partition.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "catch.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_files.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path golden_files = MXCERT_TEST_SOURCE "/vectors/golden";
const std::string examples = MXCERT_TEST_SOURCE "/docs/examples";
constexpr std::string_view any_code = "any";

struct Ran {
    int status;
    std::string output; ///< both streams
};

Ran run_shell(const std::string& command) {
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    Ran ran{0, ""};
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) ran.output.append(part.data(), size);
    ran.status = pclose(pipe);
    return ran;
}

Ran read_golden(const std::string& arguments) {
    return run_shell("python3 " + examples + "/read_golden.py " + arguments);
}

using Selection = std::vector<std::pair<std::string, std::string>>;

/// The defaults, and then as many selections as the choice with most values has: each value of each choice is in one.
std::vector<Selection> reader_selections(const ManifestEntry& entry) {
    std::vector<Selection> all(1);
    std::size_t most = 0;
    for (const NamedChoice& choice : entry.choices) {
        all.front().emplace_back(choice.name, choice.default_value);
        most = std::max(most, choice.values.size());
    }
    for (std::size_t i = 0; i < most; ++i) {
        Selection& selection = all.emplace_back();
        for (const NamedChoice& choice : entry.choices)
            selection.emplace_back(choice.name, choice.values[i % choice.values.size()]);
    }
    return all;
}

/// What the exact model permits, as expand_golden.py writes it.
std::string digest(const Format& from, const Format& to, const Selection& selection) {
    Choices choices;
    if (to.element != nullptr) choices.rule = ScaleRule::ocp_floor;
    ChoiceSet any = 0;
    for (const auto& [name, value] : selection)
        if (value == any_code)
            any |= name == "nan" ? bit(Choice::nan) : bit(Choice::overflow_nan);
        else
            set(choices, name, value);
    std::string text;
    const auto permit = [&](const TracedStep& step) {
        return (step.consulted & any) != 0 && to.is_nan(step.code) ? std::string("nan") : hex(step.code, to);
    };
    const std::vector<TracedStep> steps = trace_steps(from, to, choices, {{0, from.last_code()}});
    for (std::size_t i = 0, start = 0; i < steps.size(); ++i) {
        if (i + 1 < steps.size() && permit(steps[i + 1]) == permit(steps[i])) continue;
        text += fmt::format("{:X},{:X},{}\n", steps[start].first, steps[i].last, permit(steps[i]));
        start = i + 1;
    }
    return sha256(text);
}

/// A format, or one that stands for all that a reader sees no difference to.
std::string kind_of(const std::string& name) {
    const Format& f = format(name);
    if (f.element != nullptr) return "the scale of a block";
    if (f.scaling == Scaling::multiply) return "times a scale";
    return f.specials == Specials::none ? "of six or four bits" : name;
}

/// Files in which each kind of source and of target is: of the first in which it is.
std::vector<ManifestEntry> of_each_kind(const std::vector<ManifestEntry>& files) {
    std::set<std::string> sources;
    std::set<std::string> targets;
    std::vector<ManifestEntry> chosen;
    for (const ManifestEntry& entry : files) {
        const bool is_new_source = sources.insert(kind_of(entry.from)).second;
        const bool is_new_target = targets.insert(kind_of(entry.to)).second;
        if (is_new_source || is_new_target) chosen.push_back(entry);
    }
    return chosen;
}

/// One selection in so many, others of each file. Returns how many were compared.
std::size_t check_expanded(const std::vector<ManifestEntry>& files, std::size_t one_in) {
    const TemporaryFolder folder;
    std::size_t compared = 0;
    std::size_t number = 0;
    for (const ManifestEntry& entry : files) {
        CAPTURE(entry.file);
        std::string asked_selection;
        std::string wanted;
        const std::vector<Selection> selections = reader_selections(entry);
        for (std::size_t i = number++ % one_in; i < selections.size(); i += one_in) {
            const Selection& selection = selections[i];
            for (const auto& [name, value] : selection) asked_selection += fmt::format("{}={} ", name, value);
            asked_selection += "\n";
            wanted += digest(*find_format(entry.from), *find_format(entry.to), selection) + "\n";
            ++compared;
        }
        const auto input = folder.file("asked", asked_selection);
        const Ran ran = run_shell(fmt::format("python3 {}/vectors/test/expand_golden.py {} {} < {}", MXCERT_TEST_SOURCE,
                                              examples, (golden_files / entry.file).string(), input.string()));
        CHECK(ran.output == wanted);
        std::filesystem::remove(input);
    }
    return compared;
}

void check_checked(const std::vector<ManifestEntry>& files) {
    for (const ManifestEntry& entry : files) {
        CAPTURE(entry.file);
        CHECK(read_golden((golden_files / entry.file).string()).output == "OK\n");
    }
}

} // namespace

TEST_CASE("the documented reader expands golden files of each kind to what the exact model gives",
          "[golden_reader][values]") {
    const std::vector<ManifestEntry> files = of_each_kind(load_manifest(golden_files).files);
    CHECK(files.size() < golden_pairs().size());
    CHECK(check_expanded(files, 2) > 50);
}
TEST_CASE("all golden files are expanded by the documented reader to what the exact model gives", "[.][exhaustive]") {
    const Manifest manifest = load_manifest(golden_files);
    CHECK(manifest.files.size() == golden_pairs().size());
    CHECK(check_expanded(manifest.files, 1) > 250);
}

TEST_CASE("all golden files are checked by the documented reader", "[.][exhaustive]") {
    check_checked(load_manifest(golden_files).files);
}

TEST_CASE("docs/vectors.md shows the reader as it is", "[golden_reader]") {
    const std::string script = content(examples + "/read_golden.py");
    const std::string page = content(MXCERT_TEST_SOURCE "/docs/vectors.md");
    const std::string fence = "```python\n";
    std::size_t functions = 0;
    for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
        at += fence.size();
        std::string block = page.substr(at, page.find("```", at) - at);
        if (block.starts_with("# check_mine.py\n")) continue; // a program of the reader's own
        for (std::size_t end = 0; !block.empty(); block.erase(0, end == block.size() ? end : end + 2), ++functions) {
            end = std::min(block.find("\n\n\n"), block.size());
            end += end == block.size() ? 0 : 1; // with the end of its last line
            CAPTURE(block.substr(0, end));
            CHECK(script.find(block.substr(0, end)) != std::string::npos);
        }
    }
    CHECK(functions == 6);
}

TEST_CASE("the documented reader gives the sign of a NaN", "[golden_reader]") {
    const std::string file = (golden_files / "e4m3_times_e8m0-fp64.csv").string();
    CHECK_THAT(read_golden(file + " nan=payload_sign").output,
               Contains("\nFF,FF,FFFE000000000000\n") && Contains("\n7F,7F,7FFE000000000000\n"));
}

TEST_CASE("the documented reader fills in defaults and refuses what the file does not have", "[golden_reader]") {
    const std::string file = (golden_files / "fp32-e4m3.csv").string();
    // NaN and zero rows are there though nothing is said of them.
    CHECK_THAT(read_golden(file + " rounding=nearest_even").output,
               Contains("7F800001,7FFFFFFF,7F\n") && Contains("80000000,80000000,80\n"));
    CHECK_THAT(read_golden(file + " rounding=nearest_evil").output,
               Contains("fp32-e4m3.csv has no choice rounding=nearest_evil"));
    CHECK_THAT(read_golden(file + " flush=none").output, Contains("has no choice flush=none"));
    CHECK(read_golden(file + " flush=none").status != 0);
    CHECK(read_golden(file + ".none").status != 0);
}

TEST_CASE("the documented reader refuses a selection that is no partition", "[golden_reader]") {
    const TemporaryFolder folder;
    std::filesystem::copy_file(golden_files / "manifest.json", folder.path() / "manifest.json");
    const std::filesystem::path file = folder.path() / "fp32-e4m3.csv";
    const std::string whole = content(golden_files / "fp32-e4m3.csv");
    const auto edited = [&](const std::string& from, const std::string& to) {
        std::string text = whole;
        REQUIRE(text.find(from) != std::string::npos);
        std::ofstream(file, std::ios::binary) << text.replace(text.find(from), from.size(), to);
        const Ran ran = read_golden(file.string());
        CHECK(ran.status != 0);
        return ran.output;
    };
    CHECK_THAT(edited(",00000000,00000000,00,OFP8-ZERO\n", ""),
               Contains("the rows are no partition: 0x1 to") && Contains("comes where 0x0 is to follow"));
    CHECK_THAT(edited("nan=canonical,FF800001,FFFFFFFF,", "nan=canonical,FF800001,FFFFFFFE,"),
               Contains("the rows are no partition: they end before 0xFFFFFFFF of 32 bits"));
    CHECK_THAT(edited("nan=canonical,7F800001,7FFFFFFF,", "nan=canonical,7F800002,7FFFFFFF,"),
               Contains("no partition: 0x7F800002 to 0x7FFFFFFF comes where 0x7F800001 is to follow"));
    CHECK_THAT(edited("rounding=nearest_even,", "rounding=nearest_evil,"), Contains("no partition"));
}

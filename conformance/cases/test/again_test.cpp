// SPDX-License-Identifier: Apache-2.0
// The lines that a failure prints, run as they stand: `again:` fails the same way, `explain:` says what was expected.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/level.hpp"
#include "conformance/print/text.hpp"
#include "conformance/selftest/planted_backend.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::cases;
using mxcert::test::contains;
using mxcert::test::fs::path;

namespace {

/// What follows a label on each line that begins with it.
std::vector<std::string> lines_after(const std::string& text, const std::string& label) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos || line.compare(begin, label.size(), label) != 0) continue;
        found.push_back(line.substr(line.find_first_not_of(' ', begin + label.size())));
    }
    return found;
}

/// "FAIL  fp16-e4m3-nearest_even-sat  ocp-sat": how the failures of a run begin.
std::set<std::string> headings(const std::string& text) {
    std::set<std::string> found;
    for (const char* status : {"FAIL  ", "MISTRUSTED  ", "ERROR  "})
        for (const std::string& rest : lines_after(text, status))
            found.insert(status + rest.substr(0, rest.find(": ")));
    return found;
}

/// Runs a command that fails, then each command that it prints, twice: what is printed the second time is what was run.
void check_again(const TemporaryFolder& folder, const std::string& command) {
    INFO(command);
    const test::Result first = test::shell(folder.path(), command);
    INFO(first.out << first.err);
    REQUIRE(first.code != 0);
    std::vector<std::string> commands = lines_after(first.out, "again:");
    REQUIRE_FALSE(commands.empty());
    const std::set<std::string> distinct(commands.begin(), commands.end());
    for (const std::string& again : distinct) {
        INFO(again);
        const test::Result second = test::shell(folder.path(), again);
        INFO(second.out << second.err);
        CHECK(second.code == first.code);
        CHECK(headings(second.out) == headings(first.out));
        const std::vector<std::string> printed = lines_after(second.out, "again:");
        // A whole row may print what alone shows it, and a case the smaller one that it was made to.
        const bool is_whole =
            contains(again, "--filter") || again.find(':', again.find("--reproduce")) == std::string::npos;
        const bool is_itself = std::all_of(printed.begin(), printed.end(), [&](const std::string& line) {
            return line == again || (contains(line, "@") && !contains(again, "@"));
        });
        CHECK((is_whole ? !printed.empty() : is_itself && !printed.empty() && printed.front() == again));
    }
}

std::string certified(const std::string& plugin, std::string_view option, std::string_view profile,
                      std::string_view row, unsigned most_failures = 2) {
    return fmt::format("mxcert certify {} --backend-option={} --profile {} --filter {} --max-failures {} --quiet",
                       plugin, print::shell_word(option), profile, print::shell_word(row), most_failures);
}

const path planted_plugins = path(MXCERT_TEST_QUANTIZER).parent_path();

/// One planted bug of each kind of operation, or of each of their parts and verdicts.
void check_operations(bool every_part) {
    const TemporaryFolder folder;
    std::set<std::tuple<std::string_view, std::string_view, Status>> seen;
    std::set<std::string_view> plugins;
    // Of a kind the one that the fewest cases show.
    std::vector<selftest::PlantedBackend> backends(selftest::planted_backends().begin(),
                                                   selftest::planted_backends().end());
    std::ranges::stable_sort(backends, {}, &selftest::PlantedBackend::level);
    for (const selftest::PlantedBackend& backend : backends) {
        // What goes wrong in one block of many depends on the others: no single input shows it again.
        if (backend.option.find(" in 2^12") != std::string_view::npos) continue;
        // A distribution is asked for a minute, and then once more.
        if (backend.row.find("/distribution") != std::string_view::npos) continue;
        const std::string_view row = backend.row;
        // All inputs of FP32 are asked for a minute; the reproduction of one is tried in cli_test.cpp.
        if (!every_part && row.starts_with("fp32-")) continue;
        // Shards take ten seconds; layers and products with an epilogue are run again as plain products are.
        const bool is_slow =
            row.starts_with("partial_cast-") || row.starts_with("linear-") || row.starts_with("scaled_matmul-");
        if (!every_part && is_slow) continue;
        const std::string_view operation = row.substr(0, row.find('-'));
        const std::string_view part = row.substr(std::min(row.find('/'), row.size()));
        if (!seen.insert(every_part ? std::tuple(operation, part, backend.verdict)
                                    : std::tuple(operation, std::string_view(), Status::fail))
                 .second)
            continue;
        plugins.insert(backend.plugin);
        const std::string plugin = planted_plugins / (std::string(backend.plugin) + ".so");
        check_again(folder, certified(plugin, backend.option, backend.profile, backend.row, every_part ? 2 : 1) +
                                " --level " + to_string(LevelOf{backend.level}));
    }
    CHECK(plugins.size() == (every_part ? 17 : 11));
}

const std::string ways = path(MXCERT_TEST_HOSTILE) / "ways.so";

} // namespace

TEST_CASE("the again lines of conversions fail the same way", "[again][cli][values]") {
    const TemporaryFolder folder;
    for (const char* way : {"wrong:3C01", "make_nan", "zeros", "crash_one:3C01", "too_few", "write_once",
                            "write_nothing", "by_call", "write_after"})
        check_again(folder, certified(ways, way, "ocp-sat", "fp16-e4m3-nearest_even-sat"));
}

TEST_CASE("the again lines of roundings with given random bits fail the same way", "[again][cli][values]") {
    const TemporaryFolder folder;
    for (const char* way : {"zeros", "last_bit", "too_few"})
        check_again(folder, certified(ways, way, "ocp", "fp32-e4m3-stochastic_a8-nosat"));
}

TEST_CASE("the again lines of operations fail the same way", "[again][cli][values]") { check_operations(false); }
TEST_CASE("the again lines of every part of operations fail the same way", "[.][exhaustive]") {
    check_operations(true);
}

namespace {

void check_explained(const std::string& command) {
    const TemporaryFolder folder;
    const test::Result result = test::shell(folder.path(), command);
    INFO(command << "\n" << result.out << result.err);
    const std::vector<std::string> explains = lines_after(result.out, "explain:");
    const std::vector<std::string> expected = lines_after(result.out, "expected ");
    REQUIRE_FALSE(explains.empty());
    for (std::size_t i = 0; i < explains.size(); ++i) {
        const test::Result explained = test::shell(folder.path(), explains[i]);
        INFO(explains[i] << "\n" << explained.out << explained.err);
        CHECK(explained.code == 0);
        if (i < expected.size()) {
            const std::string code = expected[i].substr(0, expected[i].find(' '));
            if (code.starts_with("0x")) CHECK(contains(explained.out, "\nresult    " + code + "  "));
        }
    }
}

} // namespace

TEST_CASE("the explain line of a failure gives the code that was expected", "[again][cli][values]") {
    check_explained(certified(ways, "zeros", "ocp-sat", "fp16-e4m3-nearest_even-sat"));
    check_explained(certified(ways, "last_bit", "ocp-nosat", "e4m3_times_e8m0-fp16-nearest_even-nosat"));
    check_explained(certified(ways, "last_bit", "ocp-sat", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat"));
    check_explained(certified(ways, "zeros", "ocp", "fp32-e4m3-stochastic_a8-nosat"));
}
// What is wrong for every pair of a value and a scale takes half a minute to name.
TEST_CASE("an explain line gives the code that was expected where a value is divided by a scale", "[.][exhaustive]") {
    check_explained(certified(ways, "last_bit", "ocp-sat", "fp32_by_e8m0-e5m2-nearest_even-sat"));
}

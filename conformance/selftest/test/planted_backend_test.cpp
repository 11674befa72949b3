// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/planted_backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "conformance/faults/planted.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::selftest;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path folder = std::filesystem::path(MXCERT_TEST_QUANTIZER).parent_path();
constexpr std::string_view blocks = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks";

PlantedBackendResult run(const PlantedBackend& planted) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    PlantedBackendResult result = run_planted(planted, folder);
    UNSCOPED_INFO(planted.plugin << " '" << planted.option << "': " << to_string(result.outcome) << ", "
                                 << to_string(result.status) << ", " << result.reason);
    return result;
}

} // namespace

TEST_CASE("wrong backends are each planted once, under classes that there are", "[bugs]") {
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
    std::set<std::string_view> plugins;
    for (const PlantedBackend& backend : planted_backends()) {
        CAPTURE(backend.plugin, backend.option, backend.row);
        CHECK(seen.insert({backend.plugin, backend.option, backend.row}).second);
        CHECK_FALSE(backend.option.empty());
        CHECK_NOTHROW(find_profile(backend.profile));
        CHECK((backend.bug_class.empty() || find_bug_class(backend.bug_class) != nullptr));
        CHECK(backend.verdict != Status::pass);
        CHECK(std::filesystem::is_regular_file(folder / (std::string(backend.plugin) + ".so")));
        plugins.insert(backend.plugin);
    }
    CHECK(plugins.size() == 19);
}

TEST_CASE("the rows that wrong backends are asked for are offered by them", "[bugs][values]") {
    std::map<std::string_view, std::set<std::string>> rows;
    for (const PlantedBackend& backend : planted_backends()) {
        const auto [at, fresh] = rows.try_emplace(backend.plugin);
        if (fresh) {
            const std::string path = folder / (std::string(backend.plugin) + ".so");
            const observe::BackendInfo info = test::open_plugin(path.c_str(), "")->info();
            for (const Conversion& conversion : info.conversions) at->second.insert(to_string(conversion));
            for (const Operation& operation : info.operations)
                for (const std::string& id : suites::row_ids(operation)) at->second.insert(id);
        }
        CAPTURE(backend.plugin, backend.row);
        const auto count = std::count_if(at->second.begin(), at->second.end(),
                                         [&](const std::string& row) { return print::glob_matches(backend.row, row); });
        CHECK((backend.row.find('*') == std::string_view::npos ? count == 1 : count > 1));
    }
}

TEST_CASE("every bug that an answer can show is planted", "[bugs][values]") {
    std::set<std::string_view> classes;
    for (const PlantedBackend& backend : planted_backends()) classes.insert(backend.bug_class);
    verdict::GoldenSource golden;
    for (const SelftestConversion& this_conversion : selftest_conversions()) {
        const Conversion conversion = parse_conversion(this_conversion.name);
        const verdict::Judge judge = verdict::judges_of(conversion, {&profile_of(this_conversion)}, golden).at(0);
        // What is equivalent to what is permitted shows nothing.
        for (const faults::Planted& planted : faults::planted_in(conversion, profile_of(this_conversion)))
            if (!classes.contains(planted.bug_class->id) &&
                !diagnose::differences_of(faults::planted_table(planted).steps, judge.permitted).empty())
                classes.insert(planted.bug_class->id);
    }
    for (const BugClass& bug : all_bug_classes()) {
        CAPTURE(bug.id);
        CHECK(classes.contains(bug.id));
    }
}

TEST_CASE("what comes of a wrong backend is said as it is", "[bugs][operation][values]") {
    const auto outcome = [](std::string_view option, std::string_view bug_class, Status verdict = Status::fail) {
        return run({"quantizer", option, "ocp-sat", blocks, bug_class, verdict, false, Level::smoke}).outcome;
    };
    CHECK(outcome("without lane 0", "AMAX_LANES") == PlantOutcome::named);
    CHECK(outcome("without lane 0", "WRONG_AXIS") == PlantOutcome::alike);
    // Named, and nothing was to be named.
    CHECK(outcome("without lane 0", "") == PlantOutcome::misnamed);
    CHECK(outcome("last not written", "", Status::error) == PlantOutcome::misnamed);
    CHECK(outcome("last not written", "", Status::mistrusted) == PlantOutcome::unnamed);
    CHECK(outcome("crash", "", Status::error) == PlantOutcome::unnamed);
    // Not named, and a class was expected; and right.
    CHECK(outcome("crash", "AMAX_LANES", Status::error) == PlantOutcome::misnamed);
    CHECK(outcome("no such bug", "AMAX_LANES") == PlantOutcome::escaped);
    CHECK(outcome("no such bug", "") == PlantOutcome::escaped);
    // Not judged is not caught.
    const PlantedBackendResult no_row = run({"quantizer", "crash", "ocp-sat", "layout-none/places", ""});
    CHECK(no_row.outcome == PlantOutcome::misnamed);
    CHECK(no_row.status == Status::untested);
    const PlantedBackendResult no_plugin = run({"quantizers", "crash", "ocp-sat", blocks, ""});
    CHECK(no_plugin.outcome == PlantOutcome::misnamed);
    CHECK(no_plugin.status == Status::untested);
    CHECK_THAT(no_plugin.reason, Contains("quantizers"));
}

TEST_CASE("mxcert selftest runs wrong backends too", "[bugs][cli][values]") {
    const TemporaryFolder work;
    const test::Result all = test::shell(work.path(), "mxcert selftest --filter 'dequantize-e2m1-*' --filter "
                                                      "'dequantize-*/values' --filter 'layout*' "
                                                      "--filter 'fp16-e4m3-nearest_even-sat' --json planted.json");
    INFO(all.out << all.err);
    CHECK(all.code == 0);
    CHECK_THAT(all.out, Contains("SWIZZLED") && Contains("no class"));
    CHECK(test::shell(work.path(), "python3 -c 'import json\n"
                                   "found = json.load(open(\"planted.json\"))\n"
                                   "assert {one[\"backend\"] for one in found} == {\"quantizer\", \"misplaced\", "
                                   "\"packed_quantizer\"}\n"
                                   "assert all(one[\"verdict\"] in (\"FAIL\", \"ERROR\") for one in found)'")
              .code == 0);
    CHECK(test::shell(work.path(), "mxcert selftest --filter 'layout*' --profile ocp").code == 4);
    CHECK(test::shell(work.path(), "mxcert selftest --filter 'layout*' --profile ocp-st").code == 2);
}

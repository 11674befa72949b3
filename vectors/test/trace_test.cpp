// SPDX-License-Identifier: Apache-2.0
// Golden traces: the committed files are what the model gives, and a file is read as it was written.
#include "vectors/cases/trace.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "vectors/tables/csv.hpp"

using namespace mxcert;

namespace {

const std::filesystem::path folder = std::filesystem::path(MXCERT_TEST_SOURCE) / "vectors" / "traces";

} // namespace

TEST_CASE("the committed traces are what the model gives, and no others", "[values][trace]") {
    std::set<std::string> files;
    for (const TraceText& trace : traces()) {
        CAPTURE(trace.file);
        CHECK(files.insert(trace.file).second);
        CHECK(csv::read_text(folder / trace.file) == trace.text);
    }
    std::set<std::string> there;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) there.insert(entry.path().filename());
    CHECK(there == files);
}

// How the files come about: vectors_test "[write_traces]".
TEST_CASE("the traces are written", "[.][write_traces]") {
    for (const TraceText& trace : traces()) {
        std::ofstream file(folder / trace.file, std::ios::binary);
        REQUIRE((file << trace.text).flush().good());
    }
}

TEST_CASE("no two recipes have the same trace", "[trace]") {
    std::set<std::string> texts;
    for (const TraceText& trace : traces()) {
        CAPTURE(trace.file);
        CHECK(texts.insert(trace.text).second);
    }
}

TEST_CASE("a trace is read as it was written, and nothing else is read", "[trace]") {
    const TraceCase& traced = trace_case("factor_maximum_4_computed");
    const Trace trace = golden_trace(traced);
    const std::string text = write_trace(trace);
    CHECK(text.starts_with("step,amax,scale,inverse\n0,40400000,"));
    CHECK(parse_trace(text, "t") == trace);
    const auto reason = [](const std::string& wrong) -> std::string {
        try {
            static_cast<void>(parse_trace(wrong, "t"));
        } catch (const csv::Error& error) {
            return error.what();
        }
        return "";
    };
    const std::string header = "step,amax,scale,inverse\n";
    CHECK(reason(header) == "t: no rows");
    CHECK(reason("step,amax,scale\n0,00000000,3F800000\n") ==
          "t:1: the header is 'step,amax,scale', not 'step,amax,scale,inverse'");
    CHECK(reason(header + "1,00000000,3F800000,3F800000\n") == "t:2: step '1', not 0");
    CHECK(reason(header + "00,00000000,3F800000,3F800000\n") == "t:2: step '00', not 0");
    CHECK(reason(header + "0,3f800000,3F800000,3F800000\n") == "t:2: lower-case digits in '3f800000'");
    CHECK(reason(header + "0,00000000,3F800000\n") == "t:2: fewer than 4 columns");
    CHECK_FALSE(reason(header + "0,00000000,3F800000,3F80000\n").empty());
    CHECK_FALSE(reason(header + "0,00000000,3F800000,3F800000").empty());
    CHECK_THROWS_AS(trace_case("te"), std::invalid_argument);
}

TEST_CASE("a run does not change the machine", "[trace]") {
    const TraceCase& traced = trace_case("factor_maximum_4");
    const Machine machine = machine_of(traced.choices);
    const Trace first = run(machine, traced.amaxes);
    CHECK(run(machine, traced.amaxes) == first);
}

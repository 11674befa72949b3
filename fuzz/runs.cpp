// SPDX-License-Identifier: Apache-2.0
// The runs of an operation in a record. What is read can be written, and is the same when it is read again.
#include <stdexcept>

#include "conformance/files/pack.hpp"
#include "conformance/record/recorded_run.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    const std::filesystem::path path = scratch.path() / "runs.json";
    scratch.write("runs.json", input);
    record::RecordedOperation recorded;
    try {
        recorded = record::read_runs(path);
    } catch (const std::runtime_error&) { // no runs
        return;
    }
    for (const record::RecordedRun& run : recorded.runs) try {
            constexpr std::size_t size = 64;
            fuzz::require(files::unpack(run.outputs, size).size() == size, "outputs are as many as were asked");
        } catch (const std::runtime_error&) { // not that many
        }
    const std::string text = record::write_runs(recorded);
    scratch.write("runs.json", text);
    fuzz::require_same(record::write_runs(record::read_runs(path)), text,
                       "runs that were written are read as they were");
}

const fuzz::Target registered{"runs", run, fuzz::Form::json};

} // namespace

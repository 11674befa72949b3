// SPDX-License-Identifier: Apache-2.0
// A baseline of `mxcert gate`, which a person may have edited. What is read is written, and read back as the same text.
#include <stdexcept>
#include <string>

#include "conformance/gate/baseline.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    scratch.write("baseline.json", input);
    std::string text;
    try {
        text = gate::baseline_json(gate::read_baseline(scratch.path() / "baseline.json"));
    } catch (const std::runtime_error&) {
        return;
    }
    scratch.write("baseline.json", text);
    const std::string again = gate::baseline_json(gate::read_baseline(scratch.path() / "baseline.json"));
    fuzz::require(again == text, "a baseline that was written is read as it was");
}

const fuzz::Target registered{"baseline", run, fuzz::Form::json};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// The answers of an offline device, responses.mxcf, to requests that are always the same. Whatever comes, each
// conversion gets a status, and none passes without an answer to all its inputs.
#include <stdexcept>

#include "conformance/observe/subject.hpp"
#include "conformance/offline/offline.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

offline::OfflineIndex write_requests(const std::filesystem::path& folder) {
    offline::OfflineIndex index;
    index.inputs = offline::OfflineInputs::all;
    index.profiles = {"ocp-sat"};
    index.filters = {"e4m3-bf16-*", "e8m0-bf16-*"};
    offline::write_offline(index, folder);
    return index;
}

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    static const offline::OfflineIndex index = write_requests(scratch.path() / "device");
    scratch.write("device/responses.mxcf", input);
    std::unique_ptr<observe::Subject> device;
    try {
        device = offline::open_offline(scratch.path() / "device", {});
    } catch (const std::runtime_error&) {
        return;
    }
    for (const Conversion& conversion : index.conversions) {
        const observe::Observation seen = device->observe(conversion, nullptr);
        const bool whole = seen.inputs == conversion.from->last_code() + 1 && !seen.table.steps.empty();
        fuzz::require(seen.status != Status::pass || whole, "what passes was answered for every input");
        fuzz::require(seen.status == Status::pass || !seen.reason.empty(), "what does not pass has a reason");
        if (whole) fuzz::require(broken(seen.table).empty(), "a whole table is a partition of the inputs");
    }
}

const fuzz::Target registered{"responses", run, fuzz::Form::frames};

} // namespace

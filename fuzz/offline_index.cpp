// SPDX-License-Identifier: Apache-2.0
// The index of what an offline device is asked, offline.json, beside requests that are always the same. What is read
// can be written, and is the same when it is read again.
#include <stdexcept>

#include "conformance/offline/offline.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    static const std::filesystem::path folder = [] {
        offline::OfflineIndex index;
        index.profiles = {"ocp-sat"};
        index.filters = {"e4m3-bf16-*"};
        offline::write_offline(index, scratch.path() / "device");
        return scratch.path() / "device";
    }();
    scratch.write("device/offline.json", input);
    std::string text;
    try {
        text = offline::offline_index_text(offline::read_offline_index(folder));
    } catch (const std::runtime_error&) { // no index of these requests
        return;
    }
    scratch.write("device/offline.json", text);
    fuzz::require_same(offline::offline_index_text(offline::read_offline_index(folder)), text,
                       "an index that was written is read as it was");
}

const fuzz::Target registered{"offline_index", run, fuzz::Form::json};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// The manifest of the golden files: what is read prints to a text that reads to the same.
#include <stdexcept>

#include "fuzz/target.hpp"
#include "vectors/golden_store/manifest.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    Manifest manifest;
    try {
        manifest = parse_manifest(input, "input");
    } catch (const std::runtime_error&) {
        return;
    }
    for (const ManifestEntry& entry : manifest.files)
        fuzz::require(entry.file.find('/') == std::string::npos, "a manifest leads nowhere outside its folder");
    const std::string text = write_manifest(manifest);
    const Manifest again = parse_manifest(text, "printed");
    fuzz::require(again.vectors == manifest.vectors && again.generator == manifest.generator &&
                      again.files == manifest.files,
                  "a manifest reads as it was written");
    fuzz::require_same(write_manifest(again), text, "a manifest prints the same twice");
}

const fuzz::Target registered{"manifest", run, fuzz::Form::json};

} // namespace

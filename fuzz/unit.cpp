// SPDX-License-Identifier: Apache-2.0
// The answers of a unit, units/NAME.json of a part of a run. What can be parsed is given the checksums that fit, as a
// forger would do. What is read can be written, and is the same when it is read again.
#include <stdexcept>

#include "conformance/shards/answers.hpp"
#include "conformance/shards/json.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

/// The text with checksums that fit; as it is where it is no object.
std::string with_checksums(std::string_view text) {
    files::Json json = files::Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::string(text);
    files::Json answers = json;
    for (const char* name : {"answers_sha256", "host", "started", "seconds"}) answers.erase(name);
    json["answers_sha256"] = shards::digest_of_json(answers);
    json["sha256"] = shards::digest_of_json(json);
    return files::json_text(json);
}

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    const std::filesystem::path path = scratch.path() / "unit.json";
    scratch.write("unit.json", with_checksums(input));
    shards::Answers answers;
    try {
        answers = shards::read_answers(path);
    } catch (const std::runtime_error&) { // no unit
        return;
    }
    shards::write_answers(answers, path);
    fuzz::require(shards::digest_of(shards::read_answers(path)) == shards::digest_of(answers),
                  "what was read is the same when it is written and read again");
}

const fuzz::Target registered{"unit", run};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// The answers of a unit, units/NAME.json of a part of a run. An input that parses gets the checksums that fit, as a
// forger would do. What is read can be written, and is the same when it is read again.
#include <stdexcept>

#include "conformance/shards/answers.hpp"
#include "fuzz/forged.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    const std::filesystem::path path = scratch.path() / "unit.json";
    scratch.write("unit.json", fuzz::forged(input, shards::with_checksums));
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

const fuzz::Target registered{"unit", run, fuzz::Form::json};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// shard.json, which says what a part of a run asked. An input that parses gets the checksums that fit, as a forger
// would do. What is read can be written, and is the same when it is read again.
#include <stdexcept>

#include "conformance/shards/json.hpp"
#include "conformance/shards/run.hpp"
#include "fuzz/forged.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

files::Json with_checksum(files::Json json) {
    json["sha256"] = shards::digest_of_json(json);
    return json;
}

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    scratch.write("shard.json", fuzz::forged(input, with_checksum));
    shards::Shard shard;
    try {
        shard = shards::read_shard(scratch.path());
    } catch (const std::runtime_error&) { // no part
        return;
    }
    fuzz::require(shard.part < shard.run.parts, "a part is one of the run");
    shards::write_shard(shard, scratch.path());
    const shards::Shard again = shards::read_shard(scratch.path());
    fuzz::require(again.part == shard.part && again.argument == shard.argument &&
                      again.run.digest() == shard.run.digest(),
                  "what was read is the same when it is written and read again");
    fuzz::require_same(shards::difference(again.run, shard.run), "", "a run does not differ from itself");
}

const fuzz::Target registered{"shard", run, fuzz::Form::json};

} // namespace

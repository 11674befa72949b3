// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/json.hpp"

#include "vectors/base/sha256.hpp"

namespace mxcert::shards {

std::string digest_of_json(files::Json json) {
    json.erase("sha256");
    return sha256(json.dump(-1, ' ', true, files::Json::error_handler_t::replace));
}

void check_digest(const files::Json& json, const files::Members& members) {
    if (members.text("sha256") != digest_of_json(json))
        members.fail("sha256", "is not the checksum of the rest: the file was changed after it was written");
}

files::Json host_json(const report::Host& host) {
    return {{"system", host.system}, {"machine", host.machine}, {"cpu", host.cpu}};
}

report::Host host_of(const files::Members& members) {
    return {members.text("system"), members.text("machine"), members.text("cpu")};
}

} // namespace mxcert::shards

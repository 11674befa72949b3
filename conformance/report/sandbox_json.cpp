// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/sandbox_json.hpp"

#include <stdexcept>

namespace mxcert::report {

files::Json sandbox_json(const sandbox::State& state) {
    files::Json missing = files::Json::array();
    for (const sandbox::Missing& part : state.missing)
        missing.push_back({{"part", part.part}, {"reason", part.reason}});
    return {{"mode", to_string(state.mode)}, {"in_force", state.in_force}, {"missing", missing}};
}

sandbox::State sandbox_of(const files::Members& members) {
    sandbox::State state;
    try {
        state.mode = sandbox::parse_mode(members.text("mode"));
    } catch (const std::invalid_argument& error) {
        members.fail("mode", error.what());
    }
    state.in_force = members.texts("in_force");
    for (const files::Json& entry : members.array("missing")) {
        const files::Members part(entry, "missing");
        state.missing.push_back({part.text("part"), part.text("reason")});
    }
    return state;
}

} // namespace mxcert::report

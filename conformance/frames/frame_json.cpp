// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/frame_json.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "conformance/frames/frames.hpp"
#include "vectors/base/json_depth.hpp"

namespace mxcert::frames {

nlohmann::json json_of_frame(std::span<const std::byte> payload) {
    if (payload.size() > max_frame_json) throw frames::Error("JSON of more than 1 MiB");
    const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
    if (!is_shallow_json(text))
        throw frames::Error("JSON that nests more than " + std::to_string(max_json_depth) + " deep");
    auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) throw frames::Error("its payload is not a JSON object");
    return json;
}

} // namespace mxcert::frames

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "conformance/files/json_members.hpp"

namespace mxcert::fuzz {

/// The text with checksums that fit, as a forger would write it: `fit` gives a JSON object its own. As it is where it
/// is no object.
template <class Fit> std::string forged(std::string_view text, const Fit& fit) {
    files::Json json = files::Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::string(text);
    return files::json_text(fit(std::move(json)));
}

} // namespace mxcert::fuzz

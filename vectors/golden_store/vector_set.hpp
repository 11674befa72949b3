// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxcert {

/// The committed vectors a run used.
struct VectorSet {
    std::string version;
    std::string manifest_sha256; ///< "" if there is no manifest: everything was tabulated
};
[[nodiscard]] VectorSet this_vector_set();

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace mxcert::sandbox {

/// The devices that a backend may use: those under /dev that are no disks, terminals, input devices or parts of the
/// kernel, such as its memory.
[[nodiscard]] std::vector<std::filesystem::path> usable_devices();

} // namespace mxcert::sandbox

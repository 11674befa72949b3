// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "vectors/golden_store/golden_embedded.hpp"

namespace mxcert {

/// All files of vectors/golden, as they were when this was built. golden.cpp is made from golden.cpp.in.
[[nodiscard]] std::span<const EmbeddedFile> golden_inside();

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/vector_set.hpp"

#include "vectors/golden_store/golden_files.hpp"
#include "vectors/golden_store/manifest.hpp"

namespace mxcert {

VectorSet this_vector_set() { return {std::string(vectors_version), manifest_sha256(golden_folder())}; }

} // namespace mxcert

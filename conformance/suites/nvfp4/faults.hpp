// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/nvfp4/way.hpp"

namespace mxcert::suites {

/// A way to quantize to NVFP4 wrongly: an edit of what is right.
struct Nvfp4Fault {
    std::string_view name;      ///< "elements by the scale before it was rounded"
    std::string_view bug_class; ///< the id of its class
    bool (*plant)(Nvfp4Way&);   ///< false: it changes nothing of this way
};

/// Every fault that is known, the recipes of others apart.
[[nodiscard]] std::span<const Nvfp4Fault> nvfp4_faults();

/// Those of a quantizer that transforms its values first.
[[nodiscard]] std::span<const Nvfp4Fault> nvfp4_transform_faults();

/// Those of a quantizer that rounds its elements at random.
[[nodiscard]] std::span<const Nvfp4Fault> nvfp4_random_faults();

/// The faults that give all that came, of which something is not expected; those that give the same are all named.
/// Where none does, the recipes of others that do.
[[nodiscard]] std::vector<KnownFault> known_as(const QuantizeNvfp4& quantize, std::span<const Nvfp4Seen> seen);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/offline/offline.hpp"

namespace mxcert::offline {

/// What is asked of one conversion.
struct OfflineQuestion {
    Conversion conversion;
    PermitTable permitted;    ///< what any of the profiles permits: the poison is chosen by it
    std::vector<Code> inputs; ///< ascending; empty: every input of the source
};

/// The questions of a folder: every conversion that has golden files, is judged by one of the profiles and matches a
/// filter. Fills in index.profiles if there are none. Throws std::invalid_argument for an unknown profile, or if there
/// is no question.
[[nodiscard]] std::vector<OfflineQuestion> plan_offline(OfflineIndex& index);

/// One value in each binade of either sign, the fraction seeded: what boundaries of a narrow target do not reach.
[[nodiscard]] std::vector<Code> one_in_each_binade(const Format& format, std::uint64_t seed);

} // namespace mxcert::offline

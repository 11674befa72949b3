// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/verdict/golden_source.hpp"
#include "reference/conversion.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert::test_vectors {

/// Tests of a conversion: the first and the last input of every step of what the profile permits, and few inputs that
/// together show every planted bug. Of a source with a given scale under nine of the scales. Precondition: the profile
/// covers the conversion, whose rounding is not stochastic.
[[nodiscard]] TestVectors vectors_of(const Conversion& conversion, const Profile& profile,
                                     verdict::GoldenSource& golden);

/// Where the answers of a table are from, one line.
[[nodiscard]] std::string origin_of(const verdict::GoldenUsed& used);

} // namespace mxcert::test_vectors

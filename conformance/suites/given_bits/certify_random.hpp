// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/judge.hpp"

namespace mxcert::suites {

/// A stochastic rounding whose random bits are given: a function of the input and of them.
struct GivenBits {
    Conversion conversion;
    std::vector<const Profile*> profiles; ///< that judge it; at least one
    bool required = false;
    std::vector<inputs::Point> points{}; ///< the input and random bits of a reproduction; empty: random_points()
};

/// Random words that a stochastic rounding is asked with, unless there are fewer.
inline constexpr unsigned random_words = 256;

/// The inputs that a stochastic rounding with given random bits is asked: for each of up to `randoms` random words (all
/// there are, or the smallest, the largest, the powers of two and seeded ones) every boundary of the function that the
/// rounding then is, and every value that is a code, +-2 ulp, and the ends of the format's ranges. Ascending, no
/// duplicates. Throws std::invalid_argument if the rounding is not stochastic.
[[nodiscard]] std::vector<inputs::Point> random_points(const Conversion& conversion, unsigned randoms,
                                                       std::uint64_t seed);

/// Asks these and judges every answer by both models: a row a profile, which is a sample. Where the models do not agree
/// the row is UNTESTED.
[[nodiscard]] std::vector<verdict::Row> certify_random(observe::Subject& subject, const GivenBits& planned,
                                                       const verdict::CertifyOptions& options);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Of a source of which a sample is asked: the seeded inputs inside each step of the permitted answers.
namespace mxcert {

inline constexpr unsigned default_samples_per_step = 64;
/// The most that --samples-per-step takes, and a stored run has.
inline constexpr unsigned most_samples_per_step = 65'536;

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/verdict/golden_source.hpp"
#include "reference/operation/operation.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert::test_vectors {

/// The kinds of operations that there are test vectors of: "quantize", "matmul", ...
[[nodiscard]] std::vector<std::string_view> exported_operations();

/// The profile of that name, or, of "", the first that judges the operation. Throws std::invalid_argument where none
/// does.
[[nodiscard]] const Profile& profile_of(const Operation& operation, std::string_view name);

/// Tests of an operation, of the cases of its suite and of the ends of its tables. Every answer is the one that the
/// suite's judges permit. Throws std::invalid_argument for an operation that there are none of. Precondition: the
/// profile covers the operation.
[[nodiscard]] TestVectors vectors_of(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden);

/// The name, version and profile of a set of tests, without choices, fields and tests.
[[nodiscard]] TestVectors head_of(const Operation& operation, const Profile& profile);

// Of each kind.
[[nodiscard]] TestVectors quantize_vectors(const Operation& operation, const Profile& profile,
                                           verdict::GoldenSource& golden);
[[nodiscard]] TestVectors dequantize_vectors(const Operation& operation, const Profile& profile,
                                             verdict::GoldenSource& golden);
[[nodiscard]] TestVectors quantize_2d_vectors(const Operation& operation, const Profile& profile,
                                              verdict::GoldenSource& golden);
[[nodiscard]] TestVectors quantize_float_vectors(const Operation& operation, const Profile& profile,
                                                 verdict::GoldenSource& golden);
[[nodiscard]] TestVectors dequantize_float_vectors(const Operation& operation, const Profile& profile,
                                                   verdict::GoldenSource& golden);
[[nodiscard]] TestVectors quantize_nvfp4_vectors(const Operation& operation, const Profile& profile,
                                                 verdict::GoldenSource& golden);
[[nodiscard]] TestVectors dequantize_nvfp4_vectors(const Operation& operation, const Profile& profile,
                                                   verdict::GoldenSource& golden);
[[nodiscard]] TestVectors hadamard_vectors(const Operation& operation, const Profile& profile,
                                           verdict::GoldenSource& golden);
[[nodiscard]] TestVectors partial_cast_vectors(const Operation& operation, const Profile& profile,
                                               verdict::GoldenSource& golden);
[[nodiscard]] TestVectors layout_vectors(const Operation& operation, const Profile& profile,
                                         verdict::GoldenSource& golden);
[[nodiscard]] TestVectors matmul_vectors(const Operation& operation, const Profile& profile,
                                         verdict::GoldenSource& golden);
[[nodiscard]] TestVectors scaled_matmul_vectors(const Operation& operation, const Profile& profile,
                                                verdict::GoldenSource& golden);
[[nodiscard]] TestVectors linear_vectors(const Operation& operation, const Profile& profile,
                                         verdict::GoldenSource& golden);
[[nodiscard]] TestVectors scaling_vectors(const Operation& operation, const Profile& profile,
                                          verdict::GoldenSource& golden);

} // namespace mxcert::test_vectors

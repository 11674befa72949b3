// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

/// Asks for "quantize_float" and judges it by equality with what both models give: the rows OPERATION/scale (the scale
/// of every amax of FP16 and BF16, of a sample of FP32's and of blocks of more than 1024 values), OPERATION/elements
/// (under some scales, values on either side of every boundary) and OPERATION/blocks (what joins them, as cases). The
/// reason of a FAIL names what is known to be wrong so. A row that the models disagree on is UNTESTED. Rows that
/// --filter leaves out are not asked for; the profile of a row is the caller's.
[[nodiscard]] std::vector<Row> certify_quantize_float(Subject& subject, const Operation& operation,
                                                      const CertifyOptions& options);

/// The same of "dequantize_float": OPERATION/values (every element under every E8M0 scale, or a sample of the others)
/// and OPERATION/blocks.
[[nodiscard]] std::vector<Row> certify_dequantize_float(Subject& subject, const Operation& operation,
                                                        const CertifyOptions& options);

} // namespace mxcert

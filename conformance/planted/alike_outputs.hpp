// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/backend.h"
#include "conformance/frames/words.hpp"
#include "conformance/planted/operations_api.hpp"
#include "reference/format.hpp"

namespace mxcert::planted {

/// Spoils D where 16 of it in a row are of the kind that the fault names, as code does that has a path of its own for
/// whole vectors: "vectors of zeros in D" and those below.
inline void spoil_alike(const Format& output, const mxcert_array& d) {
    const auto has_kind = [&](Code code) {
        if (is("vectors of zeros in D")) return code == 0;
        if (is("vectors of -0 in D")) return code == output.sign_bit();
        if (is("vectors of NaN in D")) return output.is_nan(code);
        if (is("vectors of Inf in D")) return output.has_inf() && output.is_inf(code);
        if (is("vectors of the largest in D")) return output.magnitude_of(code) == output.max_code();
        return is("vectors of subnormals in D") && code != 0 && output.magnitude_of(code) <= output.fraction_mask();
    };
    const std::vector<Code> codes = codes_of(d);
    std::size_t in_a_row = 0;
    for (std::size_t at = 0; at < codes.size(); ++at) {
        in_a_row = has_kind(codes[at]) ? in_a_row + 1 : 0;
        if (in_a_row < 16) continue;
        const Code other = codes[at] == 2 ? 1 : 2;
        frames::store(static_cast<std::byte*>(d.data) + at * d.width, other, static_cast<unsigned>(d.width));
    }
}

} // namespace mxcert::planted

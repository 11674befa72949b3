// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/backend.h"
#include "conformance/frames/words.hpp"
#include "conformance/planted/operations_api.hpp"
#include "reference/format.hpp"

namespace mxcert::planted {

/// Whether a value of D is of the kind of a fault: "zeros" and those below.
inline bool has_kind(const Format& output, std::string_view kind, Code code) {
    if (kind == "zeros") return code == 0;
    if (kind == "-0") return code == output.sign_bit();
    if (kind == "NaN") return output.is_nan(code);
    if (kind == "Inf") return output.has_inf() && output.is_inf(code);
    if (kind == "the largest") return output.magnitude_of(code) == output.max_code();
    return kind == "subnormals" && code != 0 && output.magnitude_of(code) <= output.fraction_mask();
}

/// Spoils D as code does that has a path of its own for whole vectors: where 16 of it in a row are of one kind
/// ("vectors of KIND in D"), or what is beside such values in a vector of 16 ("beside KIND in D").
inline void spoil_alike(const Format& output, const mxcert_array& d) {
    const std::string_view named = fault;
    if (!named.ends_with(" in D")) return;
    const bool beside = named.starts_with("beside ");
    const std::string_view prefix = beside ? "beside " : "vectors of ";
    if (!named.starts_with(prefix)) return;
    const std::string_view kind = named.substr(prefix.size(), named.size() - prefix.size() - 5);
    const std::vector<Code> codes = codes_of(d);
    if (beside) {
        for (std::size_t first = 0; first + 16 <= codes.size(); first += 16) {
            bool any = false;
            for (std::size_t at = first; at < first + 16; ++at) any = any || has_kind(output, kind, codes[at]);
            for (std::size_t at = first; any && at < first + 16; ++at)
                if (!has_kind(output, kind, codes[at]))
                    frames::store(static_cast<std::byte*>(d.data) + at * d.width, codes[at] ^ output.sign_bit(),
                                  static_cast<unsigned>(d.width));
        }
        return;
    }
    std::size_t in_a_row = 0;
    for (std::size_t at = 0; at < codes.size(); ++at) {
        in_a_row = has_kind(output, kind, codes[at]) ? in_a_row + 1 : 0;
        if (in_a_row < 16) continue;
        const Code other = codes[at] == 2 ? 1 : 2;
        frames::store(static_cast<std::byte*>(d.data) + at * d.width, other, static_cast<unsigned>(d.width));
    }
}

} // namespace mxcert::planted

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format.hpp"

// Golden runs of an instruction that rounds four values with the random bits of one word: PTX's cvt.rs.
namespace mxcert {

/// cvt.rs.satfinite d, {a, b, e, f}, rbits.
struct LanesRun {
    std::array<Code, 4> values{}; ///< FP32: a, b, e, f
    std::uint32_t word = 0;       ///< rbits
    Code packed = 0;              ///< d: the code of a on top, that of f below

    friend bool operator==(const LanesRun&, const LanesRun&) = default;
};

/// The targets that have a file.
[[nodiscard]] std::vector<const Format*> lanes_targets();
/// "ptx_cvt_rs_e4m3x4.csv"
[[nodiscard]] std::string lanes_file(const Format& to);

/// For each word two runs with the values at which its bits decide: in the first all four are rounded away from zero,
/// in the second, one ulp nearer to zero, none is. Words with one bit, those with one bit clear, and seeded ones; then
/// values that no word moves, and those beyond the largest. No NaN: which code it has is left open in FP8. Throws
/// std::logic_error if the two models disagree.
[[nodiscard]] std::vector<LanesRun> golden_lanes(const Format& to);

/// As text: the line `a,b,e,f,rbits,d`, then a row a run, upper-case hexadecimal. LF endings.
[[nodiscard]] std::string write_lanes(const std::vector<LanesRun>& runs, const Format& to);
/// The reverse. Throws csv::Error with file and line on anything write_lanes() would not write.
[[nodiscard]] std::vector<LanesRun> parse_lanes(std::string_view text, std::string_view name, const Format& to);

} // namespace mxcert

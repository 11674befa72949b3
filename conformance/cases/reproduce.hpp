// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/level.hpp"
#include "conformance/samples.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::cases {

/// Random bits are written as a code of this format is.
inline constexpr const Format& random_format = formats::fp32;

/// What a reproduction line names: one input of one conversion, or one input or case of a row of an operation.
struct Reproduction {
    /// Of a row that is a table the conversion it is a table of; of one that is made of cases from and to are nullptr.
    Conversion conversion;
    Code input = 0;
    std::optional<Operation> operation{};  ///< none: of the conversion itself
    std::string part{};                    ///< of the operation's rows: "blocks"
    std::optional<std::uint64_t> number{}; ///< of the input, as `input`, or of the case, from 0; none: the whole row
    std::string given{}; ///< the only case to be asked, as parse_given() reads it; "": those of the row
    std::optional<std::uint32_t> random{}; ///< the random bits of a stochastic rounding that is given them
    friend bool operator==(const Reproduction&, const Reproduction&) = default;
};

/// The conversion of which a part of an operation is a table: of "quantize" the scale and the elements, of "dequantize"
/// the values. None where a row is made of cases.
[[nodiscard]] std::optional<Conversion> table_of(const Operation& operation, std::string_view part);

/// "fp32-e4m3-nearest_even-sat:0x3F880001"; with given random bits "fp32-e4m3-stochastic_a8-sat:0x3F880001/0x000000C8".
/// Of an operation "OPERATION/scale:0x3F88", "OPERATION/blocks:17", "OPERATION/blocks@1x32=..." with a case of one's
/// own, or "OPERATION/distribution" for the whole row.
[[nodiscard]] std::string to_string(const Reproduction& reproduction);

/// The reverse; the digits may be of either case, and codes without 0x. Throws std::invalid_argument that says which
/// part is wrong. Whether the operation has such a part, and the part such a case, is not looked at.
[[nodiscard]] Reproduction parse_reproduction(std::string_view text);

/// How a run was started, as far as it decides what comes out of one input.
struct Invocation {
    std::string backend; ///< as it was given
    std::vector<std::string> profiles;
    std::string backend_options;
    std::uint64_t seed = 1; ///< what operations are asked depends on these, too
    unsigned samples_per_step = default_samples_per_step;
    LevelOf level{};
    std::vector<std::string> sandbox{}; ///< options; none for the default
};

/// A command line for a POSIX shell that runs one input of a conversion again:
/// "mxcert certify ./x.so --profile ocp-sat --reproduce fp32-e4m3-nearest_even-sat:0x3F880001"; of an operation its
/// input, its case, the case that was given, or the whole row.
[[nodiscard]] std::string reproduction_line(const Invocation& invocation, const Reproduction& reproduction);

/// The same for a row of an operation: all of it, or the input or the case of this number.
[[nodiscard]] std::string row_line(const Invocation& invocation, std::string_view id, std::string_view number);

/// The same for a case of its own, as parse_given() reads it.
[[nodiscard]] std::string given_line(const Invocation& invocation, std::string_view id, std::string_view text);

/// A command line that runs what these filters select at level quick.
[[nodiscard]] std::string quick_line(const Invocation& invocation, const std::vector<std::string>& filters);

/// A command line that explains what the conversion makes of an input where the profile ("": none) permits several
/// values of a choice, with the first: "mxcert explain 0x3F880001 --from fp32 --to e4m3 --rounding nearest_even
/// --overflow sat".
[[nodiscard]] std::string explain_line(const Conversion& conversion, std::string_view profile, Code input,
                                       std::optional<std::uint32_t> random = {});

/// The same for a row that nothing smaller can be asked of: with --filter.
[[nodiscard]] std::string filter_line(const Invocation& invocation, const std::vector<std::string>& ids);

} // namespace mxcert::cases

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/hadamard/cases.hpp"

// A Hadamard transform as somebody may do it, right or wrong, by the machine's arithmetic.
namespace mxcert::suites {

/// The order of the rows of the matrix.
enum class HadamardOrder : std::uint8_t { natural, sequency, dyadic };

/// What a transform does.
struct HadamardWay {
    recipe::Hadamard transform;
    HadamardOrder order = HadamardOrder::natural;
    int power = -2;                  ///< sums are multiplied by 2 to this
    std::uint64_t size = 16;         ///< of a group: 8, 16 or 32
    bool other_axis = false;         ///< groups across the right ones
    bool left_out = false;           ///< values come out as they went in
    bool repeats = false;            ///< every second group of a line has the values of the one before
    const Format* kept_in = nullptr; ///< sums are rounded to it at each addition, before the factor
    bool butterflies = false;        ///< added in four steps of eight pairs, as a fast transform does
    bool truncated = false;          ///< to the target
    bool ties_away = false;          ///< the same
    bool flushed = false;            ///< what is subnormal in the target is zero
    bool saturated = false;          ///< a finite value beyond the target is its largest

    friend bool operator==(const HadamardWay&, const HadamardWay&) = default;
};

/// A slip with a name and the class it is of.
struct HadamardFault {
    std::string_view name;
    std::string_view bug_class;
    void (*plant)(HadamardWay&);
};
[[nodiscard]] std::span<const HadamardFault> hadamard_faults();

[[nodiscard]] inline HadamardWay right_way(const HadamardTransform& transform) { return {transform.transform}; }

/// All values of a matrix, codes of the target.
[[nodiscard]] std::vector<Code> values_by(const HadamardTransform& transform, const HadamardWay& way,
                                          const TileCase& tile_case);

/// A case and what came back.
struct HadamardSeen {
    TileCase asked;
    std::vector<frames::Values> outputs;

    /// Whether values of a way came back in a group. The sign of a zero says nothing.
    [[nodiscard]] bool has(const HadamardTransform& transform, const std::vector<Code>& values,
                           std::uint64_t group) const;
};

/// The signs that values alone in their group have in the first value that comes out, or, of an inverse transform, the
/// first value alone in the values that come out; none if a place was not seen.
[[nodiscard]] std::optional<std::uint16_t> signs_seen(const HadamardTransform& transform,
                                                      std::span<const HadamardSeen> seen);

/// What is known to give all of these answers, whose sums are exact; nothing if they are right.
[[nodiscard]] std::vector<KnownFault> known_as(const HadamardTransform& transform, std::span<const HadamardSeen> seen);

} // namespace mxcert::suites

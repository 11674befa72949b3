// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// How much of what could be asked a run asks (docs/certify.md, "Levels").
namespace mxcert {

/// From the fewest inputs to all that can be sent. What a level asks, every later one asks too.
enum class Level {
    smoke,    ///< of each conversion the inputs that show the planted bugs; of operations a few cases
    budget,   ///< as smoke, with up to a given number of inputs of each conversion
    quick,    ///< conversions of up to 32 bits complete; FP32 quantizers, given scales and FP64 by a sample
    standard, ///< as quick, and each FP32 value once through every quantizer
    complete, ///< also all pairs of an FP32 value and a scale, and the largest cases
};

inline constexpr Level default_level = Level::standard;

/// A few inputs and cases stand for all (small_suite.hpp, small_cases.hpp).
[[nodiscard]] constexpr bool is_small(Level level) { return level <= Level::budget; }
/// Each finite FP32 value goes through every quantizer once.
[[nodiscard]] constexpr bool asks_every_value(Level level) { return level == Level::standard; }
/// Every input is asked of a source with a given scale, every amax and pair of an FP32 quantizer, and the cases that
/// take a matrix of 8192 x 8192.
[[nodiscard]] constexpr bool asks_every_pair(Level level) { return level == Level::complete; }

/// How many values large calls and arrays have at a level, in ascending order: odd, above the powers of two at which
/// grids, the integers of FP32 and 32-bit indices end. None where a few inputs stand for all.
[[nodiscard]] std::span<const std::uint64_t> large_counts(Level level);

/// The arrays of a matrix of that many elements, for FP32 and one byte each, and its scales; 0 where there is none.
[[nodiscard]] constexpr std::uint64_t largest_matrix_bytes(Level level) {
    return level == Level::complete ? (std::uint64_t{1} << 31U) / 8 * 42 : 0;
}

/// The levels that have a name on the command line: `--budget` makes the other one.
[[nodiscard]] const std::vector<std::string>& level_names();

/// Inputs of a conversion that a budget may ask: they are held in memory.
inline constexpr std::uint64_t largest_budget = std::uint64_t{1} << 20U;

/// A level, and of `budget` how many inputs of each conversion it asks at most.
struct LevelOf {
    Level level = default_level;
    std::uint64_t budget = 0; ///< 0 but of Level::budget
    friend bool operator==(const LevelOf&, const LevelOf&) = default;
};

/// "quick", "budget 1000".
[[nodiscard]] std::string to_string(const LevelOf& level);
/// The reverse. Throws std::invalid_argument that lists the levels.
[[nodiscard]] LevelOf parse_level(std::string_view text);
/// The option that asks for it: "--level quick", "--budget 1000".
[[nodiscard]] std::string option_of(const LevelOf& level);

} // namespace mxcert

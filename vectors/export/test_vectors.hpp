// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vectors/golden_store/golden_partition.hpp"
#include "vectors/tables/step_table.hpp"

// Test vectors of a conversion or of an operation as data, whatever form they are written in (docs/vectors.md).
namespace mxcert {

/// What happens in a test.
enum class CaseFlag : std::uint8_t { zero, subnormal, tie, carry, inexact, underflow, overflow, inf, nan };

/// A set of them: bit i is CaseFlag i.
using CaseFlags = std::uint16_t;
[[nodiscard]] constexpr CaseFlags bit(CaseFlag flag) {
    return static_cast<CaseFlags>(1U << static_cast<unsigned>(flag));
}

struct CaseFlagInfo {
    CaseFlag flag;
    std::string_view name; ///< "TIE"
    std::string_view says; ///< one line
};
/// In the order of their bits.
[[nodiscard]] std::span<const CaseFlagInfo> all_case_flags();

/// The names of a set, in the same order.
[[nodiscard]] std::vector<std::string_view> names_of(CaseFlags flags);

/// The flags that follow from a code alone: zero, subnormal, inf, nan.
[[nodiscard]] CaseFlags flags_of_code(const Format& format, Code code);

/// An array of a test: its codes have one format.
struct VectorField {
    std::string name; ///< "values"
    const Format* format = nullptr;
};

/// A value of an answer of which more than its code is right.
struct OpenValue {
    enum class Kind : std::uint8_t {
        codes, ///< what `permit` says
        range, ///< every value from `low` to `high`
        any,   ///< every code
    };
    std::size_t output = 0;  ///< of TestVectors::outputs
    std::uint64_t index = 0; ///< in that array
    Kind kind = Kind::any;
    Permit permit;
    Code low = 0;
    Code high = 0;
};

/// "7E|nan", "3F800000..3F800002" or "any".
[[nodiscard]] std::string to_string(const OpenValue& value, const Format& format);

/// What may come out of a test, as a whole.
struct VectorAnswer {
    std::vector<std::vector<Code>> outputs; ///< an array for each of TestVectors::outputs
    std::vector<OpenValue> open;            ///< ascending by output and index
};

struct TestVector {
    std::string id;      ///< stable: it follows from what is asked (id_of)
    std::string comment; ///< what the test is about
    CaseFlags flags = 0;
    std::vector<std::string_view> clauses; ///< ids of the clauses that decide it
    std::vector<std::string_view> bugs;    ///< ids of the bug classes of which it shows a planted bug
    std::vector<std::vector<Code>> inputs; ///< an array for each of TestVectors::inputs
    std::vector<VectorAnswer> answers;     ///< any of them is right; at least one
};

/// Tests of the same sizes: their arrays have the same lengths.
struct VectorGroup {
    std::vector<std::uint64_t> sizes; ///< of TestVectors::sizes; none for a conversion
    std::vector<TestVector> tests;
};

/// All tests of one conversion or operation.
struct TestVectors {
    std::string name; ///< "quantize-fp32-e4m3-e8m0-...", as reports name it
    std::string kind; ///< "conversion", or the operation: "quantize"
    std::vector<std::pair<std::string, std::string>> attributes{}; ///< of the operation, or of the conversion
    std::string profile;                                           ///< that says what is right
    std::string source;                                            ///< the documents or code the profile rests on
    std::vector<NamedChoice> choices{};                            ///< what the profile permits, and the default
    std::string origin;                                            ///< of the answers, one line
    std::vector<std::string> sizes;                                ///< "rows", "columns"
    std::vector<VectorField> inputs;
    std::vector<VectorField> outputs;
    std::vector<VectorGroup> groups;
    std::string left_out; ///< what of the suite is not here, one line; "" if all is
};

/// An id that follows from the name of what is tested and from the codes that are asked: "blocks-1A2B3C4D5E".
[[nodiscard]] std::string id_of(std::string_view part, const std::vector<std::uint64_t>& sizes,
                                const std::vector<std::vector<Code>>& inputs);

/// Adds a test to the group of its sizes.
void add(TestVectors& vectors, const std::vector<std::uint64_t>& sizes, TestVector test);

/// How many tests there are.
[[nodiscard]] std::size_t count_tests(const TestVectors& vectors);

/// Bits that say how open a value of an answer is, where only one code is written.
inline constexpr std::uint8_t open_nan = 1;  ///< every NaN code is right as well
inline constexpr std::uint8_t open_more = 2; ///< further codes are right, which only csv and json list
inline constexpr std::uint8_t open_any = 4;  ///< every code is right

/// These bits for every value of an output of an answer.
[[nodiscard]] std::vector<std::uint8_t> openness(const VectorAnswer& answer, std::size_t output);

/// A name in programs: "quantize_fp32_e4m3".
[[nodiscard]] std::string identifier_of(std::string_view name);

/// "2x32", "" of no sizes.
[[nodiscard]] std::string sizes_text(const VectorGroup& group);

} // namespace mxcert

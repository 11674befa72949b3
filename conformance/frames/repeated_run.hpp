// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/status.hpp"
#include "reference/format.hpp"

// Runs whose arrays say the same again and again: they may be larger than what a machine has memory for twice.
namespace mxcert::frames {

/// An array in parts of one length, as many as there are periods. Each part repeats its period, up to its end.
struct RepeatedArray {
    std::uint64_t count = 0;   ///< of values, a multiple of the number of periods
    unsigned width = 1;        ///< bytes a value: 1, 2, 4 or 8
    std::uint64_t columns = 1; ///< of the matrix that it is, for people
    std::vector<std::vector<std::byte>> periods;

    [[nodiscard]] std::uint64_t bytes() const { return count * width; }
};

/// Writes the array. `memory`: its bytes.
void fill(const RepeatedArray& array, std::span<std::byte> memory);

/// Where values differ from an array.
struct Mismatch {
    std::uint64_t values = 0;
    std::uint64_t first = 0; ///< index of the first of them
    Code got = 0;
    Code wanted = 0;
};
/// Nothing if no value differs.
[[nodiscard]] std::optional<Mismatch> mismatch(const RepeatedArray& array, std::span<const std::byte> memory);

/// The shape and inputs of a run, and the outputs that are right.
struct RepeatedRun {
    std::array<std::uint64_t, 4> shape{};
    std::vector<RepeatedArray> inputs;
    std::vector<RepeatedArray> outputs;
    std::uint64_t elements = 0; ///< of the matrix
    bool may_refuse = false;    ///< its sizes are such as some do not take
    std::string name;           ///< for people: "65537 lines of 32"
};

/// What came of it.
struct RepeatedAnswer {
    /// pass: all values came, both times; fail: others came, or they changed; untested: its arrays do not fit into the
    /// memory that a worker may take; else as of a run.
    Status status = Status::pass;
    std::string reason;     ///< one line, for every status but pass and a fail with a mismatch
    std::string detail;     ///< last lines of the worker's stderr, when it died
    Mismatch mismatch;      ///< values: 0 where there is none
    std::size_t output = 0; ///< that it is of
};

} // namespace mxcert::frames

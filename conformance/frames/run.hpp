// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/frames/words.hpp"
#include "conformance/known_fault.hpp"
#include "conformance/status.hpp"
#include "reference/format.hpp"

namespace mxcert::frames {

/// Codes of one width, in the machine's byte order: an array of an operation.
class Values {
  public:
    Values() = default;
    Values(std::uint64_t count, unsigned width) : width_(width), bytes_(count * width) {}

    [[nodiscard]] std::uint64_t count() const { return bytes_.size() / width_; }
    [[nodiscard]] unsigned width() const { return width_; } ///< bytes a value: 1, 2, 4 or 8
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
    [[nodiscard]] Code get(std::uint64_t index) const { return load(bytes_.data() + index * width_, width_); }
    void set(std::uint64_t index, Code code) { store(bytes_.data() + index * width_, code, width_); }

    friend bool operator==(const Values&, const Values&) = default;

  private:
    unsigned width_ = 1;
    std::vector<std::byte> bytes_;
};

/// Codes of a format as an array of an operation.
[[nodiscard]] Values values_of(const std::vector<Code>& codes, const Format& format);

/// The digest of all before and of this: of arrays one after the other, without holding them all. SHA-256.
[[nodiscard]] std::string digest_after(const std::string& before, const Values& values);

/// What an operation is asked once: its shape and inputs, and the sizes of what comes out.
struct RunCase {
    std::array<std::uint64_t, 4> shape{};
    std::vector<Values> inputs;
    std::vector<Values> outputs; ///< their sizes; the contents are not sent
    /// The answers are drawn at random: they are asked for once, the outputs filled with this byte.
    std::optional<std::uint8_t> once{};
    std::vector<bool> undefined{};          ///< of the first output: values that may be left as they were; empty: none
    std::array<std::uint64_t, 3> product{}; ///< of a product of matrices: rows and columns of D, products of a sum
    bool has_filled = false;                ///< refused, the same is asked with larger sizes
    std::string row{};                      ///< the part of the operation's rows that it is of: "blocks"
    std::string name{};                     ///< what it is about, for people: "a tail of 1"
};

/// Of answers that changed when they were asked again, or were not all written.
[[nodiscard]] inline bool is_unstable(Status status) { return status == Status::fail || status == Status::mistrusted; }

/// What came of it.
struct RunAnswer {
    Status status = Status::pass; ///< pass: the outputs are there, twice the same; fail: they changed; else
                                  ///< unsupported, error, mistrusted, incomplete
    std::string reason;           ///< one line, for every status but pass
    std::string detail;           ///< last lines of the worker's stderr, when it died
    std::vector<Values> outputs;
    std::string digest{};               ///< untested: of the outputs, which themselves were not stored
    std::vector<KnownFault> known_as{}; ///< what explains a fail that shows without a judge
};

/// A value of an output that was another one when the same was asked again.
struct ChangedValue {
    std::size_t output = 0;
    std::uint64_t index = 0;
    std::uint64_t count = 0; ///< values of the output
    unsigned width = 1;      ///< bytes
    Code once = 0;
    Code twice = 0;
};
/// Whether it was left unwritten, of the bytes that filled the output the first and the second time (mistrusted), or
/// changed (fail), and that in a line.
[[nodiscard]] std::pair<Status, std::string> what_changed(const ChangedValue& value,
                                                          std::array<std::uint8_t, 2> poisons);

/// Compares an answer with what came when the same was asked again, the outputs filled with the one byte and then the
/// other. Where they differ, the answer becomes one that changed or was not all written, by the first such value.
void compare_answers(const RunCase& run_case, std::array<std::uint8_t, 2> poisons, const std::vector<Values>& again,
                     RunAnswer& answer);

} // namespace mxcert::frames

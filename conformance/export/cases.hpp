// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/judge.hpp"
#include "reference/block_shape.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/export/test_vectors.hpp"

// Shared by the test vectors of conversions and of operations.
namespace mxcert::test_vectors {

/// A test of more values than these is left out.
inline constexpr std::uint64_t most_values = 4608;
/// Scales under which elements are asked: the first, the last, and some between them.
inline constexpr std::size_t few_scales = 9;

/// A single value of an answer: the code to write, and what else is right.
struct PermittedValue {
    Code code = 0;
    bool is_open = false;
    OpenValue open{}; ///< without output and index
};
[[nodiscard]] PermittedValue value_of(const Permit& permit, const Format& format);
[[nodiscard]] PermittedValue any_value(Code code);
/// `code`, and every number from `low` to `high`, in the order of their values.
[[nodiscard]] PermittedValue range_value(Code code, Code low, Code high);
/// One code, or, where that is NaN, any NaN.
[[nodiscard]] PermittedValue value_or_nan(Code code, const Format& format);

/// Whether a tensor has too many values to be written down.
[[nodiscard]] bool is_large(const std::vector<std::vector<Code>>& tensors);

/// Sets a value of an answer whose arrays have their lengths.
void set_value(VectorAnswer& answer, std::size_t output, std::uint64_t index, const PermittedValue& value);

/// Calls with the place of each value of a block of a matrix, in the order of its lanes.
template <class Matrix, class Call> void for_each_place(const Matrix& matrix, std::uint64_t block, const Call& call) {
    const BlockRange range = matrix.block(block);
    for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) call(matrix.place(range, lane));
}

/// Puts the open values of an answer in order: by output and index.
void sort_open(VectorAnswer& answer);

/// Tests, each once: one that asks the same as an earlier one is left out.
class Collection {
  public:
    explicit Collection(TestVectors head) : vectors_(std::move(head)) {}

    /// Adds a test, without the flags that follow from its codes alone. An empty id becomes one that follows from the
    /// part and the inputs.
    void add(std::string_view part, const std::vector<std::uint64_t>& sizes, TestVector test);
    /// One more case that is not written, for a reason: "too large".
    void leave_out(std::string_view reason);
    /// Throws std::invalid_argument if there is none.
    [[nodiscard]] TestVectors take();

  private:
    TestVectors vectors_;
    std::unordered_set<std::string> ids_;
    std::vector<std::pair<std::string, std::size_t>> left_out_;
};

/// Ids of bug classes, each once, in the order of their first mention.
void add_bug(std::vector<std::string_view>& bugs, std::string_view id);

/// The flags of a conversion: of both codes, and of the rounding.
[[nodiscard]] CaseFlags flags_of(const Format& from, const Format& to, const Choices& choices, Code input);

/// The choices of a conversion that a profile permits several values of, or that a reader has to know, with the value
/// that a conforming implementation has by default. Names start with `prefix`.
[[nodiscard]] std::vector<NamedChoice> choices_of(const Conversion& conversion, const Profile& profile,
                                                  const std::string& prefix = "");

/// The bugs of single values: other choices than a profile permits, asked of the exact model input by input.
class PointBugs {
  public:
    /// `inputs`: those that will be asked for.
    PointBugs(const verdict::Judge& judge, const Conversion& conversion, std::vector<Code> inputs);
    /// The classes of the bugs that an input shows.
    [[nodiscard]] const std::vector<std::string_view>& shown_by(Code input);

  private:
    struct Bug {
        std::string_view bug_class;
        Choices choices;
    };
    const verdict::Judge& judge_;
    const Conversion conversion_;
    std::vector<Bug> bugs_;
    std::unordered_map<Code, std::vector<std::string_view>> known_;
};

} // namespace mxcert::test_vectors

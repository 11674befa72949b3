// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run_layout.hpp"
#include "conformance/frames/run_packing.hpp"
#include "conformance/known_fault.hpp"
#include "conformance/suites/ask_question.hpp"

namespace mxcert::suites {

/// "the elements packed as high_first", of an operation that has them packed otherwise.
[[nodiscard]] std::string packed_as(const Packing& packing);

/// Answers of an operation with packed elements or scales in a layout, and whether another packing or layout than its
/// own explains them.
class PackedAnswers {
  public:
    explicit PackedAnswers(const Operation& operation)
        : operation_(operation), packing_(operation), layout_(operation) {}

    /// Remembers the answer to a case of one run, of those that are not large the first ones.
    void keep(const AnsweredQuestion& answered_question);

    /// What is wrong in the outputs of a case.
    using WrongIn =
        std::function<std::vector<std::string>(const cases::GivenCase&, const std::vector<frames::Values>& outputs)>;
    /// The packings and layouts by which all answers that were kept are right; none if they are so without.
    [[nodiscard]] std::vector<KnownFault> known_as(const WrongIn& wrong_in) const;

  private:
    struct Answer {
        frames::RunCase run;
        std::vector<frames::Values> outputs;
    };
    /// Reads the arrays of an answer in another way; false if they cannot be read so.
    using Read = std::function<bool(frames::RunCase&, std::vector<frames::Values>& outputs)>;
    /// Whether all answers are right when they are read so. Those that cannot be read so say nothing.
    [[nodiscard]] bool explains(const Read& read, const WrongIn& wrong_in) const;
    [[nodiscard]] Read read_as(const Packing& packing) const;
    [[nodiscard]] Read read_as(const ScaleLayout& layout) const;

    const Operation& operation_;
    frames::RunPacking packing_;
    frames::RunLayout layout_;
    std::vector<Answer> answers_;
};

} // namespace mxcert::suites

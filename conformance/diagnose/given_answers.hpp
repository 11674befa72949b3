// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "reference/choices.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_table.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::diagnose {

/// Inputs that the Behaviour does not explain, as one range of one answer and one expectation.
struct Unexplained {
    Code first = 0;
    Code last = 0;
    Code got = 0;
    Code expected = 0;
};

/// How many inputs they are.
[[nodiscard]] std::uint64_t count_unexplained(const std::vector<Unexplained>& ranges);

/// What came of a conversion, and what Behaviours say of it.
class GivenAnswers {
  public:
    /// `steps`: ascending, disjoint; inputs between them were not asked. Must outlive the object, as the formats must.
    GivenAnswers(const Format& from, const Format& to, const std::vector<Step>& steps);

    [[nodiscard]] const Format& from() const { return from_; }
    [[nodiscard]] const Format& to() const { return to_; }
    [[nodiscard]] std::uint64_t asked() const { return asked_; } ///< inputs

    /// How many probes a Behaviour misses. Gives up after `enough`.
    [[nodiscard]] std::size_t missed(const Choices& choices,
                                     std::size_t enough = std::numeric_limits<std::size_t>::max()) const;
    /// The choices that those ask for.
    [[nodiscard]] ChoiceSet asked_by_missed(const Choices& choices) const;

    /// All that differs from a Behaviour, ascending.
    [[nodiscard]] std::vector<Unexplained> unexplained(const Choices& choices) const;

    /// Probes the ends of some of these from now on. False if it did already.
    bool look_at(const std::vector<Unexplained>& differing);

    /// What a Behaviour does with all that was asked.
    [[nodiscard]] std::vector<TracedStep> trace(const Choices& choices) const;
    /// Inputs that ask a Behaviour for a choice.
    [[nodiscard]] static std::vector<InputRange> asking(const std::vector<TracedStep>& traced, Choice choice);

    /// Inputs among `ranges` of which the first Behaviour, that of `traced`, is right and the other one is not.
    [[nodiscard]] std::uint64_t lost(const std::vector<TracedStep>& traced, const Choices& other_choices,
                                     const std::vector<InputRange>& ranges) const;

  private:
    template <class Take> void for_each_missed(const Choices& choices, const Take& take) const;
    template <class Take> void for_each_part(const std::vector<TracedStep>& traced, const Take& take) const;
    void add_probes(const Step& step);

    const Format& from_;
    const Format& to_;
    const std::vector<Step>& steps_;
    std::vector<InputRange> ranges_; ///< hold all that was asked
    std::map<Code, Code> probes_;    ///< input and answer
    std::uint64_t asked_ = 0;
};

} // namespace mxcert::diagnose

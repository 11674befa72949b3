// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/known_fault.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/question.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {

/// The same in two orders: unlike ones beside each other, and each alone again and again.
struct Alike {
    Question mixed;
    std::vector<Question> equal;
};

/// A part of what is asked of an operation, as cases: "blocks". Made for one run, it remembers what says in the end
/// what is wrong.
class CasePart {
  public:
    CasePart() = default;
    virtual ~CasePart() = default;
    CasePart(const CasePart&) = delete;
    CasePart& operator=(const CasePart&) = delete;

    /// Calls with every case in order, until a call returns false.
    virtual void for_each_question(const std::function<bool(const Question&)>& ask) = 0;
    /// A case that was written down, or drawn.
    [[nodiscard]] virtual Question given(const cases::GivenCase& given_case) = 0;
    /// A random case. Throws std::logic_error if the part has none (Suite::drawn_part()).
    [[nodiscard]] virtual cases::GivenCase draw(SplitMix64& random);

    /// Whether these are some of the cases there might be.
    [[nodiscard]] virtual bool is_sample() const { return false; }
    /// Whether the profiles differ in what they permit: there is a judge for each then, else one for all.
    [[nodiscard]] virtual bool by_profile() const { return false; }

    /// The reason of a FAIL: "3 blocks with values that are not permitted".
    [[nodiscard]] virtual std::string failed(const verdict::Row& row) const = 0;
    /// What is known to give all answers that were kept, the right ones too.
    [[nodiscard]] virtual std::vector<KnownFault> known_as(std::size_t judge) = 0;
    /// Cases that tell whether answers depend on what is asked before or beside them; nothing: the part has none.
    [[nodiscard]] virtual std::optional<Alike> alike() { return {}; }
    /// What a row that passes does not say. `refused`: the names of the cases that were, as they may be.
    [[nodiscard]] virtual std::string left_out(const std::vector<std::string>& refused) const;
    /// Matrices that are asked large, of which each list is certify_sizes()'.
    [[nodiscard]] virtual std::vector<std::vector<SizeQuestion>> sizes() const { return {}; }
};

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/verdict/judge.hpp"

namespace mxcert::verdict {

/// What a value must give, and by which clause.
struct ExpectedValue {
    Permit permit;
    std::string_view clause;
    std::string_view profile;
    /// The inputs that this row of the permitted table speaks of. Stochastic roundings have no table: the value alone.
    Code first = 0;
    Code last = 0;
};

/// Judges single values of one conversion.
class ValueJudge {
  public:
    /// A conversion that has tables: those of its judges, which must outlive the object.
    ValueJudge(const Conversion& conversion, const std::vector<Judge>& judges);
    /// A stochastic rounding: the exact model runs every combination of choices that a profile permits.
    ValueJudge(const Conversion& conversion, const std::vector<const Profile*>& profiles);

    /// `random`: the random bits of a stochastic rounding. Nullopt if every profile permits the code; else what the
    /// first that does not would have.
    [[nodiscard]] std::optional<ExpectedValue> forbids(Code input, std::uint32_t random, Code answer) const;

    /// The first inputs of the permitted steps; none for a stochastic rounding.
    [[nodiscard]] std::vector<Code> firsts() const;

  private:
    struct Models {
        const Profile* profile;
        Choices first; ///< a combination of choices that the profile permits
    };
    [[nodiscard]] ExpectedValue model(Code input, std::uint32_t random, const Models& models) const;

    Conversion conversion_;
    const std::vector<Judge>* judges_ = nullptr; ///< null of a stochastic rounding
    std::vector<Models> models_;
};

} // namespace mxcert::verdict

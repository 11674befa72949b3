// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/fuzz/fuzz_case.hpp"

namespace mxcert {

/// What a value must give, and by which clause.
struct FuzzExpected {
    Permit permit;
    std::string_view clause;
    std::string_view profile;
    /// The inputs that this row of the permitted table speaks of. Stochastic roundings have no table: the value alone.
    Code first = 0;
    Code last = 0;
};

/// Knows what the profiles permit of one conversion.
class FuzzJudge {
  public:
    /// A conversion that has tables: those of its judges. The argument must outlive the object.
    explicit FuzzJudge(const Planned& planned);
    /// A stochastic rounding: the exact model runs every combination of choices that a profile permits.
    FuzzJudge(const Conversion& conversion, const std::vector<const Profile*>& profiles);

    /// Nullopt if every profile permits the code; else what the first that does not would have.
    [[nodiscard]] std::optional<FuzzExpected> forbids(const FuzzValue& value, Code got) const;

    /// The first inputs of the permitted steps; none for a stochastic rounding.
    [[nodiscard]] std::vector<Code> firsts() const;

  private:
    struct Models {
        const Profile* profile;
        Choices first; ///< a combination of choices that the profile permits
    };
    [[nodiscard]] FuzzExpected model(const FuzzValue& value, const Models& models) const;

    const Planned* planned_ = nullptr;
    Conversion conversion_;
    std::vector<Models> models_;
};

} // namespace mxcert

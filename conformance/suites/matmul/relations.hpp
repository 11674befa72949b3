// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// Two products whose elements are related whatever the order and the accumulator: what is added in one is added in the
/// other, with the other sign, at another power of two, or as it was.
struct MatmulRelation {
    std::string name; ///< "A with the other sign"
    MatmulCase first;
    MatmulCase second;
    bool negated = false;
    int power = 0; ///< the second is 2^power times the first
    /// Of all elements, the only rows of D, or columns, that the relation is about.
    std::optional<std::size_t> row;
    std::optional<std::size_t> column;

    [[nodiscard]] bool is_about(std::size_t of_row, std::size_t of_column) const {
        return (!row || *row == of_row) && (!column || *column == of_column);
    }
};

/// Takes a relation; false if there is no use in going on.
using TakeMatmulRelation = std::function<bool(const MatmulRelation&)>;

/// Every relation that holds for the operation: not that of signs where an accumulator rounds down. The operands are
/// seeded normal numbers whose sums are not exact, such that no sum overflows and none is below the smallest normal
/// number without being exact.
void for_each_relation(const Matmul& matmul, std::uint64_t seed, const TakeMatmulRelation& take);

/// What the element of the second product must be, from that of the first. Nothing where the range of the output
/// matters: a subnormal number, or a result beyond its normal ones.
[[nodiscard]] std::optional<Code> related(const MatmulRelation& relation, const Format& output, Code first);

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "reference/operation/operation.hpp"

// In which order an implementation adds the products of a sum, from its answers alone: among small products a large one
// and its negative swallow those that are added to the one before the other comes (the method of FPRev).
namespace mxcert::suites {

/// A sum as a tree.
struct SumNode {
    std::size_t product = 0;    ///< its number, if it is one; of c the number of products
    std::vector<SumNode> parts; ///< else what is added, in one step, by the first product of each
};

/// The order of a sum, where it was found.
struct SumOrder {
    std::size_t products = 0;    ///< of a sum
    std::size_t every = 1;       ///< of so many one was looked at, the others are zero
    std::size_t asked = 0;       ///< sums
    bool of_first = false;       ///< of the first element of D: others are added otherwise
    std::optional<SumNode> tree; ///< none: `reason` says why
    std::string reason;
};

/// Asks for a sum for each pair: the first is a large number, the second its negative, all others one small unit. Gives
/// how many units came; nullopt for what is no number of units.
using AskPairs = std::function<std::vector<std::optional<std::size_t>>(
    const std::vector<std::pair<std::size_t, std::size_t>>& pairs)>;

/// The tree of a sum of so many terms. Nullopt: no tree gives these answers.
[[nodiscard]] std::optional<SumNode> find_tree(std::size_t terms, const AskPairs& ask);

/// Asks for sums of the operation "matmul", in products with a D of 16 x 16.
[[nodiscard]] SumOrder find_order(observe::Subject& subject, const Operation& operation, std::size_t products);
inline constexpr std::size_t most_ordered = 65'536; ///< products

/// The tree in words, equal parts together: "0 to 31 at once, then with the sum so far: 32 to 63 ... 224 to 255".
[[nodiscard]] std::string text(const SumNode& tree, std::size_t products);
/// The tree as nested lists: "[[0,1],2]"; c is "c".
[[nodiscard]] std::string plan(const SumNode& tree, std::size_t products);

} // namespace mxcert::suites

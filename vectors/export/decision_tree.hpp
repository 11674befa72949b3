// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "vectors/tables/step_table.hpp"

// A permit table as what a solver takes: comparators that find the row of an input, and what each row permits.
namespace mxcert::decision_tree {

/// Inputs up to `last`, from the row before, give what `permits[permit]` says.
struct Row {
    Code last = 0;
    std::size_t permit = 0;
};

/// Neighbours that differ only in their clause are one row; permits that are alike are one.
struct Rows {
    std::vector<Permit> permits;
    std::vector<Row> rows;
};
[[nodiscard]] Rows rows_of(const PermitTable& table);

/// How a language writes the two kinds of node.
struct Words {
    std::function<std::string(Code last, const std::string& low, const std::string& high)> choose; ///< x <= last ? ...
    std::function<std::string(std::size_t permit)> leaf;
};

/// A balanced tree of comparators: a solver decides it in a fraction of the time that a chain of them takes.
[[nodiscard]] std::string tree_of(const Rows& rows, const Words& words);

} // namespace mxcert::decision_tree

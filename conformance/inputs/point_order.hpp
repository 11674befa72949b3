// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/inputs/point.hpp"
#include "conformance/inputs/poison.hpp"

namespace mxcert::inputs {

/// Points in the order in which they are asked, and the requests.
struct PointOrder {
    std::vector<Point> points;
    std::vector<Block> blocks; ///< by place in `points`; all are repeated: they are few
};

/// Puts points in an order drawn by the seed.
void shuffle(std::vector<Point>& points, std::uint64_t seed);

/// Puts points in an order in which neighbours have different answers, as `permitted` says, and cuts it into requests
/// of up to 64 Ki that have poison. Of a source with a given scale a request has one scale. Without a table they are
/// shuffled by the seed, and the poison is arbitrary.
[[nodiscard]] PointOrder order_points(std::vector<Point> points, const Format& from, const PermitTable* permitted,
                                      std::uint64_t seed);

} // namespace mxcert::inputs

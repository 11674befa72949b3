// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "conformance/observe/ask_places.hpp"
#include "conformance/observe/moved_answers.hpp"

namespace mxcert::observe {

/// Which input of those with one answer is in a ring.
enum class RingInputs : std::uint8_t {
    first,            ///< the lowest
    last,             ///< the highest: of the largest answer one that overflows
    last_beside_nans, ///< and NaN in a few places
};

/// A ring of inputs with as many answers as there are, each but NaN once, in an order that is drawn: an answer tells
/// its place. Nothing where there are too few for that, or no poison, or no NaN to put beside them.
[[nodiscard]] std::optional<inputs::Ring> telling_ring(const PermitTable& expected, std::uint64_t seed,
                                                       RingInputs which = RingInputs::first);

/// What was found in places that it does not belong to.
struct Misplaced {
    std::vector<MovedAnswer> moved; ///< the first ones
    std::uint64_t moved_in_all = 0;
    std::uint64_t others = 0; ///< values with an answer that is none of the ring's, or is that of a place far away
    std::uint64_t asked = 0;
    std::set<std::size_t> wrong_at; ///< the first inputs with another answer than their own, by place in the ring

    [[nodiscard]] std::uint64_t wrong() const { return moved_in_all + others; }
};

/// Notes that value `at` of a request has the answer of place `where` in the ring, which is another than its own.
void note_moved(Misplaced& found, const PlaceRequest& request, std::uint64_t at, std::size_t where);

/// PlaceExchange of requests of one such ring, in one thread, that says what is in which place.
class LaneExchange final : public PlaceExchange {
  public:
    LaneExchange(const Conversion& conversion, const std::vector<PlaceRequest>& requests, Misplaced& found)
        : PlaceExchange(conversion, requests), found_(found) {}

    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& scratch) const override;

  private:
    Misplaced& found_;
};

} // namespace mxcert::observe

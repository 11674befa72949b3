// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/inputs/rings.hpp"
#include "conformance/observe/exchange.hpp"
#include "conformance/observe/observation.hpp"

namespace mxcert::observe {

/// Values of an ordinary call.
inline constexpr std::uint64_t ordinary_batch = 4096;

/// The same for a backend that takes up to `most` (0: any number): the largest power of two.
[[nodiscard]] std::uint64_t batch_within(std::uint64_t most);

/// What is asked again in other places.
struct PlaceRings {
    std::vector<inputs::Ring> rings; ///< of boundaries, then those of inputs that are alike; none: nothing is asked
    std::vector<inputs::Ring> large; ///< in large calls
    inputs::Ring pairs;              ///< in ordinary calls: each input right after each other one
};
/// Of a conversion without random words. `answer`: what came the first time.
[[nodiscard]] PlaceRings place_rings(const PermitTable& expected, std::uint64_t seed,
                                     const inputs::KnownAnswer& answer);
/// Of one with random words. `points`: with what came the first time, ascending by input, then by random word.
[[nodiscard]] PlaceRings random_place_rings(const PermitTable& expected, std::uint64_t seed,
                                            const std::vector<inputs::Point>& points);

/// What is asked of a ring in one request: it is repeated until there are `count` values, in calls of `batch`.
struct PlaceRequest {
    const inputs::Ring* ring = nullptr;
    std::uint64_t batch = 0;
    std::uint64_t count = 0;
};

/// Each input in every residue modulo 128 of a call; and, but for rings of inputs that are alike, as first and as last
/// value of calls of many lengths. Up to `most` values a call (0: any number).
[[nodiscard]] std::vector<PlaceRequest> place_requests(const std::vector<inputs::Ring>& rings, std::uint64_t most);

/// Calls of these lengths are asked to see what breaks beyond a size of grids, indices and counters: 65,537 and the
/// large_counts() of a level, up to `most` (0: any number), which is itself one of them where it is smaller than all.
[[nodiscard]] std::vector<std::uint64_t> call_sizes(Level level, std::uint64_t most);

/// Bytes of process::layout::runs that a call of so many values takes, from FP32 with random words to 8 bits.
[[nodiscard]] constexpr std::uint64_t large_call_bytes(std::uint64_t values) {
    return 9 * values + process::layout::max_count;
}

/// CONVERT of inputs whose answers are known, with their random words where the conversion takes any: a block is one
/// request, and an answer that differs is a flaw.
class PlaceExchange : public Exchange {
  public:
    /// What is given must outlive the object. A request of more than process::layout::max_points values must be asked
    /// alone.
    PlaceExchange(const Conversion& conversion, const std::vector<PlaceRequest>& requests)
        : conversion_(conversion), requests_(requests) {}

    /// A block for each request.
    [[nodiscard]] std::vector<inputs::Block> blocks() const;
    /// Bytes of process::layout::runs that a request of that many values takes; 0: none, it has room in a slot.
    /// `makes`: the worker makes the inputs, unless they have random words.
    [[nodiscard]] static std::uint64_t run_bytes(const Conversion& conversion, std::uint64_t count, bool makes);

    [[nodiscard]] const Format& from() const override { return *conversion_.from; }
    [[nodiscard]] const Format& to() const override { return *conversion_.to; }
    [[nodiscard]] Code input_at(std::uint64_t position) const override;
    [[nodiscard]] std::string name_of(const inputs::Block& block) const override;
    void prepare(WorkerClient& worker) const override;
    void send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
              Scratch& scratch) const override;
    [[nodiscard]] std::string damage(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                     Scratch& scratch) const override;
    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& scratch) const override;
    [[nodiscard]] std::string far_writes(const WorkerClient& worker) const override;

  protected:
    [[nodiscard]] const PlaceRequest& request_of(const inputs::Block& block) const;
    [[nodiscard]] frames::ConvertRequest frame_of(const WorkerClient& worker, const inputs::Block& block,
                                                  Turn turn) const;

  private:
    [[nodiscard]] bool has_words() const { return conversion_.random_bits != 0; }

    const Conversion& conversion_;
    const std::vector<PlaceRequest>& requests_;
};

} // namespace mxcert::observe

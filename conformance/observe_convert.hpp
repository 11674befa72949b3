// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/observe.hpp"
#include "conformance/observe_exchange.hpp"

namespace mxcert {

/// CONVERT: a range of inputs that the worker makes, or chosen inputs in shared memory.
class ConvertExchange final : public Exchange {
  public:
    /// `points` are sorted; nullptr for a range. `largest`: values of the largest block. `is_cut`: requests are cut and
    /// placed the first time as they otherwise are when they are asked again. What is given must outlive the object.
    ConvertExchange(const Conversion& conversion, const std::vector<Point>* points, std::uint64_t seed,
                    std::uint64_t largest, bool is_cut = false)
        : conversion_(conversion), points_(points), seed_(seed), largest_(largest), is_cut_(is_cut) {}

    [[nodiscard]] const Format& from() const override { return *conversion_.from; }
    [[nodiscard]] const Format& to() const override { return *conversion_.to; }
    [[nodiscard]] Code input_at(std::uint64_t position) const override {
        return points_ != nullptr ? (*points_)[position].input : position;
    }
    [[nodiscard]] std::string place(const Block& block, std::uint64_t position, bool again) const override;
    void prepare(WorkerClient& worker) const override;
    void send(WorkerClient& worker, std::uint32_t index, const Block& block, Turn turn,
              Scratch& scratch) const override;
    [[nodiscard]] std::string damage(const WorkerClient& worker, const Block& block, Turn turn,
                                     Scratch& scratch) const override;
    [[nodiscard]] Reading read(const WorkerClient& worker, const Block& block, Turn turn,
                               Scratch& scratch) const override;
    [[nodiscard]] std::string far_writes(const WorkerClient& worker) const override;

  private:
    [[nodiscard]] frames::ConvertRequest request_of(const Block& block, Turn turn) const;
    void write_inputs(WorkerClient& worker, const Block& block, const frames::ConvertRequest& request) const;

    const Conversion& conversion_;
    const std::vector<Point>* points_;
    std::uint64_t seed_;
    std::uint64_t largest_;
    bool is_cut_;
};

} // namespace mxcert

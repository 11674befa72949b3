// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/inputs/interleave.hpp"
#include "conformance/observe/exchange.hpp"
#include "conformance/observe/observation.hpp"

namespace mxcert::observe {

/// CONVERT: inputs of a range, which the worker makes, in their order or interleaved, or chosen inputs in shared
/// memory.
class ConvertExchange final : public Exchange {
  public:
    /// `points` are sorted; nullptr for a range. `largest`: values of the largest block. `is_cut`: requests are cut and
    /// placed the first time as they otherwise are when they are asked again. What is given must outlive the object.
    ConvertExchange(const Conversion& conversion, const std::vector<inputs::Point>* points, std::uint64_t seed,
                    std::uint64_t largest, bool is_cut = false)
        : conversion_(conversion), points_(points), seed_(seed), largest_(largest), is_cut_(is_cut) {}
    /// Every input of a range, interleaved. `makes`: whether the worker makes the inputs; otherwise they are written
    /// for it, and `largest` is at most process::layout::max_points.
    ConvertExchange(const Conversion& conversion, const inputs::Interleaving& order, bool makes, std::uint64_t seed,
                    std::uint64_t largest, bool is_cut = false)
        : conversion_(conversion), order_(&order), makes_(makes), seed_(seed), largest_(largest), is_cut_(is_cut) {}

    [[nodiscard]] const Format& from() const override { return *conversion_.from; }
    [[nodiscard]] const Format& to() const override { return *conversion_.to; }
    [[nodiscard]] Code input_at(std::uint64_t position) const override {
        if (order_ != nullptr) return order_->input_at(position);
        return points_ != nullptr ? (*points_)[position].input : position;
    }
    [[nodiscard]] Code input_of(Code place) const override { return order_ != nullptr ? place : input_at(place); }
    [[nodiscard]] std::vector<inputs::CodeRange> covered(const inputs::Block& block) const override {
        return order_ != nullptr ? order_->inputs_of(block.first, block.count) : Exchange::covered(block);
    }
    [[nodiscard]] std::string name_of_input(Code place) const override;
    [[nodiscard]] std::string name_of(const inputs::Block& block) const override;
    [[nodiscard]] std::string place(const inputs::Block& block, Code place, bool again) const override;
    void prepare(WorkerClient& worker) const override;
    void send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
              Scratch& scratch) const override;
    [[nodiscard]] std::string damage(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                     Scratch& scratch) const override;
    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& scratch) const override;
    [[nodiscard]] std::string far_writes(const WorkerClient& worker) const override;

  private:
    [[nodiscard]] frames::ConvertRequest request_of(const inputs::Block& block, Turn turn) const;
    /// The streams of a block. Asked again whole rows have them in the reverse order, and begin with another one.
    [[nodiscard]] inputs::Interleaving::Part part_of(const inputs::Block& block, Turn turn) const;
    void write_inputs(WorkerClient& worker, const inputs::Block& block, const frames::ConvertRequest& request,
                      Turn turn) const;
    [[nodiscard]] bool has_written_inputs() const { return points_ != nullptr || (order_ != nullptr && !makes_); }

    const Conversion& conversion_;
    const std::vector<inputs::Point>* points_ = nullptr;
    const inputs::Interleaving* order_ = nullptr;
    bool makes_ = true;
    std::uint64_t seed_;
    std::uint64_t largest_;
    bool is_cut_;
};

} // namespace mxcert::observe

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/observe/exchange.hpp"
#include "conformance/observe/observation.hpp"

namespace mxcert::observe {

/// RANGE: inputs that the backend makes itself, and answers that it gives as steps. Neither goes through memory, so the
/// requests are large.
class RangeExchange final : public Exchange {
  public:
    /// What is given must outlive the object.
    explicit RangeExchange(const Conversion& conversion) : conversion_(conversion) {}

    /// Cuts the inputs from low to high: into requests whose steps there is room for, of a right answer.
    [[nodiscard]] std::vector<inputs::Block> plan(Code low, Code high) const;

    [[nodiscard]] const Format& from() const override { return *conversion_.from; }
    [[nodiscard]] const Format& to() const override { return *conversion_.to; }
    [[nodiscard]] bool is_poisoned() const override { return false; }
    /// Less than in proportion: a device that needs so long hangs.
    [[nodiscard]] std::uint64_t times(std::uint64_t count) const override { return 1 + (count >> 22U); }
    void prepare(WorkerClient& worker) const override;
    void send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
              Scratch& scratch) const override;
    [[nodiscard]] std::string damage(const WorkerClient& /*worker*/, const inputs::Block& /*block*/, Turn /*turn*/,
                                     Scratch& /*scratch*/) const override {
        return {}; // nothing was given to write to; far_writes() looks at all of the memory
    }
    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& scratch) const override;
    [[nodiscard]] std::string far_writes(const WorkerClient& worker) const override;

  private:
    const Conversion& conversion_;
};

} // namespace mxcert::observe

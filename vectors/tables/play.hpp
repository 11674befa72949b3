// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// Runs a step table as a fast implementation: an index on the top bits of the input, then a few rows. A wrong
/// Behaviour needs no fast code of its own.
class Player {
  public:
    /// Throws std::invalid_argument if the table breaks its invariant or has more than 2^32 - 1 steps.
    explicit Player(const StepTable& table);

    /// The code of one input. Bits above the source's width are ignored.
    [[nodiscard]] Code operator()(Code input) const { return steps_[find(input & mask_)].code; }

    /// The codes of `count` inputs: values of from.bytes() bytes in, of to.bytes() bytes out, both in the machine's own
    /// byte order, in buffers of any alignment that do not overlap. Bits above the source's width are ignored.
    void run(const void* input, void* output, std::size_t count) const;

  private:
    [[nodiscard]] std::size_t find(Code input) const;
    template <class In, class Out> void run_as(const void* input, void* output, std::size_t count) const;
    template <class In> void run_from(const void* input, void* output, std::size_t count) const;

    std::vector<Step> steps_;
    /// For each value of the top bits the step that holds the first input that has it, and the last step at the end.
    std::vector<std::uint32_t> index_;
    Code mask_;
    int shift_;
    int in_bytes_;
    int out_bytes_;
};

} // namespace mxcert

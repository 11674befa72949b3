// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/frames/repeated_run.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/known_fault.hpp"
#include "reference/operation/operation.hpp"

// Scales as an implementation has them. Everything else knows a matrix of scales in rows: what is sent is laid out
// right before, and what comes back is brought into rows right after.
namespace mxcert::frames {

/// "the scales laid out as padded_128x4", of an operation that has them elsewhere, of each of the layouts that explain
/// what it does. Rows without padding are left out where another one does.
[[nodiscard]] std::vector<KnownFault> laid_out_as(const std::vector<const ScaleLayout*>& layouts);

/// The layout of the scales of an operation's runs.
class RunLayout {
  public:
    explicit RunLayout(const Operation& operation) : scales_(laid_out_scales(operation)), info_(*operation.info) {}

    /// False: the scales are in rows, and nothing is to be done.
    [[nodiscard]] bool lays_out() const { return !scales_.is_linear(); }

    /// The run as it is sent.
    [[nodiscard]] RunCase lay_out(RunCase run_case) const;
    [[nodiscard]] RepeatedRun lay_out(RepeatedRun run) const;
    /// The answer to a run that was laid out, as one to the run itself. Padding that does not hold what it must is a
    /// fail, which is known where another layout would have scales there.
    [[nodiscard]] RunAnswer restore(const RunCase& run_case, RunAnswer answer) const;

    /// Bytes of the scales of a matrix of values in blocks of `block`.
    [[nodiscard]] std::uint64_t bytes(const Extent& values, std::uint64_t block) const;
    /// The scales in rows. Precondition: `buffer` has as many bytes.
    [[nodiscard]] std::vector<std::byte> rows(const Extent& values, std::uint64_t block,
                                              std::span<const std::byte> buffer) const;
    /// What is wrong with the padding, in a line; empty if nothing is.
    [[nodiscard]] std::string stray_padding(const Extent& values, std::uint64_t block,
                                            std::span<const std::byte> buffer) const;

    /// Scales in rows, as another layout reads the buffer that they came from; those of a buffer with less padding
    /// begin it. Nothing if that layout needs a larger one.
    [[nodiscard]] std::optional<Values> read_as(const ScaleLayout& layout, const RunCase& run_case,
                                                const Values& scales) const;
    /// The layouts that may be taken for it: those that pad to tiles of the same size, and rows without padding.
    [[nodiscard]] std::vector<const ScaleLayout*> others() const;
    /// The arrays of a run that are scales.
    [[nodiscard]] std::vector<Values*> scales_of(std::vector<Values>& inputs, std::vector<Values>& outputs) const;

  private:
    [[nodiscard]] ScaleMap map_of(const Extent& values, std::uint64_t block) const;
    [[nodiscard]] RepeatedArray laid_out(const RepeatedRun& run, const RepeatedArray& scales) const;

    LaidOutScales scales_;
    const OperationInfo& info_;
};

} // namespace mxcert::frames

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/frames/repeated_run.hpp"
#include "conformance/frames/run.hpp"
#include "reference/operation/operation.hpp"

// Elements as an implementation has them. Everything else knows codes, one a byte: what is sent is packed right before,
// and what comes back is unpacked right after.
namespace mxcert::frames {

/// The packing of an operation's runs: of the inputs and outputs that are elements.
class RunPacking {
  public:
    explicit RunPacking(const Operation& operation);

    /// False: elements are bytes, and nothing is to be done.
    [[nodiscard]] bool packs() const { return elements_.packs(); }

    /// The run as it is sent. Throws std::invalid_argument if its rows cannot be packed.
    [[nodiscard]] RunCase pack(RunCase run_case) const;
    [[nodiscard]] RepeatedRun pack(RepeatedRun run) const;

    /// Asks for the run as it is sent. Unsupported if its rows cannot be packed.
    [[nodiscard]] RunAnswer answer(const RunCase& run_case, const std::function<RunAnswer(const RunCase&)>& ask) const;
    [[nodiscard]] RepeatedAnswer answer(const RepeatedRun& run,
                                        const std::function<RepeatedAnswer(const RepeatedRun&)>& ask) const;

    /// Bytes of a row of so many elements. Throws as pack() does.
    [[nodiscard]] std::uint64_t row_bytes(std::uint64_t columns) const {
        return packs() ? elements_.row_bytes(columns) : columns;
    }
    /// Rows of so many elements as codes. The first row whose last byte has bits that hold no code and are not zero.
    [[nodiscard]] std::optional<std::uint64_t> unpack_rows(std::span<const std::byte> bytes, std::uint64_t columns,
                                                           std::span<std::byte> codes) const;
    /// That such a byte is there, in a line.
    [[nodiscard]] std::string stray_bits(std::uint64_t row, std::span<const std::byte> bytes,
                                         std::uint64_t columns) const;

    /// The elements of a run, read in another packing: those of array `number` of elements_of(). Nothing if its rows
    /// cannot be packed so, or have another size.
    [[nodiscard]] std::optional<Values> read_as(const Packing& packing, const RunCase& run_case, std::size_t number,
                                                const Values& elements) const;
    [[nodiscard]] const Packing& packing() const { return *elements_.packing; }
    /// The arrays of a run that are elements.
    [[nodiscard]] std::vector<Values*> elements_of(std::vector<Values>& inputs, std::vector<Values>& outputs) const;

  private:
    /// The length of a row of array `number` of elements_of().
    [[nodiscard]] std::uint64_t columns_of(const RunCase& run_case, std::size_t number) const {
        return run_case.shape[elements_.row_sizes[number]];
    }
    /// The answer to a run that was packed, as one to the run itself. Bits that hold no code and are not zero are a
    /// fail.
    [[nodiscard]] RunAnswer unpack(const RunCase& run_case, RunAnswer answer) const;

    PackedElements elements_;
    const OperationInfo& info_;
};

} // namespace mxcert::frames

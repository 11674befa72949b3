// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/inputs/code_range.hpp"
#include "conformance/inputs/poison.hpp"
#include "conformance/observe/worker_client.hpp"
#include "conformance/status.hpp"
#include "reference/format.hpp"

namespace mxcert::observe {

/// How the inputs of a block come to a worker, and how its answer becomes steps: what conversions and operations do
/// each in their way. One object serves all threads of an observation; the answers depend on nothing that it remembers.
class Exchange {
  public:
    /// Which asking of a block it is, and where its request lies among those in flight.
    struct Turn {
        std::uint64_t slot = 0; ///< below process::layout::slots
        bool again = false;     ///< asked a second time: with other poison, cut and placed otherwise
    };
    /// Memory of one thread, kept from request to request.
    struct Scratch {
        std::vector<std::byte> bytes;
        std::vector<std::byte> codes; ///< of elements that came packed
        std::vector<std::uint32_t> starts;
    };
    /// What an answer says.
    struct Reading {
        std::vector<Step> steps;           ///< ascending, of the places that covered() gives
        std::uint64_t rest = 0;            ///< a digest of what came with them, the same when it is asked again
        std::string reason;                ///< why it is no answer; "" if it is one
        Status status = Status::error;     ///< where there is a reason: fail if it contradicts itself
        std::string flaw;                  ///< it is kept, but does not pass: why; else ""
        Status flaw_status = Status::fail; ///< of what has a flaw
        std::uint64_t neighbours = 0;      ///< values with one before them in the request, where these were arranged
        std::uint64_t differing = 0;       ///< of them, those with another answer than the one before
    };

    Exchange() = default;
    virtual ~Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    [[nodiscard]] virtual const Format& from() const = 0; ///< of an input
    [[nodiscard]] virtual const Format& to() const = 0;   ///< of an answer
    /// The input at a position.
    [[nodiscard]] virtual Code input_at(std::uint64_t position) const { return position; }
    /// What the steps of an answer speak of: positions, or inputs where these are asked in another order. The input of
    /// such a place.
    [[nodiscard]] virtual Code input_of(Code place) const { return input_at(place); }
    /// The places of a block, ascending.
    [[nodiscard]] virtual std::vector<inputs::CodeRange> covered(const inputs::Block& block) const {
        return {{block.first, block.first + block.count - 1}};
    }
    /// Inputs outside covered() that the request of a position also holds. Its poison must be none of their answers.
    [[nodiscard]] virtual std::vector<inputs::CodeRange> companions(std::uint64_t /*position*/) const { return {}; }
    /// The input of such a place, for reasons: "input 0x3F800000", and its random bits where it has any.
    [[nodiscard]] virtual std::string name_of_input(Code place) const;
    /// "inputs 00000000 to 0003FFFF", for reasons.
    [[nodiscard]] virtual std::string name_of(const inputs::Block& block) const;

    /// Where the answer of a place of covered() was, from 0: "index 12 of a request of 4096 values". `again`: when the
    /// block was asked a second time.
    [[nodiscard]] virtual std::string place(const inputs::Block& block, Code place, bool again) const;

    /// Whether outputs are filled with poison before they are asked for: an answer that is poison is then asked again.
    [[nodiscard]] virtual bool is_poisoned() const { return true; }
    /// How many times the time for a request of 256 Ki values a request of so many values may take.
    [[nodiscard]] virtual std::uint64_t times(std::uint64_t count) const {
        return (count + process::layout::max_count - 1) / process::layout::max_count;
    }

    /// Called for a worker before anything is sent to it.
    virtual void prepare(WorkerClient& worker) const = 0;
    /// Writes what a block needs into the memory of a worker, and sends the request. `index` is that of the conversion
    /// or the operation in HELLO.
    virtual void send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
                      Scratch& scratch) const = 0;
    /// What shows that the worker wrote where it must not; "" if nothing does.
    [[nodiscard]] virtual std::string damage(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                             Scratch& scratch) const = 0;
    [[nodiscard]] virtual Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                       Scratch& scratch) const = 0;
    /// Whether it wrote where no request lay, at the end; "" if it did not.
    [[nodiscard]] virtual std::string far_writes(const WorkerClient& worker) const = 0;
};

} // namespace mxcert::observe

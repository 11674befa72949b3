// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "conformance/frames/run.hpp"
#include "conformance/inputs/rings.hpp"
#include "conformance/level.hpp"
#include "conformance/status.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::observe {

/// A call of a conversion, under one given scale where it takes any.
struct ConversionCall {
    Conversion conversion;
    std::uint32_t index = 0; ///< in HELLO
    inputs::Ring ring;       ///< with the answers that came
};

/// A run of an operation.
struct OperationCall {
    Operation operation;
    std::uint32_t index = 0; ///< in HELLO
    frames::RunCase run_case;
    std::vector<frames::Values> outputs; ///< that came
};

using Call = std::variant<ConversionCall, OperationCall>;

/// A call of each conversion and each operation that passed, to be asked again in turn: what one of them leaves in a
/// process (a table, a rounding mode, a scale) must not change the answers of another. Any number of threads may use
/// it.
class Turns {
  public:
    /// The call for each scale of a conversion.
    void keep(const Conversion& conversion, std::uint32_t index, const std::vector<inputs::Ring>& rings);
    /// Of the runs of an operation the largest of up to 16 KiB is kept; none whose answers are drawn at random.
    void keep(const Operation& operation, std::uint32_t index, const frames::RunCase& run_case,
              const std::vector<frames::Values>& outputs);
    /// All that was kept, by conversion and operation in the order of HELLO.
    [[nodiscard]] std::vector<Call> calls() const;

  private:
    mutable std::mutex lock_;
    std::vector<ConversionCall> conversions_;
    std::vector<OperationCall> operations_;
};

/// What came of asking them in turn.
struct TurnsSeen {
    Status status = Status::untested; ///< untested: there were fewer than two calls
    std::string reason;               ///< why it did not pass
    std::string detail;               ///< last lines of the worker's stderr, when it died
    std::vector<std::string> failed;  ///< the conversion or operation that did not pass, and the one before it
    std::uint64_t rows = 0;           ///< calls of which each is asked after others; one for each given scale
    std::uint64_t calls = 0;          ///< that were asked
    bool every_pair = false;          ///< each call came right after each other one
};

/// So many calls in an order in which each follows others: each the one before it and the one behind it, and then, as
/// far as `most` calls allow, each of all others.
[[nodiscard]] std::vector<std::size_t> order_of_turns(std::size_t calls, std::uint64_t most);

/// Whether each of so many calls comes right after each other one in an order.
[[nodiscard]] bool has_every_pair(const std::vector<std::size_t>& order, std::size_t calls);

/// How many calls a level asks at most; 0: none.
[[nodiscard]] std::uint64_t most_turns(Level level);

} // namespace mxcert::observe

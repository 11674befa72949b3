// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/frames/run.hpp"
#include "reference/block_shape.hpp"
#include "reference/format.hpp"

namespace mxcert::suites {

/// What a judge finds in the answer to a question.
struct Findings {
    std::uint64_t compared = 0;     ///< values
    std::uint64_t differing = 0;    ///< of what the suite counts: blocks, elements, bytes
    std::vector<std::string> wrong; ///< in words; the answer is right where there is none

    /// One more that differs.
    void add(std::string text) {
        ++differing;
        wrong.push_back(std::move(text));
    }
};

/// A case of an operation: what is asked, and what judges the answer. It refers to its CasePart.
struct Question {
    std::string name; ///< of the case: "a tail of 1"
    /// Asked one after the other.
    std::function<std::vector<frames::RunCase>()> runs;
    /// What a judge finds in the outputs of all runs. Throws std::exception if nothing can be judged. Nothing is
    /// remembered: it judges answers that were spoilt, too.
    std::function<Findings(std::size_t judge, const std::vector<frames::Values>& outputs)> judge;
    /// Remembers an answer, for what CasePart::known_as() says of all of them. May be empty.
    std::function<void(std::size_t judge, const std::vector<frames::Values>& outputs, const Findings& findings)> keep;
    bool may_refuse = false;      ///< whatever the profile says, as of a tail
    std::optional<Extent> tensor; ///< a matrix whose size the sources of some profiles refuse
    /// Asked instead, where it may be refused and is, or where all of them refuse it; itself it may not be refused for
    /// its tail. May be empty.
    std::function<Question()> filled;
    /// The format of each output that is judged, null where an output is not: the last value of each is spoilt in turn.
    std::vector<const Format*> judged;
    /// Spoils an answer instead: a judge that finds nothing must find it. May be empty.
    std::function<void(std::vector<frames::Values>& outputs)> spoil;
    /// Why nothing can be said of any answer to a case that was written down: its judge compares nothing. Empty: it
    /// can.
    std::string open;
};

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/found_cases.hpp"

namespace mxcert::suites {

/// Cases that were asked, with their answers, as far as these came.
template <class Case> class Asked {
  public:
    Asked(observe::Subject& subject, const Operation& operation, const char* row)
        : subject_(subject), operation_(operation), row_(row) {}

    /// False if there is no use in going on. A matrix with a tail may be refused.
    template <class Of> bool ask(const Of& found, Case block_case) {
        frames::RunCase run = run_of(found, block_case);
        run.row = row_;
        run.name = block_case.name;
        frames::RunAnswer answer = subject_.run(operation_, run);
        if (answer.status == Status::unsupported && block_case.matrix.has_tail()) {
            refused.push_back(block_case.name);
            refused_blocks += block_case.matrix.blocks();
            return true;
        }
        status = answer.status;
        if (status != Status::pass) {
            reason = fmt::format("{}: {}", block_case.name, answer.reason);
            return false;
        }
        cases_.push_back(std::move(block_case));
        seen.push_back({&cases_.back(), std::move(answer.outputs)});
        return true;
    }

    std::vector<JoinSeen<Case>> seen;
    std::vector<std::string> refused;
    std::uint64_t refused_blocks = 0;
    Status status = Status::untested;
    std::string reason = "nothing was asked";

  private:
    observe::Subject& subject_;
    const Operation& operation_;
    const char* row_;
    std::deque<Case> cases_; ///< `seen` points into it
};

/// The status of what is found of them.
template <class Found, class Case> void take_status(Found& found, const Asked<Case>& asked_case) {
    found.status = asked_case.status;
    if (asked_case.status != Status::pass) found.reason = asked_case.reason;
}

/// What is found of them, with what was asked; nothing yet where an answer is missing.
template <class Case>
[[nodiscard]] FoundCases found_of(const Operation& operation, const Asked<Case>& asked_case, FoundCases found = {}) {
    found.operation = to_string(operation);
    take_status(found, asked_case);
    if (found.status == Status::pass) found.refused = asked_case.refused;
    return found;
}

} // namespace mxcert::suites

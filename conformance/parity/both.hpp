// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/observe/subject.hpp"
#include "conformance/parity/comparison.hpp"
#include "conformance/suites/blocks/join_fault.hpp"

namespace mxcert::parity {

/// One of two pipelines, as one that takes cases in the values that both are asked.
template <class Case> struct Side {
    observe::Subject* subject = nullptr;
    const Operation* operation = nullptr;
    std::function<Case(const Case&)> given;             ///< the case as this pipeline is asked it
    std::function<frames::RunCase(const Case&)> run_of; ///< of a case that is given
    std::function<Case(const Case&)> quantized; ///< of a given one, what is quantized: behind its activation; or empty
};

/// A case and the answers of one pipeline.
template <class Case> struct Answered {
    std::shared_ptr<const Case> given;     ///< Side::given
    std::shared_ptr<const Case> quantized; ///< Side::quantized; the same where there is no activation
    std::vector<frames::Values> outputs;
};

/// A case and what both made of it.
template <class Case> struct BothAnswered {
    Answered<Case> a;
    Answered<Case> b;
};

/// Asks both pipelines the same cases.
template <class Case> class Both {
  public:
    Both(Side<Case> a, Side<Case> b, Parity& parity, const ParityOptions& options)
        : a_(std::move(a)), b_(std::move(b)), parity_(parity), options_(options) {}

    /// The answers of both, in `answered`. False if it goes on no longer: Parity::status and `reason` say why. Of a
    /// case that one of both refuses nothing is in `answered`, and it stands in Parity::refused.
    /// `filled`: the case with more lines, for a pipeline that refuses so few.
    [[nodiscard]] bool ask(const char* row, const Case& wanted, const std::function<Case(Case)>& filled,
                           BothAnswered<Case>& answered) {
        answered = {};
        if (options_.stop != nullptr && options_.stop->load()) return stop(Status::incomplete, "stopped");
        std::optional<BothAnswered<Case>> both = try_both(row, wanted);
        if (!both && refusal_ && filled) {
            Refusal first = std::move(*refusal_);
            refusal_.reset();
            both = try_both(row, filled(wanted));
            if (!both && refusal_) refusal_ = std::move(first);
        }
        if (both) {
            answered = std::move(*both);
            refusal_.reset();
            return true;
        }
        if (!refusal_) return false;
        parity_.refused.push_back(std::move(*refusal_));
        refusal_.reset();
        return true;
    }

  private:
    std::optional<BothAnswered<Case>> try_both(const char* row, const Case& wanted) {
        BothAnswered<Case> both;
        for (const bool is_a : {true, false}) {
            const Side<Case>& side = is_a ? a_ : b_;
            const auto given = std::make_shared<const Case>(side.given(wanted));
            frames::RunCase run = side.run_of(*given);
            run.row = row;
            run.name = given->name;
            frames::RunAnswer answer = side.subject->run(*side.operation, run);
            if (answer.status == Status::unsupported) {
                refusal_ = Refusal{wanted.name, is_a, wanted.matrix.has_tail(), answer.reason};
                return std::nullopt;
            }
            if (answer.status != Status::pass) {
                // FAIL is the word for two sides that differ.
                const Status status = answer.status == Status::fail ? Status::error : answer.status;
                stop(status, fmt::format("{}: {}: {}", is_a ? "A" : "B", given->name, answer.reason));
                return std::nullopt;
            }
            Answered<Case>& answered = is_a ? both.a : both.b;
            answered.given = given;
            answered.quantized = side.quantized ? std::make_shared<const Case>(side.quantized(*given)) : given;
            answered.outputs = std::move(answer.outputs);
        }
        return both;
    }
    bool stop(Status status, std::string reason) {
        parity_.status = status;
        parity_.reason = std::move(reason);
        return false;
    }

    Side<Case> a_;
    Side<Case> b_;
    Parity& parity_;
    const ParityOptions& options_;
    std::optional<Refusal> refusal_;
};

/// The answers of one of both, as the suites take them; they point into `all`. `given`: with the cases as they were
/// asked, and not as they were quantized.
template <class Case> [[nodiscard]] std::vector<suites::JoinSeen<Case>>
seen_of(const std::vector<BothAnswered<Case>>& all, bool is_a, bool given = false) {
    std::vector<suites::JoinSeen<Case>> seen;
    for (const BothAnswered<Case>& both : all) {
        const Answered<Case>& side = is_a ? both.a : both.b;
        seen.push_back({given ? side.given.get() : side.quantized.get(), side.outputs});
    }
    return seen;
}

} // namespace mxcert::parity

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/shards/answers.hpp"
#include "conformance/shards/ask_again.hpp"
#include "conformance/shards/unit.hpp"

namespace mxcert::shards {

/// The answers of units, by their questions. What no unit was asked is incomplete: nothing is made up. It may be asked
/// from several threads.
class AnswerStore {
  public:
    /// What `level` a run has decides which conversions are asked every input.
    AnswerStore(observe::BackendInfo info, Level level) : info_(std::move(info)), level_(level) {}

    /// Throws std::runtime_error if a question was answered before by another unit: names both.
    void add(Answers answers);
    /// The pieces of a conversion that is cut.
    void cut(const Conversion& conversion, std::vector<observe::Piece> pieces);
    /// From now on the answers are compared with those that come when some of them are asked again.
    void compare_with(AskAgain* again) { again_ = again; }

    [[nodiscard]] const observe::BackendInfo& info() const { return info_; }
    [[nodiscard]] Level level() const { return level_; }
    /// The answer, and the unit it is of; null if no unit was asked that.
    [[nodiscard]] std::pair<const Answers*, const observe::Observation*> find(const std::string& of,
                                                                              const std::string& question) const;
    /// The pieces of a conversion; nullptr if it is not cut.
    [[nodiscard]] const std::vector<observe::Piece>* pieces_of(const Conversion& conversion) const;
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case);
    [[nodiscard]] frames::RepeatedAnswer repeat(const Operation& operation, const frames::RepeatedRun& run) const;
    /// Why the worker that ran an operation did not end well; "" if it did.
    [[nodiscard]] std::string end_of(const Operation& operation) const;
    [[nodiscard]] AskAgain* again() const { return again_; }

  private:
    struct Runs {
        const Answers* unit = nullptr;
        std::size_t number = 0;                ///< of the question among the runs of the unit
        std::vector<const StoredRun*> answers; ///< each time it was asked
        std::size_t next = 0;
    };
    observe::BackendInfo info_;
    Level level_;
    std::vector<std::unique_ptr<Answers>> units_;
    std::map<std::string, std::pair<const Answers*, const observe::Observation*>> observations_;
    std::map<std::string, Runs> runs_;
    std::map<std::string, const StoredRepeat*> repeats_;
    std::map<std::string, std::string> ends_; ///< of operations whose worker did not end well
    std::map<std::string, std::vector<observe::Piece>> pieces_;
    std::mutex lock_;
    AskAgain* again_ = nullptr;
};

/// A subject that answers from the store, which must outlive it.
[[nodiscard]] std::unique_ptr<observe::Subject> open_stored(AnswerStore& store);

} // namespace mxcert::shards

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "conformance/observe/subject.hpp"
#include "conformance/observe/sweep.hpp"
#include "conformance/record/recorded_run.hpp"
#include "conformance/shards/answers.hpp"

namespace mxcert::shards {

/// The name of a part of a sweep.
[[nodiscard]] inline std::string question_of(const observe::SweepPart& part) { return part.name + ": " + part.key; }

/// A subject that asks another one, which must outlive it, and notes what was asked and answered. Of sweeps it asks the
/// parts that the unit is of: what it has of the others is nothing.
class Recorder final : public observe::Subject {
  public:
    enum class Sweeps : std::uint8_t {
        none, ///< others ask them: the row ends there
        some, ///< those with the numbers `number` + k * `count`, and of the others nothing comes back
    };
    Recorder(observe::Subject& subject, Sweeps sweeps, std::uint64_t number = 0, std::uint64_t count = 1)
        : subject_(subject), sweeps_(sweeps), number_(number), count_(count) {}

    /// From now on outputs are stored whole, however long: those of a record decide what it asks next.
    void store_whole_outputs() { most_packed_ = std::numeric_limits<std::size_t>::max(); }

    /// What was noted: observations, runs, repeats, and the status of the first answer that did not pass.
    [[nodiscard]] Answers& answers() { return answers_; }
    /// Rows of which sweeps were left to others.
    [[nodiscard]] const std::set<std::string>& left() const { return left_; }

    [[nodiscard]] const observe::BackendInfo& info() const override { return subject_.info(); }
    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override;
    [[nodiscard]] observe::Observation observe_piece(const Conversion& conversion, const observe::Permitted& permitted,
                                                     const observe::Piece& piece) override;
    [[nodiscard]] observe::Observation observe_places(const Conversion& conversion,
                                                      const observe::Permitted& permitted) override;
    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override;
    [[nodiscard]] observe::Observation sweep(const observe::SweepPart& part, const PermitTable* permitted) override;
    [[nodiscard]] bool can_sweep() const override { return subject_.can_sweep(); }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override;
    [[nodiscard]] frames::RepeatedAnswer run_repeated(const Operation& operation,
                                                      const frames::RepeatedRun& run) override;
    [[nodiscard]] std::string end_runs() override;
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return subject_.holds_points(conversion);
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                        std::vector<inputs::Point> wanted) const override {
        return subject_.answerable(conversion, std::move(wanted));
    }
    [[nodiscard]] bool is_record() const override { return false; }

  private:
    observe::Observation note(const std::string& of, std::string question, observe::Observation seen);
    void note(Status status, const std::string& reason);

    observe::Subject& subject_;
    Sweeps sweeps_;
    std::uint64_t number_;
    std::uint64_t count_;
    std::size_t most_packed_ = record::most_packed;
    Answers answers_;
    std::set<std::string> left_;
    std::set<std::string> known_; ///< questions of runs that were noted
};

} // namespace mxcert::shards

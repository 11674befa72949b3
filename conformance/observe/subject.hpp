// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/observe/worker_pool.hpp"

namespace mxcert::observe {

/// An implementation that can be asked: a running backend, a record of one, or the answers of a device that is not
/// attached. Commands take any of them.
class Subject {
  public:
    Subject() = default;
    virtual ~Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    [[nodiscard]] virtual const BackendInfo& info() const = 0;

    /// Every input, like WorkerPool::observe().
    [[nodiscard]] virtual Observation observe(const Conversion& conversion, const Permitted& permitted) = 0;

    /// Like WorkerPool::observe_piece() and observe_places(). What is stored has no pieces: their status is
    /// unsupported.
    [[nodiscard]] virtual Observation observe_piece(const Conversion& conversion, const Permitted& permitted,
                                                    const Piece& piece);
    [[nodiscard]] virtual Observation observe_places(const Conversion& conversion, const Permitted& permitted);

    /// The given inputs, ascending, like WorkerPool::observe_points().
    [[nodiscard]] virtual Observation observe_points(const Conversion& conversion,
                                                     const std::vector<inputs::Point>& inputs,
                                                     const PermitTable* permitted) = 0;

    /// Like WorkerPool::sweep(). A record has no sweeps: its status is unsupported.
    [[nodiscard]] virtual Observation sweep(const SweepPart& part, const PermitTable* permitted);
    /// Whether it has sweeps.
    [[nodiscard]] virtual bool can_sweep() const { return false; }
    /// Like WorkerPool::run(). A record answers the questions it was made of: any other is incomplete, and one whose
    /// outputs it has as a digest alone is untested.
    [[nodiscard]] virtual frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case);
    /// Like WorkerPool::run_repeated(). A record has no such run: its status is untested.
    [[nodiscard]] virtual frames::RepeatedAnswer run_repeated(const Operation& operation,
                                                              const frames::RepeatedRun& run);
    /// Like WorkerPool::end_runs().
    [[nodiscard]] virtual std::string end_runs() { return {}; }

    /// Like WorkerPool::ask_turns(). A stored subject cannot be asked in turn: the status is untested.
    [[nodiscard]] virtual TurnsSeen ask_turns() { return {}; }

    /// The same backend once more, to be asked at the same time as this one. Null: it is stored, or one job was wanted.
    [[nodiscard]] virtual std::unique_ptr<Subject> another() const { return nullptr; }

    /// With which seed and samples its operations were asked, and at which level, if answers are stored: no other run
    /// has one.
    struct Suite {
        std::uint64_t seed = 1;
        unsigned samples_per_step = 0;
        LevelOf level{};
    };
    [[nodiscard]] virtual std::optional<Suite> stored_suite() const { return {}; }

    /// True if it is asked chosen inputs of a conversion and not every one: a source that is too wide, or answers to
    /// chosen inputs that were stored.
    [[nodiscard]] virtual bool holds_points(const Conversion& conversion) const;

    /// The inputs it can be asked: those wanted, or the ones a record holds. For conversions with holds_points().
    [[nodiscard]] virtual std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                                std::vector<inputs::Point> wanted) const = 0;

    /// True if it holds what was seen before, and nothing runs.
    [[nodiscard]] virtual bool is_record() const = 0;

    /// The options that left something out when it was asked, for reports; "" if none did.
    [[nodiscard]] virtual std::string selection() const { return {}; }

    /// What the backend offered and the stored answers are without; empty if nothing was stored.
    [[nodiscard]] virtual std::vector<std::string> left_out() const { return {}; }

    /// SHA-256 of the index of a record, which has those of its files; "" if it is none.
    [[nodiscard]] virtual std::string digest() const { return {}; }

    /// Which conversions it was asked, as `--filter` names them; empty if all.
    [[nodiscard]] virtual std::vector<std::string> filters() const { return {}; }
};

/// A subject that answers no conversion and can be asked all that is wanted: what it does answer overrides that.
class BareSubject : public Subject {
  public:
    [[nodiscard]] const BackendInfo& info() const override { return info_; }
    [[nodiscard]] BackendInfo& info() { return info_; }
    [[nodiscard]] Observation observe(const Conversion& /*conversion*/, const Permitted& /*permitted*/) override {
        return {};
    }
    [[nodiscard]] Observation observe_points(const Conversion& /*conversion*/,
                                             const std::vector<inputs::Point>& /*inputs*/,
                                             const PermitTable* /*permitted*/) override {
        return {};
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& /*conversion*/,
                                                        std::vector<inputs::Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool is_record() const override { return false; }

  private:
    BackendInfo info_;
};

/// True if a source is so wide, alone or with its random bits, that it is asked chosen inputs, unless every one is
/// wanted and can be sent.
[[nodiscard]] inline bool needs_points(const Conversion& conversion) {
    return conversion.from->width() > 32 || conversion.random_bits != 0;
}

} // namespace mxcert::observe

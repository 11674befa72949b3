// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/cli/backend_options.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/print/progress.hpp"

namespace mxcert::cli {

/// A backend that a command runs, with its progress on standard error and the flag that signals set.
class Running {
  public:
    /// A backend that cannot start leaves subject() nullptr and a reason(). Throws std::runtime_error for a broken
    /// record or offline folder: those are files.
    Running(const observe::BackendSpec& spec, const BackendOptions& options);
    /// A subject that is open already, with answers that are stored: nothing runs.
    Running(std::unique_ptr<observe::Subject> subject, const BackendOptions& options);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() = default;

    [[nodiscard]] observe::Subject* subject() { return subject_.get(); }
    [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
    [[nodiscard]] print::Progress& progress() { return *progress_; }
    /// The files that its workers have loaded so far; null if the answers are stored.
    [[nodiscard]] std::shared_ptr<const process::LoadedFiles> loaded() const { return loaded_; }
    /// Whether it started; if not, prints on standard error why.
    [[nodiscard]] bool report_start() const;
    /// Why it could not start.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// The level of the run: the one that was given, else that of stored answers, else the default. Throws
    /// std::invalid_argument if the answers were stored at an earlier level than the one that was given.
    [[nodiscard]] LevelOf level() const;
    /// Shows the progress of this many inputs from now on.
    void expect(std::uint64_t inputs);

  private:
    LevelOf asked_level_;
    bool level_given_;
    const std::atomic<bool>& stop_;
    print::Progress::Mode mode_;
    std::unique_ptr<print::Progress> progress_;
    std::shared_ptr<process::LoadedFiles> loaded_;
    std::unique_ptr<observe::Subject> subject_;
    std::string reason_;
};

} // namespace mxcert::cli

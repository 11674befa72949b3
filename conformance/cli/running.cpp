// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/running.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include <fcntl.h>

#include <fmt/format.h>

#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/subjects/open_subject.hpp"

namespace mxcert::cli {
namespace {

print::Progress::Mode mode_of(const BackendOptions& options) {
    if (options.quiet) return print::Progress::Mode::none;
    return print::is_terminal(stderr) ? print::Progress::Mode::line : print::Progress::Mode::log;
}

/// Says on standard error that the backend may reach the network or write anywhere, where that was to be refused.
void warn_of_missing(const sandbox::State& state) {
    for (const sandbox::Missing& missing : state.missing)
        if (missing.part == "network" || missing.part == "writes" || missing.part == "reads")
            fmt::print(stderr, "mxcert: --sandbox={}: {} not in force: {}\n", to_string(state.mode), missing.part,
                       missing.reason);
}

/// The descriptor that a program wants to be told the progress on, by the variable MXCERT_PROGRESS.
std::optional<int> progress_descriptor() {
    const char* text = std::getenv("MXCERT_PROGRESS"); // NOLINT(concurrency-mt-unsafe): nothing sets variables
    if (text == nullptr) return std::nullopt;
    int descriptor = -1;
    const char* const end = text + std::strlen(text);
    if (std::from_chars(text, end, descriptor) != std::from_chars_result{end, {}} || descriptor < 0 ||
        fcntl(descriptor, F_GETFL) < 0)
        throw std::invalid_argument(
            fmt::format("MXCERT_PROGRESS='{}' is not the number of an open descriptor", print::printable(text)));
    return descriptor;
}

} // namespace

Running::Running(const observe::BackendSpec& spec, const BackendOptions& options)
    : asked_level_(options.asked_level()), level_given_(options.level_given()), stop_(stop_on_signals()),
      mode_(mode_of(options)) {
    expect(0);
    observe::ObserveOptions observing = observe_options(options, stop_);
    observing.progress = [this](std::uint64_t done, std::uint64_t /*total*/) { progress_->update(done); };
    observing.swept = [this](std::uint64_t done, std::uint64_t total) { progress_->update_part(done, total); };
    using Kind = observe::BackendSpec::Kind;
    if (spec.kind != Kind::record && spec.kind != Kind::offline)
        loaded_ = observing.loaded = std::make_shared<process::LoadedFiles>();
    try {
        subject_ = subjects::open_subject(spec, observing);
    } catch (const std::runtime_error& error) {
        if (loaded_ == nullptr) throw;
        reason_ = error.what();
        return;
    }
    if (const std::optional<sandbox::State>& sandbox = subject_->info().sandbox_state; loaded_ != nullptr && sandbox)
        warn_of_missing(*sandbox);
    std::uint64_t inputs = 0;
    for (const Conversion& conversion : subject_->info().conversions)
        if (!subject_->holds_points(conversion) && !is_stochastic(conversion.rounding))
            inputs += conversion.from->last_code() + 1;
    expect(inputs);
}

Running::Running(std::unique_ptr<observe::Subject> subject, const BackendOptions& options)
    : asked_level_(options.asked_level()), level_given_(options.level_given()), stop_(stop_on_signals()),
      mode_(mode_of(options)), subject_(std::move(subject)) {
    expect(0);
}

bool Running::report_start() const {
    if (subject_ == nullptr) fmt::print(stderr, "mxcert: {}\n", print::printable(reason_));
    return subject_ != nullptr;
}

LevelOf Running::level() const {
    const std::optional<observe::Subject::Suite> stored = subject_->stored_suite();
    if (!stored) return asked_level_;
    if (!level_given_) return stored->level;
    if (asked_level_.level > stored->level.level)
        throw std::invalid_argument(
            fmt::format("{}: the answers were stored at level {}", option_of(asked_level_), to_string(stored->level)));
    return asked_level_;
}

void Running::expect(std::uint64_t inputs) {
    progress_ = std::make_unique<print::Progress>(stderr, mode_, inputs);
    if (const std::optional<int> descriptor = progress_descriptor()) progress_->tell(*descriptor);
}

} // namespace mxcert::cli

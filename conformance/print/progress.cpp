// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/progress.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>

#include <fmt/format.h>

#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::print {

Progress::Progress(std::FILE* stream, Mode mode, std::uint64_t total) : stream_(stream), mode_(mode), total_(total) {}

Progress::~Progress() { clear(); }

void Progress::advise(const std::string& command) {
    const std::lock_guard lock(mutex_);
    advice_ = command;
}

void Progress::tell(int descriptor) {
    const std::lock_guard lock(mutex_);
    descriptor_ = descriptor;
}

void Progress::tell_program() {
    using namespace std::chrono_literals;
    const auto now = Clock::now();
    if (descriptor_ < 0 || now - told_ < 100ms) return;
    told_ = now;
    if (work_.empty() && total_ != 0) {
        dprintf(descriptor_, "%" PRIu64 " %" PRIu64 "\n", std::min(before_ + done_, total_), total_);
        return;
    }
    constexpr double parts = 1000;
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    dprintf(descriptor_, "%.0f %.0f\n", parts * share(elapsed, seconds_left(elapsed)), parts);
}

void Progress::start(const std::string& name, std::uint64_t inputs) {
    const std::lock_guard lock(mutex_);
    estimated_ = false;
    row_began_ = Clock::now();
    answers_began_ = {};
    name_ = name;
    inputs_ = inputs;
    done_ = 0;
    show(mode_ == Mode::line);
}

void Progress::update(std::uint64_t done) {
    const std::lock_guard lock(mutex_);
    done_ = std::min(done, inputs_);
    estimate();
    show(false);
}

void Progress::update_part(std::uint64_t done, std::uint64_t inputs) {
    const std::lock_guard lock(mutex_);
    if (part_inputs_ == 0 || done < done_) {
        estimated_ = false;
        answers_began_ = {};
    }
    part_inputs_ = inputs;
    done_ = std::min(done, inputs);
    estimate();
    show(false);
}

void Progress::expect_work(const ExpectedWork& piece) {
    const std::lock_guard lock(mutex_);
    work_[piece.family].left += piece.seconds;
}

void Progress::start_work(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (work_began_ == Clock::time_point{}) work_began_ = now;
    working_[name] = now;
    estimated_ = false;
    answers_began_ = {};
    name_ = name;
    inputs_ = 0;
    done_ = 0;
    show(mode_ == Mode::line);
}

void Progress::finish_work(const std::string& name, const ExpectedWork& piece) {
    const std::lock_guard lock(mutex_);
    Work& work = work_[piece.family];
    work.left = std::max(0.0, work.left - piece.seconds);
    if (const auto began = working_.find(name); began != working_.end()) {
        work.done += piece.seconds;
        work.seconds += std::chrono::duration<double>(Clock::now() - began->second).count();
        working_.erase(began);
    }
    part_inputs_ = 0;
}

// Inputs at the rate so far, and each piece of work as much longer than expected as those of its family were, as many
// at a time as so far; but at least what the part that is asked now still takes.
double Progress::seconds_left(double elapsed) const {
    const std::uint64_t inputs_done = before_ + done_;
    double left = 0;
    if (total_ > inputs_done && inputs_done != 0 && working_.empty() && work_began_ == Clock::time_point{})
        left = elapsed * static_cast<double>(total_ - inputs_done) / static_cast<double>(inputs_done);
    double busy = 0;
    double done = 0;
    for (const auto& [family, work] : work_) {
        busy += work.seconds;
        done += work.done;
    }
    const double usual = done > 0 ? busy / done : 1;
    double work_left = 0;
    for (const auto& [family, work] : work_)
        work_left += work.left * (work.done > 0 ? work.seconds / work.done : usual);
    const double since =
        work_began_ == Clock::time_point{} ? 0 : std::chrono::duration<double>(Clock::now() - work_began_).count();
    double part_left = 0;
    if (part_inputs_ > done_ && done_ > answers_first_ && answers_began_ != Clock::time_point{})
        part_left = std::chrono::duration<double>(Clock::now() - answers_began_).count() *
                    static_cast<double>(part_inputs_ - done_) / static_cast<double>(done_ - answers_first_);
    return left + std::max(part_left, work_left / (since > 0 ? std::max(1.0, busy / since) : 1));
}

double Progress::share(double elapsed, double left) {
    share_ = std::max(share_, elapsed + left > 0 ? elapsed / (elapsed + left) : 0);
    return share_;
}

void Progress::finish() {
    const std::lock_guard lock(mutex_);
    before_ += inputs_;
    inputs_ = 0;
    done_ = 0;
    part_inputs_ = 0;
}

void Progress::clear() {
    const std::lock_guard lock(mutex_);
    if (!on_screen_) return;
    std::fputs("\r\x1b[K", stream_);
    std::fflush(stream_);
    on_screen_ = false;
}

void Progress::estimate() {
    constexpr double measured = 1;   // seconds
    constexpr double patience = 600; // seconds
    if (done_ == 0) return;
    const auto now = Clock::now();
    if (answers_began_ == Clock::time_point{}) {
        answers_began_ = now;
        answers_first_ = done_;
    }
    if (mode_ == Mode::none || estimated_) return;
    const bool part = part_inputs_ != 0;
    const double seconds = std::chrono::duration<double>(now - answers_began_).count();
    if (seconds < measured || done_ <= answers_first_) return;
    estimated_ = true;
    const double rate = static_cast<double>(done_ - answers_first_) / seconds;
    const std::uint64_t inputs = part ? part_inputs_ : inputs_;
    const double whole = static_cast<double>(inputs) / rate;
    const double rest = static_cast<double>(total_ - std::min(total_, before_)) / rate;
    const double run = part ? whole : rest + std::chrono::duration<double>(row_began_ - began_).count();
    if (on_screen_) fmt::print(stream_, "\r\x1b[K");
    on_screen_ = false;
    fmt::print(stream_, "mxcert: {}: about {} for {}, at {}\n", name_, duration_text(whole), counted(inputs, "input"),
               rate_text(rate));
    if (run > patience && !advice_.empty()) {
        fmt::print(stream_, "mxcert: about {} {}; minutes: {}\n", duration_text(run),
                   part ? "for this part" : "for all conversions", advice_);
        advice_.clear();
    }
    std::fflush(stream_);
}

void Progress::show(bool now) {
    tell_program();
    if (mode_ == Mode::none) return;
    using namespace std::chrono_literals;
    const auto time = Clock::now();
    const auto interval = mode_ == Mode::line ? Clock::duration(100ms) : Clock::duration(10s);
    if (!now && time - shown_ < interval) return;
    shown_ = time;
    const double elapsed = std::chrono::duration<double>(time - began_).count();
    const bool is_known = !work_.empty() || (total_ != 0 && before_ + done_ != 0);
    const double left = seconds_left(elapsed);
    std::string text = name_;
    if (part_inputs_ != 0)
        text += fmt::format(", {} % of it", static_cast<unsigned>(100.0 * static_cast<double>(done_) /
                                                                  static_cast<double>(part_inputs_)));
    // Without a total there is neither share nor time left.
    std::string percent;
    if (is_known || total_ != 0)
        percent = fmt::format("{:3}%  ", is_known ? static_cast<unsigned>(100 * share(elapsed, left)) : 0U);
    std::string rest;
    if (is_known && elapsed > 0.5) {
        if (inputs_ != 0) rest = "  " + rate_text(static_cast<double>(before_ + done_) / elapsed);
        rest += fmt::format("  {} left", duration_text(left));
    }
    if (mode_ == Mode::line) {
        // A longer line would wrap and could not be rewritten: the name gives way.
        const std::size_t columns = width_of(stream_);
        const std::size_t width = (columns == 0 ? 80 : columns) - 1;
        const std::size_t taken = std::min(width, percent.size() + rest.size());
        text = text.substr(0, width - taken);
        fmt::print(stream_, "\r\x1b[K{}", (percent + text + rest).substr(0, width));
        on_screen_ = true;
    } else {
        fmt::print(stream_, "mxcert: {}{}{}\n", percent, text, rest);
    }
    std::fflush(stream_);
}

std::string rate_text(double inputs_per_second) {
    constexpr std::array<const char*, 4> units{"", "k ", "M ", "G "};
    std::size_t unit = 0;
    while (inputs_per_second >= 1000 && unit + 1 < units.size()) {
        inputs_per_second /= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}inputs/s", inputs_per_second, units.at(unit));
}

std::string duration_text(double seconds) {
    constexpr double most = 359'999; // 99:59:59
    const auto whole = static_cast<unsigned>(std::clamp(seconds + 0.5, 0.0, most));
    const unsigned hours = whole / 3600;
    if (hours != 0) return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

} // namespace mxcert::print

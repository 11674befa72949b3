// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/progress.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::print {

Progress::Progress(std::FILE* stream, Mode mode, std::uint64_t total) : stream_(stream), mode_(mode), total_(total) {}

Progress::~Progress() { clear(); }

void Progress::advise(const std::string& command) {
    const std::lock_guard lock(mutex_);
    advice_ = command;
}

void Progress::start(const std::string& name, std::uint64_t inputs) {
    const std::lock_guard lock(mutex_);
    estimated_ = false;
    row_began_ = Clock::now();
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
        part_began_ = Clock::now();
        estimated_ = false;
    }
    part_inputs_ = inputs;
    done_ = std::min(done, inputs);
    estimate();
    show(false);
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
    if (mode_ == Mode::none || estimated_ || done_ == 0) return;
    const bool part = part_inputs_ != 0;
    const double seconds = std::chrono::duration<double>(Clock::now() - (part ? part_began_ : row_began_)).count();
    if (seconds < measured) return;
    estimated_ = true;
    const double rate = static_cast<double>(done_) / seconds;
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
    if (mode_ == Mode::none) return;
    using namespace std::chrono_literals;
    const auto time = Clock::now();
    const auto interval = mode_ == Mode::line ? Clock::duration(100ms) : Clock::duration(10s);
    if (!now && time - shown_ < interval) return;
    shown_ = time;
    const bool part = part_inputs_ != 0;
    const double seconds = std::chrono::duration<double>(time - (part ? part_began_ : began_)).count();
    const std::uint64_t done = part ? done_ : before_ + done_;
    const std::uint64_t total = part ? part_inputs_ : total_;
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    std::string text = name_;
    // Nobody knows how many values the cases of an operation are: without a total there is neither share nor time left.
    if (total != 0)
        text = fmt::format(
            "{:3}%  {}",
            static_cast<unsigned>(static_cast<double>(std::min(done, total)) * 100 / static_cast<double>(total)), text);
    if (total != 0 && rate > 0 && seconds > 0.5)
        text += fmt::format("  {}  {} left", rate_text(rate),
                            duration_text(static_cast<double>(total - std::min(done, total)) / rate));
    if (mode_ == Mode::line) {
        constexpr std::size_t width = 79; // a longer line would wrap and could not be rewritten
        fmt::print(stream_, "\r\x1b[K{}", text.substr(0, width));
        on_screen_ = true;
    } else {
        fmt::print(stream_, "mxcert: {}\n", text);
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

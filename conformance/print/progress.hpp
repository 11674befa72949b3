// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace mxcert::print {

/// A piece of work whose inputs are not known in advance.
struct ExpectedWork {
    std::string family;
    double seconds = 0; ///< as expected; how long others took corrects it, those of its family first
};

/// How far a run is, on standard error. A terminal shows one line that is rewritten; anything else gets a line every
/// ten seconds, so that a log stays readable. Any thread may call it.
class Progress {
  public:
    enum class Mode { none, line, log };

    /// `total`: inputs of the whole run, for the time left.
    Progress(std::FILE* stream, Mode mode, std::uint64_t total);
    /// A piece of the other work of the run.
    void expect_work(const ExpectedWork& piece);
    /// A piece of work starts, and ends. Several may go on at the same time.
    void start_work(const std::string& name);
    void finish_work(const std::string& name, const ExpectedWork& piece);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// A command that takes less time. It is printed once, as soon as the whole run, or a part of an operation, is
    /// estimated to take more than ten minutes.
    void advise(const std::string& command);
    /// Tells a program as well: up to ten times a second a line of two numbers, how much is done and how much that is
    /// of. Inputs of the whole run where these are known, else thousandths of its expected time.
    void tell(int descriptor);
    /// A conversion starts. It has this many inputs. After a second of it a line says how long it is going to take.
    void start(const std::string& name, std::uint64_t inputs);
    /// Inputs done of the current conversion.
    void update(std::uint64_t done);
    /// Inputs done of a part of a piece of work, and all of that part: shown beside its name. Another part begins where
    /// less is done than before.
    void update_part(std::uint64_t done, std::uint64_t inputs);
    /// The current conversion has ended: its inputs count as done, however far it came.
    void finish();
    /// Removes the line from the terminal, before something else is printed there.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    struct Work {
        double left = 0;    ///< expected seconds of those that are not done
        double done = 0;    ///< expected seconds of those that are done
        double seconds = 0; ///< that those took
    };
    void show(bool now);
    void tell_program();
    void estimate();
    [[nodiscard]] double seconds_left(double elapsed) const;
    /// Of all, 0 to 1. Never less than before: an estimate that grows delays it.
    [[nodiscard]] double share(double elapsed, double left);

    std::mutex mutex_;
    std::FILE* stream_;
    Mode mode_;
    int descriptor_ = -1; ///< of tell()
    Clock::time_point told_{};
    std::uint64_t total_;
    std::uint64_t before_ = 0; ///< inputs of finished conversions
    std::uint64_t inputs_ = 0; ///< of the current one
    std::uint64_t done_ = 0;   ///< of the current one
    std::string name_;
    std::string advice_;
    bool estimated_ = false; ///< of the current conversion or part
    Clock::time_point row_began_ = Clock::now();
    Clock::time_point began_ = Clock::now();
    std::map<std::string, Work> work_;                 ///< by family
    std::map<std::string, Clock::time_point> working_; ///< since when, by name
    Clock::time_point work_began_{};
    double share_ = 0;              ///< the last one
    std::uint64_t part_inputs_ = 0; ///< 0: no part is going on
    /// When the first answers of the conversion or part came, and how many: the start of a worker is no part of a rate.
    Clock::time_point answers_began_{};
    std::uint64_t answers_first_ = 0;
    Clock::time_point shown_ = Clock::now();
    bool on_screen_ = false;
};

/// "12.3 M inputs/s" and the like, three digits.
[[nodiscard]] std::string rate_text(double inputs_per_second);
/// "0:07", "12:34", "1:02:03".
[[nodiscard]] std::string duration_text(double seconds);

} // namespace mxcert::print

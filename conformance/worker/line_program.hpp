// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mxcert::worker {

/// A program of the shell with pipes at its standard input and output. Its standard error is that of this process.
class LineProgram {
  public:
    LineProgram(std::string command, std::string conversion)
        : command_(std::move(command)), conversion_(std::move(conversion)) {}
    ~LineProgram();
    LineProgram(const LineProgram&) = delete;
    LineProgram& operator=(const LineProgram&) = delete;
    LineProgram(LineProgram&&) = delete;
    LineProgram& operator=(LineProgram&&) = delete;

    [[nodiscard]] bool is_running() const { return process_ > 0; }
    /// Starts it. Precondition: it is not running. Throws std::system_error.
    void start();

    /// What became of waiting.
    struct Ready {
        bool takes_input = false;
        bool has_output = false; ///< or its output is at its end
    };
    /// Waits until it has output or, if `wants_input`, takes input. Neither after `milliseconds`; -1: no limit.
    [[nodiscard]] Ready wait(bool wants_input, int milliseconds) const;
    /// Writes what fits: the number of bytes. If it reads no more, its input is closed.
    [[nodiscard]] std::size_t write(std::string_view text);
    [[nodiscard]] bool is_input_open() const { return input_ >= 0; }
    /// It then reads the end of its input.
    void close_input();

    /// Reads what has come, without waiting. False at the end of the output.
    [[nodiscard]] bool read();
    /// Takes the next whole line out of what was read, without its end; the last one may lack an end if the output is
    /// at its end.
    [[nodiscard]] std::optional<std::string_view> next_line();
    /// Whether something is left in what was read.
    [[nodiscard]] bool has_rest() const { return taken_ < text_.size(); }

    /// Waits for its end: "" for exit code 0, else "exit 3" or "signal 11".
    [[nodiscard]] std::string finish();
    /// Ends it.
    void kill();

  private:
    void close_all();

    std::string command_;
    std::string conversion_;
    ::pid_t process_ = -1;
    int input_ = -1;
    int output_ = -1;
    bool at_end_ = false;
    std::string text_;      ///< that was read, from taken_ on
    std::size_t taken_ = 0; ///< of text_
};

} // namespace mxcert::worker

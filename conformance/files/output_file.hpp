// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace mxcert::files {

/// A file that is written at the end of a run, whole or not at all. Opening it checks that it can be written: the
/// folder exists, takes files and has some room, so that a run of minutes does not end with its report lost.
class OutputFile {
  public:
    /// Throws std::runtime_error that names the path and the reason. Creates a file without a name, or a temporary one
    /// beside `path`; where `path` exists and is no regular file (a terminal, a pipe), that is opened and written
    /// itself.
    explicit OutputFile(std::filesystem::path path);
    /// Removes the temporary file if write() was not called.
    ~OutputFile();
    OutputFile(OutputFile&& other) noexcept;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// Writes the text, makes it durable and moves it into place. Once. Throws std::runtime_error.
    void write(std::string_view text);

    /// For what is larger than memory, instead of write(): bytes at a place, from any thread, in any order. Throws
    /// std::runtime_error, for what is no regular file too.
    void put(std::uint64_t offset, std::string_view bytes);
    /// Moves what was put into place. Once. Throws std::runtime_error.
    void finish();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    void create();
    /// Moves it into place, unless there is an error: then it is removed and the error thrown.
    void move_into_place(int error);
    /// Gives a file without a name its temporary one. 0, or the errno of the failure.
    [[nodiscard]] int name();
    void close();

    std::filesystem::path path_;
    std::filesystem::path temporary_; ///< name before the last one; empty: written in place
    int fd_ = -1;
    bool named_ = false; ///< temporary_ is there
};

/// Makes a folder with its parents. Throws std::runtime_error that names it and the reason.
void make_folder(const std::filesystem::path& path);

} // namespace mxcert::files

// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace mxcert::files {
namespace {

// Room that must be there at the start. A report is larger only when many conversions fail.
constexpr std::size_t room = 64 * 1024;
constexpr ::mode_t file_mode = 0666; // less the umask

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
    throw std::runtime_error(
        fmt::format("cannot {} '{}': {}", what, path.string(), std::generic_category().message(error)));
}

// 0, or the errno of the failure.
int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ::ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

} // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
    struct ::stat status {};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail(path_, "write", EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
        fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (fd_ < 0) fail(path_, "open", errno);
        return;
    }
    if (exists && ::access(path_.c_str(), W_OK) != 0) fail(path_, "write", errno);
    // A link is followed, so that the file it names is replaced and not the link.
    std::error_code ignored;
    if (std::filesystem::is_symlink(path_, ignored)) {
        path_ = std::filesystem::weakly_canonical(path_, ignored);
    }
    create();
    const int error = write_all(fd_, std::string(room, ' '));
    if (error != 0 || ::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) != 0) {
        const int reason = error != 0 ? error : errno;
        close();
        fail(path_, "write", reason);
    }
}

void OutputFile::create() {
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
    // A file without a name: whatever ends the program, nothing is left. Not every file system has that.
    fd_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, file_mode);
    named_ = fd_ < 0;
    for (unsigned attempt = 0;; ++attempt) {
        temporary_ = folder / fmt::format(".{}.{}.{}", path_.filename().string(), ::getpid(), attempt);
        if (!named_) return;
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode);
        if (fd_ >= 0) return;
        if (errno != EEXIST || attempt == 1000) {
            const int error = errno;
            temporary_.clear();
            fail(path_, "create", error);
        }
    }
}

int OutputFile::name() {
    if (named_) return 0;
    const std::string self = fmt::format("/proc/self/fd/{}", fd_);
    // Only a file that an earlier process of the same number left behind has this name.
    ::unlink(temporary_.c_str());
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) return errno;
    named_ = true;
    return 0;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})), fd_(std::exchange(other.fd_, -1)),
      named_(std::exchange(other.named_, false)) {}

OutputFile::~OutputFile() { close(); }

void OutputFile::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    if (named_) ::unlink(temporary_.c_str());
    named_ = false;
    temporary_.clear();
}

void OutputFile::write(std::string_view text) {
    if (fd_ < 0) throw std::logic_error("an output file is written once");
    int error = write_all(fd_, text);
    // A pipe or a terminal cannot be synchronised, and need not be.
    if (error == 0 && !temporary_.empty() && ::fsync(fd_) != 0) error = errno;
    move_into_place(error);
}

void OutputFile::put(std::uint64_t offset, std::string_view bytes) {
    if (temporary_.empty()) fail(path_, "write pieces to", ESPIPE);
    while (!bytes.empty()) {
        const ::ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(path_, "write", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
}

void OutputFile::finish() {
    if (fd_ < 0) throw std::logic_error("an output file is finished once");
    move_into_place(0);
}

void OutputFile::move_into_place(int error) {
    if (error == 0 && !temporary_.empty()) error = name();
    if (::close(std::exchange(fd_, -1)) != 0 && error == 0) error = errno;
    if (error == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
    if (error != 0) {
        close();
        fail(path_, "write", error);
    }
    named_ = false;
    temporary_.clear();
}

void make_folder(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error && !std::filesystem::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
    if (error) throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", path.string(), error.message()));
}

} // namespace mxcert::files

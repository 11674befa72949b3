// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace mxcert::worker {

SharedMemory::SharedMemory(int fd, std::uint64_t bytes) {
    const auto fail = [fd](const std::string& text) {
        throw std::runtime_error("shared memory, descriptor " + std::to_string(fd) + ": " + text);
    };
    struct stat status {};
    if (::fstat(fd, &status) != 0) fail(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) fail("not a file that can be mapped");
    if (bytes == 0 || bytes > std::numeric_limits<std::size_t>::max() ||
        static_cast<std::uint64_t>(status.st_size) < bytes) {
        fail(std::to_string(bytes) + " bytes are asked for, the file has " + std::to_string(status.st_size));
    }
    void* data = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) fail(std::strerror(errno));
    data_ = static_cast<std::byte*>(data);
    bytes_ = bytes;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

SharedMemory::~SharedMemory() {
    if (data_ != nullptr) ::munmap(data_, static_cast<std::size_t>(bytes_));
}

std::byte* SharedMemory::at(std::uint64_t offset, std::uint64_t count, unsigned width) const {
    if (offset > bytes_ || offset % width != 0 || count > (bytes_ - offset) / width) return nullptr;
    return data_ + offset;
}

} // namespace mxcert::worker

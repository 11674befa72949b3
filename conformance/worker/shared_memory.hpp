// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxcert::worker {

/// Memory shared with the harness, mapped from a descriptor that START names.
class SharedMemory {
  public:
    /// None: size() is 0.
    SharedMemory() = default;
    /// Maps the first `bytes` bytes. Throws std::runtime_error if the descriptor is no file of at least that length:
    /// reading beyond its end would kill the process.
    SharedMemory(int fd, std::uint64_t bytes);
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    ~SharedMemory();

    [[nodiscard]] std::uint64_t size() const { return bytes_; }

    /// Where `count` values of `width` bytes each at `offset` lie. Nullptr unless all of them are inside and `offset`
    /// is a multiple of `width`; no sum or product of hostile numbers overflows here. `width` is at least 1.
    [[nodiscard]] std::byte* at(std::uint64_t offset, std::uint64_t count, unsigned width) const;

  private:
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

} // namespace mxcert::worker

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "conformance/process/file_descriptor.hpp"

namespace mxcert::process {

/// Memory that a worker maps too: an anonymous file, zero-filled. It is sealed against shrinking, so that a worker
/// cannot make the harness fault by cutting it off.
class SharedMemory {
  public:
    /// Throws std::system_error.
    explicit SharedMemory(std::size_t bytes);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
    /// Gives the pages of this part back to the system, as far as that can be: it is zeros again.
    void forget(std::uint64_t offset, std::uint64_t bytes) const;

  private:
    FileDescriptor fd_;
    std::span<std::byte> bytes_;
};

/// Where the parts of a request lie in the memory of a worker. Every part may be moved up by `max_shift` bytes, to give
/// the backend another alignment, and the output has guard zones right before and after it.
namespace layout {
inline constexpr std::uint64_t slots = 4;              ///< requests in flight
inline constexpr std::uint64_t max_count = 256 * 1024; ///< values of a request of any output width
inline constexpr std::uint64_t output_bytes = max_count * 8;
inline constexpr std::uint64_t max_points = 64 * 1024; ///< values of a request with inputs
inline constexpr std::uint64_t guard = 4096;           ///< bytes of a guard zone
inline constexpr std::uint64_t max_shift = 4096;       ///< bytes
inline constexpr std::uint64_t inputs = 0;             ///< offsets within a slot
inline constexpr std::uint64_t randoms = inputs + max_points * 8 + max_shift;
inline constexpr std::uint64_t outputs = randoms + max_points * 4 + max_shift + guard;
inline constexpr std::uint64_t slot_bytes = outputs + output_bytes + max_shift + guard;
inline constexpr std::uint64_t total_bytes = slots * slot_bytes;
/// Behind the slots the arrays of runs: as many as a frame could carry each way, and what lies around them. Of this
/// memory only what is written is there.
inline constexpr std::uint64_t runs = total_bytes;
inline constexpr std::uint64_t run_bytes = (std::uint64_t{1} << 30) + (std::uint64_t{1} << 20);
/// Values of a request whose inputs the worker makes: as many outputs of `width` bytes as there is room for, up to 1
/// Mi. A request costs two wakes, which is as much as thousands of values.
[[nodiscard]] constexpr std::uint64_t most_made(std::uint64_t width) {
    return std::min<std::uint64_t>(output_bytes / width, 4 * max_count);
}
} // namespace layout

/// Memory of one size that is used again, as making and clearing its pages takes longer than most requests. Any number
/// of threads may use it.
class SpareMemory {
  public:
    explicit SpareMemory(std::size_t bytes);
    /// Memory that nobody else has. It comes back when the last pointer goes: the processes that map it must have ended
    /// by then. The slots have what was left there, and zeros are behind them. Throws as SharedMemory does.
    [[nodiscard]] std::shared_ptr<SharedMemory> take() const;

  private:
    struct Spares;
    std::size_t bytes_;
    std::shared_ptr<Spares> spares_; ///< of the pointers as well, which may outlive this
};

/// Fills the guard zones around an output area. Precondition: `guard` bytes on both sides belong to the memory.
void set_guards(std::span<std::byte> memory, std::uint64_t offset, std::uint64_t bytes);
/// Whether both are as set_guards() left them.
[[nodiscard]] bool guards_intact(std::span<const std::byte> memory, std::uint64_t offset, std::uint64_t bytes);

/// Bytes of the three parts of a slot that requests use, without their guards and shifts.
struct UsedParts {
    std::uint64_t inputs = 0;
    std::uint64_t randoms = 0;
    std::uint64_t outputs = 0;
};
/// Fills the slots in the memory of a worker with what set_guards() writes.
void set_backdrop(std::span<std::byte> memory);
/// Whether what no request uses is as set_backdrop() left it: a write far outside a buffer shows here.
[[nodiscard]] bool backdrop_intact(std::span<const std::byte> memory, const UsedParts& used);

} // namespace mxcert::process

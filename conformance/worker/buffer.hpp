// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace mxcert::worker {

/// Memory aligned to a cache line that is kept from request to request.
class Buffer {
  public:
    /// At least `count` values of `width` bytes and `extra` bytes. The contents are lost when it grows. Throws
    /// std::bad_alloc, also for sizes no memory has.
    std::byte* reserve(std::uint64_t count, unsigned width, std::uint64_t extra) {
        constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max() / 2;
        if (extra > most || count > (most - extra) / width) throw std::bad_alloc();
        const auto bytes = static_cast<std::size_t>(count * width + extra);
        if (bytes > bytes_) {
            data_.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
            bytes_ = bytes;
        }
        return data_.get();
    }

  private:
    static constexpr std::align_val_t alignment{64};
    struct Delete {
        void operator()(std::byte* data) const { ::operator delete(data, alignment); }
    };
    std::unique_ptr<std::byte, Delete> data_;
    std::size_t bytes_ = 0;
};

} // namespace mxcert::worker

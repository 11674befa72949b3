// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "reference/base/random.hpp"

namespace mxcert::process {
namespace {

// Bytes that no kernel writes by chance, unlike a constant one.
const std::array<std::byte, layout::guard>& guard_bytes() {
    static const auto bytes = [] {
        std::array<std::byte, layout::guard> bytes{};
        SplitMix64 random(0x6775617264);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 56);
        return bytes;
    }();
    return bytes;
}

} // namespace

SharedMemory::SharedMemory(std::size_t bytes) : fd_(::memfd_create("mxcert", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (!fd_.is_open() || ::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0 ||
        ::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot make shared memory");
    void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (address == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "cannot map shared memory");
    bytes_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::~SharedMemory() { ::munmap(bytes_.data(), bytes_.size()); }

void SharedMemory::forget(std::uint64_t offset, std::uint64_t bytes) const {
    (void)::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                      static_cast<off_t>(bytes));
}

struct SpareMemory::Spares {
    std::mutex lock;
    std::vector<std::unique_ptr<SharedMemory>> free;
};

SpareMemory::SpareMemory(std::size_t bytes) : bytes_(bytes), spares_(std::make_shared<Spares>()) {}

std::shared_ptr<SharedMemory> SpareMemory::take() const {
    std::unique_ptr<SharedMemory> memory;
    {
        const std::lock_guard<std::mutex> held(spares_->lock);
        if (!spares_->free.empty()) {
            memory = std::move(spares_->free.back());
            spares_->free.pop_back();
        }
    }
    if (!memory) memory = std::make_unique<SharedMemory>(bytes_);
    return {memory.release(), [spares = spares_](SharedMemory* used) {
                std::unique_ptr<SharedMemory> owned(used);
                owned->forget(layout::runs, owned->bytes().size() - layout::runs);
                const std::lock_guard<std::mutex> held(spares->lock);
                spares->free.push_back(std::move(owned));
            }};
}

void set_guards(std::span<std::byte> memory, std::uint64_t offset, std::uint64_t bytes) {
    std::memcpy(memory.data() + offset - layout::guard, guard_bytes().data(), layout::guard);
    std::memcpy(memory.data() + offset + bytes, guard_bytes().data(), layout::guard);
}

bool guards_intact(std::span<const std::byte> memory, std::uint64_t offset, std::uint64_t bytes) {
    return std::memcmp(memory.data() + offset - layout::guard, guard_bytes().data(), layout::guard) == 0 &&
           std::memcmp(memory.data() + offset + bytes, guard_bytes().data(), layout::guard) == 0;
}

namespace {

// The pattern repeats with the guards' size, from the start of the memory.
bool is_backdrop(std::span<const std::byte> memory, std::uint64_t first, std::uint64_t end) {
    const auto& pattern = guard_bytes();
    while (first < end) {
        const std::uint64_t in_pattern = first % pattern.size();
        const std::uint64_t length = std::min<std::uint64_t>(pattern.size() - in_pattern, end - first);
        if (std::memcmp(memory.data() + first, pattern.data() + in_pattern, length) != 0) return false;
        first += length;
    }
    return true;
}

} // namespace

void set_backdrop(std::span<std::byte> memory) {
    static_assert(layout::total_bytes % layout::guard == 0);
    for (std::size_t at = 0; at + layout::guard <= layout::total_bytes; at += layout::guard)
        std::memcpy(memory.data() + at, guard_bytes().data(), layout::guard);
}

bool backdrop_intact(std::span<const std::byte> memory, const UsedParts& used) {
    const auto end_of = [](std::uint64_t start, std::uint64_t bytes) {
        return bytes == 0 ? start : start + bytes + layout::max_shift;
    };
    for (std::uint64_t slot = 0; slot < layout::slots; ++slot) {
        const std::uint64_t base = slot * layout::slot_bytes;
        if (!is_backdrop(memory, base + end_of(layout::inputs, used.inputs), base + layout::randoms) ||
            !is_backdrop(memory, base + end_of(layout::randoms, used.randoms),
                         base + layout::outputs - layout::guard) ||
            !is_backdrop(memory, base + end_of(layout::outputs, used.outputs) + layout::guard,
                         base + layout::slot_bytes))
            return false;
    }
    return true;
}

} // namespace mxcert::process

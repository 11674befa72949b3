// SPDX-License-Identifier: Apache-2.0
#include "conformance/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "reference/random.hpp"

namespace mxcert {
namespace {

// Bytes that no kernel writes by chance, unlike a constant one.
const std::array<std::byte, layout::guard>& guard_bytes() {
    static const auto bytes = [] {
        std::array<std::byte, layout::guard> made{};
        SplitMix64 random(0x6775617264);
        for (std::byte& byte : made) byte = static_cast<std::byte>(random() >> 56);
        return made;
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

void set_guards(std::span<std::byte> memory, std::uint64_t offset, std::uint64_t bytes) {
    std::memcpy(memory.data() + offset - layout::guard, guard_bytes().data(), layout::guard);
    std::memcpy(memory.data() + offset + bytes, guard_bytes().data(), layout::guard);
}

bool guards_intact(std::span<const std::byte> memory, std::uint64_t offset, std::uint64_t bytes) {
    return std::memcmp(memory.data() + offset - layout::guard, guard_bytes().data(), layout::guard) == 0 &&
           std::memcmp(memory.data() + offset + bytes, guard_bytes().data(), layout::guard) == 0;
}

} // namespace mxcert

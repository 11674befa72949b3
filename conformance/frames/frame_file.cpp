// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/frame_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace mxcert::frames {

FrameFile::FrameFile(const std::filesystem::path& path) : path_(path) {
    // Without O_NONBLOCK the open of a FIFO would wait for a writer.
    fd_ = process::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct ::stat status {};
    if (!fd_.is_open() || ::fstat(fd_.get(), &status) != 0)
        throw std::runtime_error(
            fmt::format("cannot read '{}': {}", path.string(), std::generic_category().message(errno)));
    if (!S_ISREG(status.st_mode)) throw std::runtime_error(fmt::format("'{}' is no regular file", path.string()));
    size_ = static_cast<std::uint64_t>(status.st_size);
}

void FrameFile::read(std::uint64_t position, void* to, std::size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
        const ssize_t size = ::pread(fd_.get(), at, bytes, static_cast<off_t>(position));
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0)
            throw frames::Error(fmt::format("cannot read '{}' at byte {}: {}", path_.string(), position,
                                            size == 0 ? "it became shorter" : std::generic_category().message(errno)));
        at += size;
        position += static_cast<std::uint64_t>(size);
        bytes -= static_cast<std::size_t>(size);
    }
}

frames::Header FrameFile::header(std::uint64_t position) {
    cut_ = false;
    const std::uint64_t left = size_ - std::min(size_, position);
    if (left == 0) {
        cut_ = true;
        throw frames::Error(fmt::format("ends at byte {}, where a frame should start", size_));
    }
    std::array<std::byte, frames::header_bytes> bytes{};
    const auto there = static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size()));
    read(position, bytes.data(), there);
    // The magic is checked also where the header is cut off: text is no frame, however short.
    cut_ = there < bytes.size();
    frames::Header header;
    try {
        header = frames::decode_header(std::span(bytes).first(there), position);
    } catch (const frames::Error&) {
        std::uint32_t first = 0;
        for (std::size_t i = 0; i < sizeof first && i < there; ++i)
            first |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
        if (there >= sizeof first && first != frames::magic) cut_ = false;
        throw;
    }
    if (left - frames::header_bytes < header.length) {
        cut_ = true;
        throw frames::Error(fmt::format("ends at byte {}, inside the frame that starts at byte {}: {} of {} bytes",
                                        size_, position, left, frames::header_bytes + header.length));
    }
    return header;
}

std::vector<std::byte> FrameFile::payload(std::uint64_t position, const frames::Header& header,
                                          std::uint64_t most) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(header.length, most)));
    read(position + frames::header_bytes, bytes.data(), bytes.size());
    return bytes;
}

} // namespace mxcert::frames

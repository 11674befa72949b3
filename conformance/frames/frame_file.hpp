// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "conformance/process/file_descriptor.hpp"

namespace mxcert::frames {

/// Frames in a regular file, at any place of it.
class FrameFile {
  public:
    /// Throws std::runtime_error that names a file that cannot be opened or is no regular one.
    explicit FrameFile(const std::filesystem::path& path);

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// The header of the frame at a position. Throws frames::Error if there is none, it is broken, or the file ends
    /// before its payload does: cut() then tells that this was the reason.
    [[nodiscard]] frames::Header header(std::uint64_t position);
    /// The first bytes of the payload of that frame, at most `most`.
    [[nodiscard]] std::vector<std::byte> payload(std::uint64_t position, const frames::Header& header,
                                                 std::uint64_t most = frames::max_payload) const;
    /// Where the frame after that one starts.
    [[nodiscard]] static std::uint64_t after(std::uint64_t position, const frames::Header& header) {
        return position + frames::header_bytes + header.length;
    }
    /// Whether the last header() failed because the file is too short.
    [[nodiscard]] bool cut() const { return cut_; }

  private:
    void read(std::uint64_t position, void* to, std::size_t bytes) const;

    std::filesystem::path path_;
    process::FileDescriptor fd_;
    std::uint64_t size_ = 0;
    bool cut_ = false;
};

} // namespace mxcert::frames

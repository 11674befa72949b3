// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/file_descriptor.hpp"

#include <unistd.h>

#include <utility>

namespace mxcert::process {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = other.release();
    }
    return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::close() {
    if (fd_ >= 0) ::close(release());
}

} // namespace mxcert::process

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxcert::worker {

/// The descriptors that carry the frames. Close-on-exec, so that no process a plugin starts holds them open.
struct Streams {
    int requests = -1;
    int answers = -1;
};

/// Takes standard input and output away from whatever code runs later: descriptor 0 becomes /dev/null and descriptor 1
/// goes where standard error goes, so a plugin that prints or reads never touches a frame. To be called before a plugin
/// is loaded, for a library prints from its constructors too. Throws std::system_error.
[[nodiscard]] Streams take_streams();

} // namespace mxcert::worker

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace mxcert::process {

/// Calls `start` on a thread that lasts as long as the program, and gives what it returns. Linux sends a child the
/// signal of PR_SET_PDEATHSIG, by which a worker follows a harness that was killed, when the *thread* ends that started
/// it: started by any other thread it would be killed while it is in use. Precondition: `start` throws nothing.
[[nodiscard]] int start_by_lasting_thread(const std::function<int()>& start);

} // namespace mxcert::process

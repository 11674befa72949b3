// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace mxcert {

/// Calls work(0) to work(count - 1), each once and from any thread, on so many of them (0: one a core). What a call
/// throws keeps others from beginning, and is thrown again when those that run have ended.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

} // namespace mxcert

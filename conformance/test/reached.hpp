// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "vectors/test/temporary_folder.hpp"

namespace mxcert::test {

/// Sets a flag when a backend that this process starts has come so far: `events` times what conformance/test/reached.h
/// says of it. One at a time.
class SetWhenReached {
  public:
    SetWhenReached(std::atomic<bool>& flag, std::uintmax_t events) {
        const std::filesystem::path file = folder_.path() / "reached";
        ::setenv(variable, file.c_str(), 1); // NOLINT(concurrency-mt-unsafe): before the thread
        waiting_ = std::jthread([&flag, events, file](const std::stop_token& over) {
            std::error_code absent;
            while (!over.stop_requested()) {
                const std::uintmax_t bytes = std::filesystem::file_size(file, absent);
                if (!absent && bytes >= events) break;
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            if (!over.stop_requested()) flag = true;
        });
    }
    ~SetWhenReached() {
        waiting_ = {};
        ::unsetenv(variable); // NOLINT(concurrency-mt-unsafe): after the thread
    }
    SetWhenReached(const SetWhenReached&) = delete;
    SetWhenReached& operator=(const SetWhenReached&) = delete;

  private:
    static constexpr const char* variable = "MXCERT_TEST_REACHED";
    TemporaryFolder folder_;
    std::jthread waiting_;
};

} // namespace mxcert::test

// SPDX-License-Identifier: Apache-2.0
#include "vectors/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace mxcert {

void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    std::mutex lock;
    std::exception_ptr failure;
    const auto run = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) work(i);
        } catch (...) {
            const std::lock_guard<std::mutex> held(lock);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    try {
        for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) others.emplace_back(run);
    } catch (const std::system_error&) { // too many threads for this machine: those that run do the work
    }
    run();
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

} // namespace mxcert

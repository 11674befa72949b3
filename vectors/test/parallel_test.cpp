// SPDX-License-Identifier: Apache-2.0
#include "vectors/base/parallel.hpp"

#include <atomic>
#include <filesystem>
#include <iterator>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

#include "catch.hpp"

using namespace mxcert;

TEST_CASE("work in parallel is all done, once each", "[parallel]") {
    for (const unsigned threads : {0U, 1U, 3U}) {
        std::atomic<std::size_t> sum = 0;
        in_parallel(100, threads, [&](std::size_t i) { sum += i + 1; });
        CHECK(sum == 5050);
    }
}

TEST_CASE("work on one thread is done by the caller, which starts no other", "[parallel]") {
    const auto threads = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                             std::filesystem::directory_iterator());
    };
    const auto before = threads();
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> alone = true;
    const auto work = [&](std::size_t) {
        if (std::this_thread::get_id() != caller || threads() > before) alone = false;
    };
    in_parallel(20, 1, work);
    in_parallel(1, 8, work);
    CHECK(alone);
}

TEST_CASE("the first of several failures in parallel is thrown, and nothing more is begun", "[parallel]") {
    std::latch both(2);
    std::atomic<int> begun = 0;
    const auto work = [&](std::size_t) {
        ++begun;
        both.arrive_and_wait();
        throw std::runtime_error("one failed");
    };
    CHECK_THROWS_WITH(in_parallel(2, 2, work), "one failed");
    CHECK(begun == 2);
    std::size_t done = 0;
    CHECK_THROWS_WITH(in_parallel(10, 1,
                                  [&](std::size_t i) {
                                      if (i == 3) throw std::runtime_error("the fourth failed");
                                      ++done;
                                  }),
                      "the fourth failed");
    CHECK(done == 3);
}

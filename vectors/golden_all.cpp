// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_all.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "vectors/golden_csv.hpp"

namespace mxcert {

std::string golden_file_name(const Format& from, const Format& to) {
    return std::string(from.name) + "-" + std::string(to.name) + ".csv";
}

// Nothing but the standard library here: it is part of the generator that is cross-compiled by one command.
std::vector<GoldenText> generate_all_golden(unsigned threads, const std::function<void(const GoldenText&)>& done,
                                            const std::vector<GoldenPair>& pairs) {
    std::vector<GoldenText> all(pairs.size());
    std::atomic<std::size_t> next{0};
    std::mutex lock;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < pairs.size(); i = next++) {
                GoldenText& one = all[i];
                one.name = golden_file_name(*pairs[i].from, *pairs[i].to);
                one.golden = generate_golden(*pairs[i].from, *pairs[i].to);
                one.text = write_golden(one.golden);
                const std::lock_guard<std::mutex> held(lock);
                if (done) done(one);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> held(lock);
            if (!failure) failure = std::current_exception();
            next = pairs.size();
        }
    };
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return all;
}

} // namespace mxcert

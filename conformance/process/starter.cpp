// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/starter.hpp"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>

namespace mxcert::process {
namespace {

class Starter {
  public:
    Starter() {
        // Signals are for the threads that wait for processes.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        thread_ = std::thread([this] { run(); });
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ~Starter() {
        {
            const std::lock_guard<std::mutex> held(lock_);
            ends_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    Starter(const Starter&) = delete;
    Starter& operator=(const Starter&) = delete;

    int start(const std::function<int()>& wanted) {
        const std::lock_guard<std::mutex> one_at_a_time(turn_);
        std::unique_lock<std::mutex> held(lock_);
        result_.reset();
        wanted_ = &wanted;
        changed_.notify_all();
        changed_.wait(held, [this] { return result_.has_value(); });
        return *result_;
    }

  private:
    void run() {
        std::unique_lock<std::mutex> held(lock_);
        for (;;) {
            changed_.wait(held, [this] { return wanted_ != nullptr || ends_; });
            if (wanted_ == nullptr) return;
            result_ = (*wanted_)();
            wanted_ = nullptr;
            changed_.notify_all();
        }
    }

    std::mutex turn_;
    std::mutex lock_;
    std::condition_variable changed_;
    const std::function<int()>* wanted_ = nullptr;
    std::optional<int> result_;
    bool ends_ = false;
    std::thread thread_;
};

} // namespace

int start_by_lasting_thread(const std::function<int()>& start) {
    static Starter starter;
    return starter.start(start);
}

} // namespace mxcert::process

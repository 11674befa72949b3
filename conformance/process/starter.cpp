// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/starter.hpp"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace mxcert::process {

struct Starter::Thread {
    explicit Thread(std::function<void()> to_prepare) : prepare(std::move(to_prepare)) {
        // Signals are for the threads that wait for processes.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        thread = std::thread([this] { run(); });
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        std::unique_lock<std::mutex> held(lock);
        changed.wait(held, [this] { return is_ready; });
    }
    ~Thread() {
        {
            const std::lock_guard<std::mutex> held(lock);
            ends = true;
        }
        changed.notify_all();
        thread.join();
    }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    int start(const std::function<int()>& to_start) {
        const std::lock_guard<std::mutex> one_at_a_time(turn);
        std::unique_lock<std::mutex> held(lock);
        result.reset();
        wanted = &to_start;
        changed.notify_all();
        changed.wait(held, [this] { return result.has_value(); });
        return *result;
    }

    void run() {
        if (prepare) prepare();
        std::unique_lock<std::mutex> held(lock);
        is_ready = true;
        changed.notify_all();
        for (;;) {
            changed.wait(held, [this] { return wanted != nullptr || ends; });
            if (wanted == nullptr) return;
            result = (*wanted)();
            wanted = nullptr;
            changed.notify_all();
        }
    }

    std::function<void()> prepare;
    std::mutex turn;
    std::mutex lock;
    std::condition_variable changed;
    const std::function<int()>* wanted = nullptr;
    std::optional<int> result;
    bool is_ready = false;
    bool ends = false;
    std::thread thread;
};

Starter::Starter(std::function<void()> prepare) : thread_(std::make_unique<Thread>(std::move(prepare))) {}

Starter::~Starter() = default;

int Starter::start(const std::function<int()>& start) { return thread_->start(start); }

const std::shared_ptr<Starter>& Starter::common() {
    static const std::shared_ptr<Starter> starter = std::make_shared<Starter>();
    return starter;
}

} // namespace mxcert::process

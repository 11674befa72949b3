// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace mxcert::process {

/// A thread that starts processes, and lasts as long as this object. Linux sends a child the signal of
/// PR_SET_PDEATHSIG, by which a worker follows a harness that was killed, when the *thread* ends that started it:
/// started by any other thread it would be killed while it is in use.
///
/// A child inherits what its thread may do: `prepare`, called first on the thread, may restrict it, and with it every
/// child. The other threads of the program stay as they are. Any number of threads may use one of them.
class Starter {
  public:
    /// Returns once `prepare` has been called. Precondition: it throws nothing; may be empty.
    explicit Starter(std::function<void()> prepare = {});
    ~Starter();
    Starter(const Starter&) = delete;
    Starter& operator=(const Starter&) = delete;

    /// Calls `start` on the thread, and gives what it returns. Precondition: it throws nothing.
    [[nodiscard]] int start(const std::function<int()>& start);

    /// The one of this program that restricts nothing.
    [[nodiscard]] static const std::shared_ptr<Starter>& common();

  private:
    struct Thread;
    std::unique_ptr<Thread> thread_;
};

} // namespace mxcert::process

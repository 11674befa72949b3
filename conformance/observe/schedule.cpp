// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/schedule.hpp"

#include <algorithm>

#include "conformance/inputs/run_length.hpp"

namespace mxcert::observe {

Schedule::Schedule(std::vector<inputs::Block> blocks, bool limit_steps, Simplify simplify, std::size_t gaps)
    : blocks_(std::move(blocks)), limit_steps_(limit_steps), simplify_(std::move(simplify)), most_(max_steps + gaps),
      gather_(most_), limit_(blocks_.size()) {}

std::optional<std::size_t> Schedule::take() {
    const std::scoped_lock lock(mutex_);
    if (ended_ || next_ >= limit_) return std::nullopt;
    // A noisy backend fills the memory while one slow block is waited for. The front block itself never waits: another
    // thread has it.
    if (waiting_steps_ > max_waiting) return std::nullopt;
    return next_++;
}

bool Schedule::finished() {
    const std::scoped_lock lock(mutex_);
    return ended_ || next_ >= limit_;
}

bool Schedule::wanted(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    return !ended_ && index < limit_;
}

void Schedule::complete(std::size_t index, BlockResult result) {
    {
        const std::scoped_lock lock(mutex_);
        done_ += blocks_[index].count;
        waiting_steps_ += result.steps.size();
        waiting_.emplace(index, std::move(result));
        advance();
    }
    changed_.notify_all();
}

void Schedule::fail(std::size_t index, BlockFailure failure) {
    {
        const std::scoped_lock lock(mutex_);
        failures_.emplace(index, std::move(failure));
        lower_limit();
        advance();
    }
    changed_.notify_all();
}

void Schedule::fail_all(BlockFailure failure) {
    {
        const std::scoped_lock lock(mutex_);
        if (!everything_failed_) everything_failed_ = std::move(failure);
        ended_ = true;
    }
    changed_.notify_all();
}

void Schedule::stop() {
    {
        const std::scoped_lock lock(mutex_);
        outcome_.stopped = ended_ = true;
    }
    changed_.notify_all();
}

void Schedule::note_time(std::chrono::milliseconds time) {
    const std::scoped_lock lock(mutex_);
    outcome_.slowest = std::max(outcome_.slowest, time);
}

void Schedule::note_bad_end(BlockFailure failure) {
    const std::scoped_lock lock(mutex_);
    if (!bad_end_) bad_end_ = std::move(failure);
}

void Schedule::wait_for_change(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time);
}

std::uint64_t Schedule::wait_for_leave(std::size_t threads, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    leaving_.wait_for(lock, time, [&] { return left_ >= threads; });
    return done_;
}

void Schedule::leave() {
    {
        const std::scoped_lock lock(mutex_);
        ++left_;
    }
    leaving_.notify_all();
}

std::size_t Schedule::left() {
    const std::scoped_lock lock(mutex_);
    return left_;
}

void Schedule::lower_limit() {
    std::size_t count = 0;
    for (const auto& [index, failure] : failures_) {
        if (++count < max_failures && failure.status != Status::unsupported) continue;
        limit_ = std::min(limit_, index + 1);
        return;
    }
}

void Schedule::join(std::size_t index, BlockResult&& result) {
    if (outcome_.simplified) simplify_(result.steps);
    outcome_.neighbours += result.neighbours;
    outcome_.differing += result.differing;
    append(result.steps);
    outcome_.asked += blocks_[index].count;
    if (outcome_.unwritten == 0) outcome_.unwritten_at = std::move(result.unwritten_at);
    outcome_.unwritten += result.unwritten;
    if (result.repeated) outcome_.repeated += blocks_[index].count;
    if (result.flaw && !flaw_) flaw_ = std::move(result.flaw);
}

void Schedule::append(const std::vector<Step>& of_block) {
    std::vector<Step>& steps = outcome_.steps;
    std::vector<std::size_t> ends;
    ends.reserve(of_block.size());
    auto end = ends_.begin();
    for (const Step& step : of_block) {
        while (end != ends_.end() && steps[*end].last + 1 < step.first) ++end;
        if (end != ends_.end() && steps[*end].last + 1 == step.first && steps[*end].code == step.code) {
            steps[*end].last = step.last;
            ends.push_back(*end++);
        } else {
            ends.push_back(steps.size());
            steps.push_back(step);
        }
    }
    ends_ = std::move(ends);
}

void Schedule::advance() {
    while (front_ < limit_) {
        const auto ready = waiting_.find(front_);
        if (ready != waiting_.end()) {
            waiting_steps_ -= ready->second.steps.size();
            join(front_, std::move(ready->second));
            waiting_.erase(ready);
        } else if (!failures_.contains(front_)) {
            return;
        }
        ++front_;
        if (limit_steps_ && outcome_.steps.size() > gather_ && !gather(most_)) {
            outcome_.irregular = true;
            limit_ = front_;
        }
    }
}

bool Schedule::gather(std::size_t most) {
    ends_.clear();
    std::vector<Step>& steps = outcome_.steps;
    const auto order = [&] {
        const auto before = [](const Step& a, const Step& b) { return a.first < b.first; };
        if (!std::is_sorted(steps.begin(), steps.end(), before)) std::sort(steps.begin(), steps.end(), before);
        std::size_t kept = 0;
        for (const Step& step : steps) {
            if (kept != 0 && steps[kept - 1].code == step.code && steps[kept - 1].last + 1 == step.first)
                steps[kept - 1].last = step.last;
            else
                steps[kept++] = step;
        }
        steps.resize(kept);
    };
    order();
    if (limit_steps_ && steps.size() > most && simplify_ && !outcome_.simplified) {
        simplify_(steps);
        outcome_.simplified = true;
        order();
    }
    // Not at each block again: it takes its time.
    gather_ = std::max(most_, 2 * steps.size());
    if (!limit_steps_ || steps.size() <= most) return true;
    steps.resize(max_steps);
    return false;
}

Schedule::Outcome Schedule::finish() {
    // Only a run that was stopped or could not go on leaves gaps here; what lies beyond them was answered all the same.
    for (auto& [index, result] : waiting_)
        if (index < limit_) join(index, std::move(result));
    failures_.erase(failures_.lower_bound(limit_), failures_.end());

    outcome_.failures = failures_.size();
    for (const auto& [index, failure] : failures_) outcome_.failed.emplace_back(blocks_[index], failure);
    if (!failures_.empty()) {
        outcome_.failure = std::move(failures_.begin()->second);
        if (flaw_) outcome_.failure->reason += "; also " + flaw_->reason;
    } else if (everything_failed_)
        outcome_.failure = std::move(everything_failed_);
    else if (flaw_)
        outcome_.failure = std::move(flaw_);
    else if (bad_end_)
        outcome_.failure = std::move(bad_end_);
    if (!gather(max_steps)) outcome_.irregular = true;
    for (const Step& step : outcome_.steps) outcome_.answered += step.last - step.first + 1;
    outcome_.whole = front_ == blocks_.size() && failures_.empty() && outcome_.unwritten == 0 && !outcome_.irregular;
    return std::move(outcome_);
}

} // namespace mxcert::observe

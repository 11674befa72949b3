// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/asker.hpp"

#include <algorithm>

#include "conformance/inputs/run_length.hpp"
#include "reference/code_text.hpp"

namespace mxcert::observe {
namespace {

using namespace std::chrono_literals;

constexpr const char* changed_reason = "answers changed when asked again";

} // namespace

std::string Exchange::name_of(const inputs::Block& block) const {
    return "inputs " + code_text(from(), input_at(block.first)) + " to " +
           code_text(from(), input_at(block.first + block.count - 1));
}

std::string Exchange::name_of_input(Code place) const { return "input " + code_text(from(), input_of(place)); }

bool Asker::start_worker() {
    try {
        worker_ = asking_.start();
        asking_.exchange.prepare(*worker_);
    } catch (const std::exception& error) {
        // One that was not given the time to start is not to blame.
        if (asking_.options.stop != nullptr && asking_.options.stop->load())
            asking_.schedule.stop();
        else
            asking_.schedule.fail_all({Status::error, error.what(), {}});
        return false;
    }
    return true;
}

void Asker::run(std::unique_ptr<WorkerClient> worker) {
    worker_ = std::move(worker);
    if (worker_) asking_.exchange.prepare(*worker_);
    for (std::uint64_t slot = 0; slot < process::layout::slots; ++slot) free_slots_.push_back(slot);
    for (;;) {
        if (asking_.options.stop != nullptr && asking_.options.stop->load(std::memory_order_relaxed)) {
            asking_.schedule.stop();
            return;
        }
        std::erase_if(queue_, [this](const Task& task) { return !asking_.schedule.wanted(task.block); });
        if (!worker_ && !(asking_.schedule.finished() && queue_.empty()) && !start_worker()) return;
        if (worker_) fill();
        if (!flying_.empty()) {
            if (!receive()) return;
        } else if (queue_.empty()) {
            if (asking_.schedule.finished()) break;
            asking_.schedule.wait_for_change(50ms);
        }
    }
    if (!worker_) return;
    look_for_far_writes();
    const std::string reason = worker_->finish(asking_.options.timeout);
    if (reason.empty()) return;
    if (asking_.options.stop != nullptr && asking_.options.stop->load())
        asking_.schedule.stop();
    else
        asking_.schedule.note_bad_end({Status::error, "the worker did not end well: " + reason, worker_->last_words()});
}

void Asker::look_for_far_writes() {
    if (const std::string reason = asking_.exchange.far_writes(*worker_); !reason.empty())
        asking_.schedule.note_bad_end({Status::error, reason, worker_->last_words()});
}

std::optional<Asker::Task> Asker::next_task() {
    while (!queue_.empty()) {
        Task task = std::move(queue_.front());
        queue_.pop_front();
        if (asking_.schedule.wanted(task.block)) return task;
    }
    if (const auto block = asking_.schedule.take()) return Task{*block, false, {}, 0};
    return std::nullopt;
}

void Asker::fill() {
    while (!free_slots_.empty()) {
        auto task = next_task();
        if (!task) return;
        send(std::move(*task));
    }
}

void Asker::send(Task task) {
    Request request{std::move(task), free_slots_.back()};
    free_slots_.pop_back();
    asking_.exchange.send(*worker_, asking_.index, asking_.schedule.block(request.task.block), request.turn(),
                          scratch_);
    flying_.push_back(std::move(request));
}

void Asker::fail(const Task& task, Status status, const std::string& reason, BlockFailure::Kind kind) {
    const std::string where = asking_.exchange.name_of(asking_.schedule.block(task.block));
    asking_.schedule.fail(task.block,
                          {status, reason + " (" + where + ")", worker_->last_words(), kind, task.again, reason});
}

void Asker::worker_gone(const Request& request, const std::string& reason, BlockFailure::Kind kind) {
    fail(request.task, Status::error, reason, kind);
    worker_.reset();
    // Answers come in order: what was sent after the oldest request is not to blame and is asked of the next worker.
    free_slots_.push_back(request.slot);
    for (; !flying_.empty(); flying_.pop_back()) {
        free_slots_.push_back(flying_.back().slot);
        queue_.push_front(std::move(flying_.back().task));
    }
}

bool Asker::receive() {
    Request request = std::move(flying_.front());
    flying_.pop_front();
    const std::uint64_t times = asking_.exchange.times(asking_.schedule.block(request.task.block).count);
    const auto sent = std::chrono::steady_clock::now();
    const Answer answer = worker_->receive(asking_.options.timeout * static_cast<int>(times));
    using Failure = BlockFailure::Kind;
    switch (answer.kind) {
    case Answer::Kind::stopped: asking_.schedule.stop(); return false;
    case Answer::Kind::died: worker_gone(request, answer.message, Failure::died); return true;
    case Answer::Kind::hung: worker_gone(request, answer.message, Failure::hung); return true;
    case Answer::Kind::broke: worker_gone(request, answer.message, Failure::other); return true;
    case Answer::Kind::unsupported: fail(request.task, Status::unsupported, answer.message); break;
    case Answer::Kind::error: fail(request.task, Status::error, "the backend failed: " + answer.message); break;
    case Answer::Kind::result: look_at(request); break;
    }
    asking_.schedule.note_time(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - sent));
    free_slots_.push_back(request.slot);
    return true;
}

void Asker::look_at(Request& request) {
    const Exchange& exchange = asking_.exchange;
    const inputs::Block& block = asking_.schedule.block(request.task.block);
    if (const std::string reason = exchange.damage(*worker_, block, request.turn(), scratch_); !reason.empty())
        return fail(request.task, Status::error, reason);
    Exchange::Reading reading = exchange.read(*worker_, block, request.turn(), scratch_);
    if (!reading.reason.empty()) return fail(request.task, reading.status, reading.reason);
    if (request.task.again) return compare(request.task, reading);

    const Code untouched = inputs::poison_code(block.poison[0], exchange.to());
    const bool suspicious =
        exchange.is_poisoned() && std::any_of(reading.steps.begin(), reading.steps.end(),
                                              [=](const Step& step) { return step.code == untouched; });
    if (block.repeat || suspicious) {
        queue_.push_back({request.task.block, true, std::move(reading.steps), reading.rest});
        return;
    }
    BlockResult result;
    result.steps = std::move(reading.steps);
    result.neighbours = reading.neighbours;
    result.differing = reading.differing;
    if (!reading.flaw.empty()) result.flaw = flaw_of(block, reading.flaw, reading.flaw_status);
    keep(request.task, std::move(result));
}

BlockFailure Asker::flaw_of(const inputs::Block& block, const std::string& reason, Status status) {
    return {status, reason + " (" + asking_.exchange.name_of(block) + ")", worker_->last_words()};
}

void Asker::keep(const Task& task, BlockResult result) {
    // A byte holds more than the codes of a format of 4 or 6 bits.
    const Exchange& exchange = asking_.exchange;
    const Format& to = exchange.to();
    const auto is_wide = [&](const Step& step) { return step.code > to.last_code(); };
    const auto wide = std::find_if(result.steps.begin(), result.steps.end(), is_wide);
    if (wide != result.steps.end() && !result.flaw)
        result.flaw =
            flaw_of(asking_.schedule.block(task.block),
                    exchange.name_of_input(wide->first) + " gave " + code_text(formats::e4m3, wide->code) +
                        ": bits above the " + std::to_string(to.width()) + " of " + std::string(to.name) + " are set",
                    Status::fail);
    asking_.schedule.complete(task.block, std::move(result));
}

void Asker::compare(const Task& task, const Exchange::Reading& again) {
    const inputs::Block& block = asking_.schedule.block(task.block);
    const Exchange& exchange = asking_.exchange;
    const Format& to = exchange.to();
    const Code first_poison = inputs::poison_code(block.poison[0], to);
    const Code second_poison = inputs::poison_code(block.poison[1], to);
    const auto flaw = [&](const std::string& reason) {
        return BlockFailure{Status::fail, changed_reason + reason, worker_->last_words()};
    };
    BlockResult result;
    result.repeated = true;
    result.neighbours = again.neighbours;
    result.differing = again.differing;
    if (!again.flaw.empty()) result.flaw = flaw_of(block, again.flaw, again.flaw_status);
    std::vector<inputs::RunDifference> unwritten;
    for (const inputs::RunDifference& run : inputs::differing_runs(task.steps, again.steps)) {
        // Poison that is left in one of the two answers is enough: no permitted answer has it.
        if (run.a == first_poison || run.b == second_poison) {
            const bool is_second = run.b == second_poison;
            if (unwritten.empty())
                result.unwritten_at = exchange.name_of_input(run.first) + ", at " +
                                      exchange.place(block, run.first, is_second) + ", still has the poison " +
                                      code_text(to, is_second ? run.b : run.a);
            unwritten.push_back(run);
            result.unwritten += run.last - run.first + 1;
        } else if (!result.flaw) {
            result.flaw = flaw(": " + exchange.name_of_input(run.first) + " gave " + code_text(to, run.a) + ", at " +
                               exchange.place(block, run.first, false) + ", then " + code_text(to, run.b) + ", at " +
                               exchange.place(block, run.first, true));
        }
    }
    if (again.rest != task.rest && !result.flaw)
        result.flaw = flaw(", or were not written: the rest of the answer to " + exchange.name_of(block));
    auto hole = unwritten.begin();
    for (Step step : task.steps) {
        for (; hole != unwritten.end() && hole->first <= step.last; ++hole) {
            if (hole->first > step.first) inputs::append_step(result.steps, {step.first, hole->first - 1, step.code});
            step.first = hole->last + 1;
        }
        if (step.first <= step.last) inputs::append_step(result.steps, step);
    }
    keep(task, std::move(result));
}

} // namespace mxcert::observe

// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe_worker.hpp"

#include <algorithm>
#include <cstring>

#include "conformance/run_length.hpp"
#include "conformance/words.hpp"
#include "reference/random.hpp"

namespace mxcert {
namespace {

using namespace std::chrono_literals;

/// A second request for the same values is cut and placed otherwise, so that a kernel's tail and alignment code is
/// seen.
struct Cut {
    std::uint64_t batch = 0; ///< values, odd
    std::uint64_t shift = 0; ///< values, 1 to 63
};

Cut cut_of(std::uint64_t seed, const Block& block) {
    const std::uint64_t count = block.count;
    const std::uint64_t random = SplitMix64::at(~seed, block.cut);
    const std::uint64_t batch = 1021 - 2 * (random % 256);
    return {batch < count ? batch : count / 3 | 1, 1 + (random >> 32) % 63};
}

} // namespace

Code Asking::input_at(std::uint64_t position) const { return points != nullptr ? (*points)[position].input : position; }

std::string Asking::name_of(const Block& block) const {
    return "inputs " + hex(input_at(block.first), *conversion.from) + " to " +
           hex(input_at(block.first + block.count - 1), *conversion.from);
}

bool Asker::start_worker() {
    try {
        worker_ = asking_.start();
        set_backdrop(worker_->memory());
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
    if (worker_) set_backdrop(worker_->memory());
    for (std::uint64_t slot = 0; slot < layout::slots; ++slot) free_slots_.push_back(slot);
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
    const bool points = asking_.points != nullptr;
    const std::uint64_t outputs = asking_.largest * bytes_of(*asking_.conversion.to);
    const std::uint64_t inputs = points ? asking_.largest * bytes_of(*asking_.conversion.from) : 0;
    const std::uint64_t randoms = points && asking_.conversion.random_bits != 0 ? asking_.largest * 4 : 0;
    if (backdrop_intact(worker_->memory(), {inputs, randoms, outputs})) return;
    asking_.schedule.note_bad_end({Status::error, "wrote far outside its output buffer", worker_->last_words()});
}

std::optional<Asker::Task> Asker::next_task() {
    while (!queue_.empty()) {
        Task task = std::move(queue_.front());
        queue_.pop_front();
        if (asking_.schedule.wanted(task.block)) return task;
    }
    if (const auto block = asking_.schedule.take()) return Task{*block, false, {}};
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
    const Block& block = asking_.schedule.block(task.block);
    const unsigned in = bytes_of(*asking_.conversion.from);
    const unsigned out = bytes_of(*asking_.conversion.to);
    const Cut cut = task.again ? cut_of(asking_.options.seed, block) : Cut{};
    Request request;
    request.slot = free_slots_.back();
    free_slots_.pop_back();
    const std::uint64_t base = request.slot * layout::slot_bytes;
    request.poison = block.poison[task.again ? 1 : 0];
    request.frame.conversion = asking_.index;
    request.frame.first = block.first;
    request.frame.count = block.count;
    request.frame.output_offset = base + layout::outputs + cut.shift * out;
    request.frame.batch = cut.batch;
    request.frame.poison = request.poison;
    if (asking_.points != nullptr) {
        request.frame.inputs = frames::Inputs::shared;
        request.frame.first = 0;
        request.frame.input_offset = base + layout::inputs + cut.shift * in;
        if (asking_.conversion.random_bits != 0)
            request.frame.random_offset = base + layout::randoms + cut.shift * sizeof(std::uint32_t);
        write_inputs(block, request.frame);
    }
    const std::uint64_t bytes = block.count * out;
    std::memset(worker_->memory().data() + request.frame.output_offset, request.poison, bytes);
    set_guards(worker_->memory(), request.frame.output_offset, bytes);
    worker_->send(request.frame, in, out);
    request.task = std::move(task);
    flying_.push_back(std::move(request));
}

void Asker::write_inputs(const Block& block, frames::ConvertRequest& frame) {
    const unsigned in = bytes_of(*asking_.conversion.from);
    std::byte* inputs = worker_->memory().data() + frame.input_offset;
    for (std::uint64_t i = 0; i < block.count; ++i)
        store(inputs + i * in, (*asking_.points)[block.first + i].input, in);
    if (frame.random_offset == frames::no_offset) return;
    std::byte* randoms = worker_->memory().data() + frame.random_offset;
    for (std::uint64_t i = 0; i < block.count; ++i)
        store(randoms + i * 4, (*asking_.points)[block.first + i].random, 4);
}

std::string Asker::damage(const Request& request) {
    const auto memory = worker_->memory();
    const Block& block = asking_.schedule.block(request.task.block);
    const auto& frame = request.frame;
    if (!guards_intact(memory, frame.output_offset, block.count * bytes_of(*asking_.conversion.to)))
        return "wrote outside its output buffer";
    if (asking_.points == nullptr) return {};
    const unsigned in = bytes_of(*asking_.conversion.from);
    for (std::uint64_t i = 0; i < block.count; ++i) {
        const Point& point = (*asking_.points)[block.first + i];
        if (load(memory.data() + frame.input_offset + i * in, in) != point.input) return "changed its input buffer";
        if (frame.random_offset != frames::no_offset &&
            load(memory.data() + frame.random_offset + i * 4, 4) != point.random)
            return "changed its buffer of random words";
    }
    return {};
}

void Asker::fail(const Task& task, Status status, const std::string& reason, BlockFailure::Kind kind) {
    const std::string where = asking_.name_of(asking_.schedule.block(task.block));
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
    const std::uint64_t parts = (request.frame.count + layout::max_count - 1) / layout::max_count;
    const auto sent = std::chrono::steady_clock::now();
    const Answer answer = worker_->receive(asking_.options.timeout * static_cast<int>(parts));
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
    if (const std::string reason = damage(request); !reason.empty()) return fail(request.task, Status::error, reason);
    const Block& block = asking_.schedule.block(request.task.block);
    const unsigned out = bytes_of(*asking_.conversion.to);
    std::vector<Step> steps;
    encode_runs(worker_->memory().subspan(request.frame.output_offset, block.count * out), out, block.first, steps);
    if (request.task.again) return compare(request.task, steps);

    const Code untouched = poison_code(request.poison, *asking_.conversion.to);
    const bool suspicious =
        std::any_of(steps.begin(), steps.end(), [=](const Step& step) { return step.code == untouched; });
    if (block.repeat || suspicious) {
        queue_.push_back({request.task.block, true, std::move(steps)});
        return;
    }
    keep(request.task, {std::move(steps), 0, false, std::nullopt});
}

void Asker::keep(const Task& task, BlockResult result) {
    // A byte holds more than the codes of a format of 4 or 6 bits.
    const Format& to = *asking_.conversion.to;
    for (const Step& step : result.steps)
        if (step.code > to.last_code())
            return fail(task, Status::error,
                        "input " + hex(asking_.input_at(step.first), *asking_.conversion.from) + " gave " +
                            hex(step.code, formats::e4m3) + ", which is no code of " + std::string(to.name));
    asking_.schedule.complete(task.block, std::move(result));
}

void Asker::compare(const Task& task, const std::vector<Step>& again) {
    const Block& block = asking_.schedule.block(task.block);
    const Format& to = *asking_.conversion.to;
    const auto flaw = [&](const std::string& reason) {
        return BlockFailure{Status::error, reason, worker_->last_words()};
    };
    BlockResult result;
    result.repeated = true;
    std::vector<RunDifference> unwritten;
    for (const RunDifference& run : differing_runs(task.steps, again)) {
        if (run.a == poison_code(block.poison[0], to) && run.b == poison_code(block.poison[1], to)) {
            unwritten.push_back(run);
            result.unwritten += run.last - run.first + 1;
        } else if (!result.flaw) {
            result.flaw = flaw("answers changed when asked again: input " +
                               hex(asking_.input_at(run.first), *asking_.conversion.from) + " gave " + hex(run.a, to) +
                               " then " + hex(run.b, to));
        }
    }
    auto hole = unwritten.begin();
    for (Step step : task.steps) {
        for (; hole != unwritten.end() && hole->first <= step.last; ++hole) {
            if (hole->first > step.first) append_step(result.steps, {step.first, hole->first - 1, step.code});
            step.first = hole->last + 1;
        }
        if (step.first <= step.last) append_step(result.steps, step);
    }
    keep(task, std::move(result));
}

} // namespace mxcert

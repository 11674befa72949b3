// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_ask.hpp"

#include <algorithm>
#include <cstring>

#include "conformance/frames/words.hpp"
#include "conformance/observe/hello.hpp"
#include "conformance/process/shared_memory.hpp"

namespace mxcert::fuzz {
namespace {

static_assert(max_case_values <= process::layout::max_points);

constexpr process::UsedParts used_parts{max_case_values * 8, max_case_values * 4, max_case_values * 8};
/// Requests between two looks at the whole memory, which take longer than a request does.
constexpr unsigned longest_between_looks = 64;

FuzzAnswer::Kind kind_of(const observe::Answer& answer) {
    switch (answer.kind) {
    case observe::Answer::Kind::result: return FuzzAnswer::Kind::codes;
    case observe::Answer::Kind::unsupported: return FuzzAnswer::Kind::unsupported;
    case observe::Answer::Kind::error: return FuzzAnswer::Kind::failed;
    case observe::Answer::Kind::died: return answer.over_memory ? FuzzAnswer::Kind::memory : FuzzAnswer::Kind::died;
    case observe::Answer::Kind::hung: return FuzzAnswer::Kind::hung;
    case observe::Answer::Kind::broke: return FuzzAnswer::Kind::broke;
    case observe::Answer::Kind::stopped: break;
    }
    return FuzzAnswer::Kind::stopped;
}

} // namespace

std::string FuzzAnswer::cause() const {
    if (kind == Kind::died || kind == Kind::damage) return reason;
    return std::to_string(static_cast<unsigned>(kind));
}

void FuzzWorker::start() {
    worker_ = starter_.start();
    observe::Hello hello = observe::parse_hello(worker_->hello(), spec_.name);
    offers_ = std::move(hello.info.conversions);
    indices_ = std::move(hello.indices);
    process::set_backdrop(worker_->memory());
    since_look_ = 0;
}

FuzzAnswer FuzzWorker::ask(const FuzzCase& fuzz_case, std::uint8_t poison) {
    FuzzAnswer answer = ask_once(fuzz_case, poison);
    if (!worker_ || ++since_look_ < look_after_) return answer;
    bool alone = since_look_ == 1;
    if (!look_for_far_writes()) return answer;
    if (!alone) {
        // This case did it, or one before: asked once more, it shows.
        answer = ask_once(fuzz_case, poison);
        alone = worker_ && look_for_far_writes();
    }
    wrote_far_unknown_ = wrote_far_unknown_ || !alone;
    if (!alone || (answer.kind != FuzzAnswer::Kind::codes && answer.kind != FuzzAnswer::Kind::unsupported))
        return answer;
    return {FuzzAnswer::Kind::damage, {}, "wrote far outside its output buffer", worker_->last_words()};
}

bool FuzzWorker::look_for_far_writes() {
    since_look_ = 0;
    if (process::backdrop_intact(worker_->memory(), used_parts)) {
        if (!wrote_far_) look_after_ = std::min(2 * look_after_, longest_between_looks);
        return false;
    }
    process::set_backdrop(worker_->memory());
    // From now on after every request, so that the case is known.
    wrote_far_ = true;
    look_after_ = 1;
    return true;
}

FuzzAnswer FuzzWorker::ask_once(const FuzzCase& fuzz_case, std::uint8_t poison) {
    if (!worker_) {
        try {
            start();
        } catch (const std::exception& error) {
            worker_.reset();
            return {is_stopped() ? FuzzAnswer::Kind::stopped : FuzzAnswer::Kind::no_start, {}, error.what(), {}};
        }
    }
    const auto offered = std::find(offers_.begin(), offers_.end(), fuzz_case.conversion);
    if (offered == offers_.end()) return {FuzzAnswer::Kind::unsupported, {}, "not offered", {}};

    const Conversion& conversion = fuzz_case.conversion;
    const unsigned in = frames::bytes_of(*conversion.from);
    const unsigned out = frames::bytes_of(*conversion.to);
    const std::uint64_t count = fuzz_case.values.size();
    const auto memory = worker_->memory();
    frames::ConvertRequest request;
    request.conversion = indices_[static_cast<std::size_t>(offered - offers_.begin())];
    request.inputs = frames::Inputs::shared;
    request.count = count;
    request.input_offset = process::layout::inputs + fuzz_case.shift * in;
    request.output_offset = process::layout::outputs + fuzz_case.shift * out;
    if (conversion.random_bits != 0)
        request.random_offset = process::layout::randoms + fuzz_case.shift * sizeof(std::uint32_t);
    request.batch = fuzz_case.batch != 0 ? fuzz_case.batch : count;
    request.poison = poison;
    for (std::uint64_t i = 0; i < count; ++i) {
        frames::store(memory.data() + request.input_offset + i * in, fuzz_case.values[i].input, in);
        if (conversion.random_bits != 0)
            frames::store(memory.data() + request.random_offset + i * 4, fuzz_case.values[i].random, 4);
    }
    std::memset(memory.data() + request.output_offset, poison, count * out);
    process::set_guards(memory, request.output_offset, count * out);
    worker_->send(request, in, out);
    const observe::Answer answer = worker_->receive(options_.timeout);
    if (answer.kind == observe::Answer::Kind::result) return read(fuzz_case, request);
    FuzzAnswer none{kind_of(answer), {}, answer.message, {}};
    if (none.kind == FuzzAnswer::Kind::failed) none.reason.insert(0, "the backend failed: ");
    if (none.kind == FuzzAnswer::Kind::failed || none.kind == FuzzAnswer::Kind::unsupported) return none;
    none.detail = worker_->last_words();
    if (look_for_far_writes()) wrote_far_unknown_ = true;
    worker_.reset();
    return none;
}

FuzzAnswer FuzzWorker::read(const FuzzCase& fuzz_case, const frames::ConvertRequest& request) {
    const auto memory = worker_->memory();
    const unsigned in = frames::bytes_of(*fuzz_case.conversion.from);
    const unsigned out = frames::bytes_of(*fuzz_case.conversion.to);
    FuzzAnswer answer;
    const auto misbehaved = [](const char* reason) { return FuzzAnswer{FuzzAnswer::Kind::damage, {}, reason, {}}; };
    if (!process::guards_intact(memory, request.output_offset, request.count * out))
        return misbehaved("wrote outside its output buffer");
    for (std::uint64_t i = 0; i < request.count; ++i) {
        const FuzzValue& value = fuzz_case.values[i];
        if (frames::load(memory.data() + request.input_offset + i * in, in) != value.input)
            return misbehaved("changed its input buffer");
        if (request.random_offset != frames::no_offset &&
            frames::load(memory.data() + request.random_offset + i * 4, 4) != value.random)
            return misbehaved("changed its buffer of random words");
        answer.codes.push_back(frames::load(memory.data() + request.output_offset + i * out, out));
    }
    return answer;
}

std::string FuzzWorker::finish() {
    std::string end;
    if (worker_) {
        if (look_for_far_writes()) wrote_far_unknown_ = true;
        end = worker_->finish(options_.timeout);
        worker_.reset();
    }
    if (wrote_far_unknown_) return "wrote far outside its output buffer, in which case is not known";
    return end.empty() || is_stopped() ? "" : "the worker did not end well: " + end;
}

} // namespace mxcert::fuzz

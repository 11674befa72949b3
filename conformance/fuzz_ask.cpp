// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz_ask.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "conformance/observe_hello.hpp"
#include "conformance/shared_memory.hpp"

namespace mxcert {
namespace {

static_assert(max_case_values <= layout::max_points);

unsigned bytes_of(const Format& format) { return static_cast<unsigned>(format.bytes()); }

// Values lie in shared memory in the byte order of the machine.
void store(std::byte* to, std::uint64_t value, unsigned bytes) {
    if constexpr (std::endian::native == std::endian::big) value <<= 8 * (8 - bytes);
    std::memcpy(to, &value, bytes);
}

Code load(const std::byte* from, unsigned bytes) {
    Code value = 0;
    std::memcpy(&value, from, bytes);
    if constexpr (std::endian::native == std::endian::big) value >>= 8 * (8 - bytes);
    return value;
}

} // namespace

void FuzzWorker::start() {
    worker_ = std::make_unique<WorkerClient>(spec_, options_.backend_options, options_.limits, options_.stop);
    Hello hello = parse_hello(worker_->hello(), spec_.name);
    offers_ = std::move(hello.info.conversions);
    indices_ = std::move(hello.indices);
}

FuzzAnswer FuzzWorker::ask(const FuzzCase& fuzz_case, std::uint8_t poison) {
    if (!worker_) {
        try {
            start();
        } catch (const std::exception& error) {
            worker_.reset();
            const bool stopped = options_.stop != nullptr && options_.stop->load();
            return {stopped ? FuzzAnswer::Kind::stopped : FuzzAnswer::Kind::gone, {}, error.what(), {}};
        }
    }
    const auto offered = std::find(offers_.begin(), offers_.end(), fuzz_case.conversion);
    if (offered == offers_.end()) return {FuzzAnswer::Kind::unsupported, {}, "not offered", {}};

    const Conversion& conversion = fuzz_case.conversion;
    const unsigned in = bytes_of(*conversion.from);
    const unsigned out = bytes_of(*conversion.to);
    const std::uint64_t count = fuzz_case.values.size();
    const auto memory = worker_->memory();
    frames::ConvertRequest request;
    request.conversion = indices_[static_cast<std::size_t>(offered - offers_.begin())];
    request.inputs = frames::Inputs::shared;
    request.count = count;
    request.input_offset = layout::inputs + fuzz_case.shift * in;
    request.output_offset = layout::outputs + fuzz_case.shift * out;
    if (conversion.random_bits != 0) request.random_offset = layout::randoms + fuzz_case.shift * sizeof(std::uint32_t);
    request.batch = fuzz_case.batch != 0 ? fuzz_case.batch : count;
    request.poison = poison;
    for (std::uint64_t i = 0; i < count; ++i) {
        store(memory.data() + request.input_offset + i * in, fuzz_case.values[i].input, in);
        if (conversion.random_bits != 0)
            store(memory.data() + request.random_offset + i * 4, fuzz_case.values[i].random, 4);
    }
    std::memset(memory.data() + request.output_offset, poison, count * out);
    set_guards(memory, request.output_offset, count * out);
    worker_->send(request, in, out);
    const Answer answer = worker_->receive(options_.timeout);
    switch (answer.kind) {
    case Answer::Kind::result: return read(fuzz_case, request);
    case Answer::Kind::unsupported: return {FuzzAnswer::Kind::unsupported, {}, answer.message, {}};
    case Answer::Kind::error: return {FuzzAnswer::Kind::error, {}, "the backend failed: " + answer.message, {}};
    default: break;
    }
    const bool stopped = answer.kind == Answer::Kind::stopped;
    FuzzAnswer gone{
        stopped ? FuzzAnswer::Kind::stopped : FuzzAnswer::Kind::gone, {}, answer.message, worker_->last_words()};
    worker_.reset();
    return gone;
}

FuzzAnswer FuzzWorker::read(const FuzzCase& fuzz_case, const frames::ConvertRequest& request) {
    const auto memory = worker_->memory();
    const unsigned in = bytes_of(*fuzz_case.conversion.from);
    const unsigned out = bytes_of(*fuzz_case.conversion.to);
    FuzzAnswer answer;
    const auto misbehaved = [](const char* reason) { return FuzzAnswer{FuzzAnswer::Kind::error, {}, reason, {}}; };
    if (!guards_intact(memory, request.output_offset, request.count * out))
        return misbehaved("wrote outside its output buffer");
    for (std::uint64_t i = 0; i < request.count; ++i) {
        const FuzzValue& value = fuzz_case.values[i];
        if (load(memory.data() + request.input_offset + i * in, in) != value.input)
            return misbehaved("changed its input buffer");
        if (request.random_offset != frames::no_offset &&
            load(memory.data() + request.random_offset + i * 4, 4) != value.random)
            return misbehaved("changed its buffer of random words");
        answer.codes.push_back(load(memory.data() + request.output_offset + i * out, out));
    }
    return answer;
}

std::string FuzzWorker::finish() {
    if (!worker_) return {};
    std::string reason = worker_->finish(options_.timeout);
    worker_.reset();
    return reason;
}

} // namespace mxcert

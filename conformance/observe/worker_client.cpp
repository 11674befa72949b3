// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/worker_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "conformance/frames/frame_json.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::observe {
namespace {

using namespace std::chrono_literals;

constexpr auto stop_check = 50ms;   ///< how long the stop flag may go unnoticed
constexpr auto memory_check = 20ms; ///< how long too much memory may go unnoticed while frames come
constexpr auto kill_grace = 200ms;
/// Between the end of its output and its exit: an interpreter on a busy machine was seen to take more than two seconds.
constexpr auto exit_wait = 10'000ms;

process::ProcessOptions how_to_start(const BackendSpec& spec, int memory_fd, const sandbox::Sandbox* sandbox) {
    const std::vector<std::string> command = command_of(spec);
    process::ProcessOptions options;
    options.inherited_fd = memory_fd;
    options.program = command.front();
    options.arguments.assign(command.begin() + 1, command.end());
    if (sandbox != nullptr) sandbox->add_to(options);
    return options;
}

/// What may have kept a worker from starting.
std::string hint(const sandbox::Sandbox* sandbox) {
    if (sandbox == nullptr || sandbox->state().mode == sandbox::Mode::off) return {};
    return "; it was in --sandbox=" + std::string(to_string(sandbox->state().mode)) +
           ", which may refuse what it needs: --sandbox=off";
}

std::string seconds(std::chrono::milliseconds time) {
    const auto tenths = time.count() / 100;
    return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") + " s";
}

std::string_view name_of(frames::Type type) {
    constexpr std::array<std::string_view, 10> names{"?",      "HELLO", "START", "CONVERT",    "RESULT",
                                                     "FAILED", "END",   "RUN",   "RUN_SHARED", "RANGE"};
    return names[static_cast<std::size_t>(type)];
}

} // namespace

std::uint64_t WorkerLimits::half_of_memory() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) / 2 *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

WorkerStarter::WorkerStarter(BackendSpec spec, std::string backend_options, WorkerLimits limits,
                             const std::atomic<bool>* stop, const sandbox::Request& sandbox)
    : spec_(std::move(spec)), backend_options_(std::move(backend_options)), limits_(limits), stop_(stop),
      sandbox_(std::make_shared<sandbox::Sandbox>(sandbox)), memory_(process::layout::runs + limits.run_bytes) {}

std::unique_ptr<WorkerClient> WorkerStarter::start() const {
    return std::make_unique<WorkerClient>(spec_, backend_options_, limits_, stop_, sandbox_, memory_.take());
}

WorkerClient::WorkerClient(const BackendSpec& spec, const std::string& backend_options, const WorkerLimits& limits,
                           const std::atomic<bool>* stop, std::shared_ptr<const sandbox::Sandbox> sandbox,
                           std::shared_ptr<process::SharedMemory> memory)
    : sandbox_(std::move(sandbox)), memory_(std::move(memory)),
      process_(how_to_start(spec, memory_->fd(), sandbox_.get())), stop_(stop), memory_limit_(limits.memory) {
    const auto fail = [&](const std::string& reason) {
        const std::string words = last_words();
        throw std::runtime_error(spec.name + ": " + reason +
                                 (words.empty() ? "" : "; it printed: " + print::printable(words)) +
                                 hint(sandbox_.get()));
    };
    const Received received = next_frame(limits.start);
    if (received.kind == Received::Kind::stopped) fail("stopped before the worker was ready");
    if (received.kind != Received::Kind::frame) fail("the worker did not start: " + received.reason);
    if (received.frame.header.type != frames::Type::hello)
        fail("the worker's first frame is " + std::string(name_of(received.frame.header.type)) + ", not HELLO");
    try {
        const nlohmann::json hello = frames::json_of_frame(received.frame.payload);
        if (const auto error = hello.find("error"); error != hello.end())
            fail(error->is_string() ? print::printable(error->get<std::string>())
                                    : "cannot start, and does not say why");
        if (hello.value("protocol", nlohmann::json()) != nlohmann::json(frames::version))
            fail("its HELLO does not say protocol " + std::to_string(frames::version));
        // The stock worker maps the memory. A program says so if it can; the plainest one only moves bytes in frames.
        shared_ =
            spec.kind != BackendSpec::Kind::program || hello.value("shared", nlohmann::json()) == nlohmann::json(true);
        ranges_ = hello.value("ranges", nlohmann::json()) == nlohmann::json(true);
        interleaved_ = hello.value("interleaved", nlohmann::json()) == nlohmann::json(true);
        shared_runs_ = shared_ && hello.value("shared_runs", nlohmann::json()) == nlohmann::json(true);
    } catch (const frames::Error& error) {
        fail(std::string("broken HELLO: ") + error.what());
    }
    hello_.assign(reinterpret_cast<const char*>(received.frame.payload.data()), received.frame.payload.size());

    nlohmann::json start{{"protocol", frames::version}, {"shared", nullptr}, {"options", backend_options}};
    if (shared_) start["shared"] = {{"fd", process::ProcessOptions{}.inherited_as}, {"bytes", memory_->bytes().size()}};
    const std::string text = start.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    queue(frames::Type::start, 0, std::as_bytes(std::span(text)));
}

void WorkerClient::queue(frames::Type type, std::uint64_t id, std::span<const std::byte> payload) {
    frames::Header header;
    header.type = type;
    header.id = id;
    header.length = payload.size();
    const auto head = frames::encode(header);
    outgoing_.insert(outgoing_.end(), head.begin(), head.end());
    outgoing_.insert(outgoing_.end(), payload.begin(), payload.end());
    flush();
}

void WorkerClient::flush() {
    flushed_ += process_.write_some(std::span(outgoing_).subspan(flushed_));
    if (flushed_ != outgoing_.size()) return;
    outgoing_.clear();
    flushed_ = 0;
}

void WorkerClient::send(const frames::ConvertRequest& request, unsigned input_bytes, unsigned output_bytes) {
    const std::uint64_t id = ++sent_.requests;
    sent_.values += request.count;
    expected_.push_back({id, request.count, {}, 0});
    if (shared_) {
        queue(frames::Type::convert, id, frames::encode(request));
        return;
    }
    expected_.back().outputs = {{request.count, output_bytes, request.output_offset}};
    frames::ConvertRequest in_frame = request;
    in_frame.output_offset = in_frame.input_offset = in_frame.random_offset = frames::no_offset;
    if (request.inputs == frames::Inputs::shared) in_frame.inputs = frames::Inputs::inlined;
    const auto fixed = frames::encode(in_frame);
    std::vector<std::byte> payload(fixed.begin(), fixed.end());
    const auto append = [&](std::uint64_t offset, unsigned bytes) {
        if (offset == frames::no_offset) return;
        const std::size_t at = payload.size();
        payload.resize(at + request.count * bytes);
        frames::copy_values(payload.data() + at, memory().data() + offset, request.count, bytes);
    };
    append(request.input_offset, input_bytes);
    append(request.random_offset, 4);
    queue(frames::Type::convert, id, payload);
}

void WorkerClient::send(const frames::ConvertRequest& request, const frames::Interleaved& streams,
                        unsigned output_bytes) {
    const std::uint64_t id = ++sent_.requests;
    sent_.values += request.count;
    expected_.push_back({id, request.count, {}, 0});
    frames::ConvertRequest in_frame = request;
    if (!shared_) {
        expected_.back().outputs = {{request.count, output_bytes, request.output_offset}};
        in_frame.output_offset = frames::no_offset;
    }
    const auto fixed = frames::encode(in_frame);
    std::vector<std::byte> payload(fixed.begin(), fixed.end());
    const std::vector<std::byte> following = frames::encode(streams);
    payload.insert(payload.end(), following.begin(), following.end());
    queue(frames::Type::convert, id, payload);
}

void WorkerClient::send(const frames::RangeRequest& request) {
    const std::uint64_t id = ++sent_.requests;
    sent_.values += request.count;
    expected_.push_back({id, request.count, {}, request.most_steps});
    queue(frames::Type::range, id, frames::encode(request));
}

void WorkerClient::send(const frames::RunRequest& request) {
    const std::uint64_t id = ++sent_.requests;
    sent_.values += request.output_values();
    expected_.push_back({id, request.output_values(), {}, 0});
    if (shared_runs_) {
        queue(frames::Type::run_shared, id, frames::encode_shared(request));
        return;
    }
    expected_.back().outputs = request.outputs;
    std::vector<std::byte> payload = frames::encode(request);
    payload.reserve(payload.size() + request.input_bytes());
    for (const frames::Array& input : request.inputs) {
        const std::size_t at = payload.size();
        payload.resize(at + input.count * input.width);
        frames::copy_values(payload.data() + at, memory().data() + input.offset, input.count,
                            static_cast<unsigned>(input.width));
    }
    queue(frames::Type::run, id, payload);
}

std::string WorkerClient::reason_of_end() {
    const auto deadline = std::chrono::steady_clock::now() + exit_wait;
    while (!process_.has_exited() && std::chrono::steady_clock::now() < deadline)
        (void)process_.wait(stop_check, false);
    if (process_.has_exited()) return process_.how_it_ended();
    process_.kill(kill_grace);
    return "closed its output and did not exit";
}

std::string WorkerClient::watch_memory() {
    const auto now = std::chrono::steady_clock::now();
    if (memory_limit_ == 0 || now - memory_looked_at_ < memory_check) return {};
    memory_looked_at_ = now;
    const std::uint64_t bytes = process_.resident_bytes();
    if (bytes <= memory_limit_) return {};
    // At once: every moment of grace is more memory.
    process_.kill(0ms);
    constexpr std::uint64_t mebibyte = 1 << 20;
    return "took " + std::to_string(bytes / mebibyte) + " MiB of memory, the limit is " +
           std::to_string(memory_limit_ / mebibyte) + " MiB (--memory-limit)";
}

WorkerClient::Received WorkerClient::next_frame(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    std::array<std::byte, 64 * 1024> chunk; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    try {
        for (;;) {
            if (auto frame = decoder_.next()) return {Received::Kind::frame, std::move(*frame), {}};
            if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
                process_.kill(kill_grace);
                return {Received::Kind::stopped, {}, "stopped"};
            }
            if (const std::string reason = watch_memory(); !reason.empty())
                return {Received::Kind::died, {}, reason, true};
            const std::size_t count = process_.read_some(chunk);
            if (count != 0) {
                decoder_.feed(std::span(chunk).first(count));
                continue;
            }
            if (process_.at_end()) {
                const std::string how = reason_of_end();
                // A crash cuts frames off; only a worker that thinks it ended well has broken the framing.
                if (process_.exited_cleanly()) decoder_.finish();
                return {Received::Kind::died, {}, how};
            }
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            if (left <= 0ms) {
                process_.kill(kill_grace);
                return {Received::Kind::hung, {}, "timeout: nothing came within " + seconds(timeout)};
            }
            const bool more = !outgoing_.empty() && !process_.input_broken();
            if (process_.wait(std::min<std::chrono::milliseconds>(left, stop_check), more).input) flush();
        }
    } catch (const frames::Error& error) {
        process_.kill(kill_grace);
        return {Received::Kind::broke, {}, std::string("broke the protocol: ") + error.what()};
    }
}

Answer WorkerClient::broke_protocol(const std::string& how) {
    process_.kill(kill_grace);
    return {Answer::Kind::broke, "broke the protocol: " + how};
}

Answer WorkerClient::receive(std::chrono::milliseconds timeout) {
    const Expected expected = expected_.front();
    expected_.pop_front();
    const Received received = next_frame(timeout);
    switch (received.kind) {
    case Received::Kind::stopped: return {Answer::Kind::stopped, received.reason};
    case Received::Kind::died: return {Answer::Kind::died, received.reason, received.over_memory};
    case Received::Kind::hung: return {Answer::Kind::hung, received.reason};
    case Received::Kind::broke: return {Answer::Kind::broke, received.reason};
    case Received::Kind::frame: break;
    }
    const auto& header = received.frame.header;
    if (header.type != frames::Type::result && header.type != frames::Type::failed)
        return broke_protocol("sent " + std::string(name_of(header.type)) + " instead of RESULT");
    if (header.id != expected.id)
        return broke_protocol("answered request " + std::to_string(expected.id) + " with id " +
                              std::to_string(header.id));
    try {
        return header.type == frames::Type::failed ? judge_failed(received.frame) : judge(received.frame, expected);
    } catch (const frames::Error& error) {
        return broke_protocol(error.what());
    }
}

Answer WorkerClient::judge(const frames::Frame& frame, const Expected& expected) {
    const frames::ResultHeader result = frames::decode_result(frame.payload);
    if (result.count != expected.count)
        return broke_protocol("RESULT of " + std::to_string(result.count) + " values to a request of " +
                              std::to_string(expected.count));
    if (expected.most_steps != 0) return judge_steps(frame, expected);
    const auto outputs = std::span(frame.payload).subspan(frames::result_bytes);
    std::uint64_t inlined = 0;
    for (const frames::Array& array : expected.outputs) inlined += array.count * array.width;
    if (outputs.size() != inlined)
        return broke_protocol("RESULT with " + std::to_string(outputs.size()) + " bytes of outputs instead of " +
                              std::to_string(inlined));
    if (expected.outputs.empty()) return {};
    if (frames::digest(outputs.data(), outputs.size()) != result.digest)
        return broke_protocol("the digest of a RESULT does not fit its outputs");
    const std::byte* from = outputs.data();
    for (const frames::Array& array : expected.outputs) {
        frames::copy_values(memory().data() + array.offset, from, array.count, static_cast<unsigned>(array.width));
        from += array.count * array.width;
    }
    return {};
}

Answer WorkerClient::judge_steps(const frames::Frame& frame, const Expected& expected) {
    const auto bytes = std::span(frame.payload).subspan(frames::result_bytes);
    if (bytes.size() / frames::step_bytes > expected.most_steps)
        return broke_protocol("RESULT with " + std::to_string(bytes.size() / frames::step_bytes) + " steps, " +
                              std::to_string(expected.most_steps) + " were asked for at most");
    if (frames::digest(bytes.data(), bytes.size()) != frames::decode_result(frame.payload).digest)
        return broke_protocol("the digest of a RESULT does not fit its steps");
    steps_ = frames::decode_steps(bytes);
    return {};
}

Answer WorkerClient::judge_failed(const frames::Frame& frame) {
    const nlohmann::json failed = frames::json_of_frame(frame.payload);
    const auto text = [&](const char* key) {
        const auto at = failed.find(key);
        return at != failed.end() && at->is_string() ? print::printable(at->get<std::string>()) : std::string();
    };
    std::string message = text("message");
    if (message.empty()) message = "it does not say why";
    const std::string status = text("status");
    if (status != "unsupported" && status != "error")
        return broke_protocol("FAILED with the status '" + status.substr(0, 40) + "'");
    return {status == "error" ? Answer::Kind::error : Answer::Kind::unsupported, message};
}

void WorkerClient::note_loaded(std::shared_ptr<process::LoadedFiles> loaded) {
    loaded_ = std::move(loaded);
    if (loaded_) loaded_->add_of(process_.id());
}

std::string WorkerClient::finish(std::chrono::milliseconds timeout) {
    if (loaded_) loaded_->add_of(process_.id());
    queue(frames::Type::end, 0, frames::encode(sent_));
    const Received received = next_frame(timeout);
    if (received.kind != Received::Kind::frame) return received.reason + ", before its END";
    const auto& header = received.frame.header;
    try {
        if (header.type != frames::Type::end)
            throw frames::Error("sent " + std::string(name_of(header.type)) + " instead of END");
        const frames::EndCounts counts = frames::decode_end(received.frame.payload);
        if (counts.requests != sent_.requests || counts.values != sent_.values)
            throw frames::Error("its END counts " + std::to_string(counts.requests) + " requests and " +
                                std::to_string(counts.values) + " values, there were " +
                                std::to_string(sent_.requests) + " and " + std::to_string(sent_.values));
    } catch (const frames::Error& error) {
        return broke_protocol(error.what()).message;
    }
    process_.close_input();
    const Received rest = next_frame(timeout);
    if (rest.kind == Received::Kind::frame)
        return broke_protocol("sent " + std::string(name_of(rest.frame.header.type)) + " after its END").message;
    return process_.exited_cleanly() ? "" : rest.reason + ", after its END";
}

std::string WorkerClient::last_words() {
    constexpr std::size_t max_lines = 20;
    constexpr std::size_t max_bytes = 4096;
    std::string text = process_.stderr_tail();
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    std::size_t begin = text.size() > max_bytes ? text.size() - max_bytes : 0;
    std::size_t lines = 0;
    for (std::size_t at = text.size(); at > begin; --at)
        if (text[at - 1] == '\n' && ++lines == max_lines) begin = at;
    return print::printable(text.substr(begin), true);
}

} // namespace mxcert::observe

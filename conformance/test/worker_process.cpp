// SPDX-License-Identifier: Apache-2.0
#include "worker_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "catch.hpp"

namespace mxcert::test {
namespace {

int checked(int result) {
    if (result < 0) throw std::runtime_error("a system call of the test failed");
    return result;
}

} // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
    std::signal(SIGPIPE, SIG_IGN);
    int to[2];
    int from[2];
    checked(::pipe2(to, O_CLOEXEC));
    checked(::pipe2(from, O_CLOEXEC));
    errors_ = checked(::memfd_create("errors", MFD_CLOEXEC));
    const int memory = checked(::memfd_create("shared", MFD_CLOEXEC));
    checked(::ftruncate(memory, shared_bytes));
    void* mapped = ::mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("mmap");
    shared_ = static_cast<unsigned char*>(mapped);

    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    process_ = checked(::fork());
    if (process_ == 0) {
        // Above the numbers they are moved to, so that none is overwritten before it is moved.
        const int high[] = {::fcntl(to[0], F_DUPFD_CLOEXEC, 100), ::fcntl(from[1], F_DUPFD_CLOEXEC, 100),
                            ::fcntl(errors_, F_DUPFD_CLOEXEC, 100), ::fcntl(memory, F_DUPFD_CLOEXEC, 100)};
        for (int i = 0; i < 4; ++i) ::dup2(high[i], i);
        ::signal(SIGPIPE, SIG_DFL);
        ::alarm(300);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    ::close(memory);
    requests_ = to[1];
    answers_ = from[0];
    reader_ = frames::Reader(answers_);
}

WorkerProcess::~WorkerProcess() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    if (requests_ >= 0) ::close(requests_);
    ::close(answers_);
    ::close(errors_);
    ::munmap(shared_, shared_bytes);
}

void WorkerProcess::send(frames::Type type, std::uint64_t id, std::span<const std::byte> payload) const {
    frames::write_frame(requests_, type, id, payload.data(), payload.size());
}

void WorkerProcess::send(frames::Type type, std::uint64_t id, const std::string& payload) const {
    send(type, id, std::as_bytes(std::span(payload)));
}

void WorkerProcess::convert(std::uint64_t id, const frames::ConvertRequest& request,
                            std::span<const std::byte> following) const {
    const auto head = encode(request);
    frames::write_frame(requests_, frames::Type::convert, id, {head, following});
}

void WorkerProcess::start(const std::string& options) const {
    send(frames::Type::start, 0,
         R"({"protocol":1,"shared":{"fd":3,"bytes":)" + std::to_string(shared_bytes) + R"(},"options":")" + options +
             "\"}");
}

void WorkerProcess::end(const frames::EndCounts& counts) const {
    const auto payload = encode(counts);
    send(frames::Type::end, 0, payload);
}

void WorkerProcess::write_raw(const std::string& bytes) const {
    if (::write(requests_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error("write");
    }
}

frames::Frame WorkerProcess::receive() const {
    auto frame = reader_.next();
    if (!frame) throw std::runtime_error("the worker ended; it wrote: " + errors());
    return *frame;
}

std::string WorkerProcess::finish() {
    ::close(requests_);
    requests_ = -1;
    int status = 0;
    if (::waitpid(process_, &status, 0) != process_) throw std::runtime_error("waitpid");
    process_ = -1;
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return "exit " + std::to_string(WEXITSTATUS(status));
}

std::string WorkerProcess::errors() const {
    std::string all(1 << 16, '\0');
    const ssize_t length = ::pread(errors_, all.data(), all.size(), 0);
    all.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    return all;
}

frames::Frame answer(const WorkerProcess& worker, const frames::ConvertRequest& request,
                     std::span<const std::byte> following) {
    constexpr std::uint64_t id = 5;
    worker.convert(id, request, following);
    auto frame = worker.receive();
    CAPTURE(text(frame));
    REQUIRE(frame.header.type == frames::Type::result);
    CHECK(frame.header.id == id);
    CHECK(frames::decode_result(frame.payload).count == request.count);
    return frame;
}

std::vector<std::string> worker_with(const std::string& plugin) {
    return {MXCERT_TEST_WORKER, MXCERT_TEST_PLUGINS "-test/" + plugin + ".so"};
}

std::string text(const frames::Frame& frame) {
    return {reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size()};
}

} // namespace mxcert::test

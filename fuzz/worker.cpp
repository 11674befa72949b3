// SPDX-License-Identifier: Apache-2.0
// The stock worker as a harness that has gone mad would see it: START, CONVERT and END frames of any content. The first
// line of the input is the START's JSON, what follows is the stream; a harmless plugin computes. The worker answers
// every request once, in order, in whole frames, or says that the protocol is broken.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "conformance/worker/serve.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;
using frames::Type;

constexpr int shared_fd = 900; ///< what the seeds name as shared memory
constexpr std::size_t shared_bytes = 65'536;
constexpr std::size_t most_work = 1 << 18; ///< values of one input: more only takes time

/// A file in memory that plays a pipe which holds everything already.
class MemoryFile {
  public:
    MemoryFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    [[nodiscard]] int fd() const { return fd_; }
    void rewind() const { ::lseek(fd_, 0, SEEK_SET); }

  private:
    int fd_;
};

/// The requests of the stream, as far as it is one, so that none asks for hours of work.
struct Requests {
    std::size_t count = 0;
    bool ended = false;
    bool too_much = false;
};

std::uint64_t values_of(const frames::Frame& request) {
    if (request.header.type == Type::convert) return frames::decode_convert(request.payload).count;
    if (request.header.type == Type::range) return frames::decode_range(request.payload).count;
    if (request.header.type == Type::run_shared) return frames::decode_shared_run(request.payload).output_values();
    std::span<const std::byte> inputs;
    return frames::decode_run(request.payload, inputs).output_values();
}

Requests look_at(std::span<const std::byte> stream) {
    Requests requests;
    frames::Decoder decoder;
    decoder.feed(stream);
    std::uint64_t values = 0;
    try {
        while (const auto frame = decoder.next()) {
            if (frame->header.type == Type::end) {
                requests.ended = true;
                break;
            }
            const Type type = frame->header.type;
            if (type != Type::convert && type != Type::range && type != Type::run && type != Type::run_shared) break;
            ++requests.count;
            try {
                const std::uint64_t count = values_of(*frame);
                requests.too_much = requests.too_much || count > most_work || (values += count) > most_work;
            } catch (const frames::Error&) { // answered with FAILED
            }
        }
    } catch (const frames::Error&) { // the worker must find it too
    }
    return requests;
}

/// Every answer in its place: HELLO, then one for each request, then END if there was one.
void check_answers(const MemoryFile& answers, const Requests& requests, bool served) {
    answers.rewind();
    frames::Reader reader(answers.fd());
    const auto hello = reader.next();
    fuzz::require(hello && hello->header.type == Type::hello, "the first frame is HELLO");
    std::size_t answered = 0;
    bool ended = false;
    while (const auto frame = reader.next()) {
        fuzz::require(!ended, "nothing follows END");
        ended = frame->header.type == Type::end;
        if (ended) {
            fuzz::require(frames::decode_end(frame->payload).requests == requests.count, "END counts the requests");
            continue;
        }
        ++answered;
        fuzz::require(frame->header.type == Type::result || frame->header.type == Type::failed,
                      "a request is answered with RESULT or FAILED");
    }
    fuzz::require(served == ended, "a worker that served to the end says END");
    fuzz::require(!served || answered == requests.count, "every request has one answer");
}

void run(std::string_view input) {
    static worker::Plugin plugin(MXCERT_FUZZ_PLUGIN);
    static const MemoryFile shared;
    static const bool ready =
        ::ftruncate(shared.fd(), shared_bytes) == 0 && ::dup2(shared.fd(), shared_fd) == shared_fd;
    fuzz::require(ready, "there is shared memory");

    const std::string_view start = fuzz::take_line(input);
    const auto stream = std::as_bytes(std::span(input.data(), input.size()));
    const Requests requests = look_at(stream);
    if (requests.too_much) return;

    const MemoryFile in;
    const MemoryFile out;
    frames::write_frame(in.fd(), Type::start, 0, start.data(), start.size());
    fuzz::require(::write(in.fd(), stream.data(), stream.size()) == static_cast<ssize_t>(stream.size()),
                  "the stream fits");
    in.rewind();
    bool served = false;
    try {
        worker::Server(plugin, {in.fd(), out.fd()}).run();
        served = true;
    } catch (const frames::Error&) { // the harness broke the protocol
    }
    fuzz::require(!served || requests.ended, "only END ends the service");
    check_answers(out, requests, served);
}

const fuzz::Target registered{"worker", run, fuzz::Form::line_and_frames};

} // namespace

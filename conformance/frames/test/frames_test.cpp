// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/frames.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "catch.hpp"

using namespace mxcert::frames;
using Catch::Matchers::Contains;

namespace {

using Bytes = std::vector<std::byte>;

/// A pipe whose ends close themselves.
struct Pipe {
    Pipe() {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        out = ends[0];
        in = ends[1];
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_in();
        ::close(out);
    }
    void close_in() {
        if (in >= 0) ::close(in);
        in = -1;
    }
    int out = -1;
    int in = -1;
};

Bytes frame_bytes(Type type, std::uint64_t id, const std::string& payload) {
    Header header;
    header.type = type;
    header.id = id;
    header.length = payload.size();
    const auto head = encode(header);
    Bytes bytes(head.begin(), head.end());
    for (const char c : payload) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

std::string text(const Frame& frame) {
    return {reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size()};
}

/// What reading these bytes as a stream ends with.
std::string error_of(const Bytes& bytes) {
    std::string by_decoder;
    try {
        Decoder decoder;
        decoder.feed(bytes);
        while (decoder.next()) {
        }
        decoder.finish();
    } catch (const Error& e) {
        by_decoder = e.what();
    }
    // A pipe must give the same, through the Reader.
    std::string by_reader;
    Pipe pipe;
    REQUIRE(::write(pipe.in, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    pipe.close_in();
    try {
        Reader reader(pipe.out);
        while (reader.next()) {
        }
    } catch (const Error& e) {
        by_reader = e.what();
    }
    CHECK(by_reader == by_decoder);
    return by_decoder;
}

} // namespace

TEST_CASE("a frame on the wire is these bytes, on every machine") {
    Header header;
    header.type = Type::result;
    header.id = 0x0102030405060708;
    header.length = 0x1122;
    const unsigned char expected[] = {'M', 'X', 'C', 'F', 1,    0,    4, 0, 8, 7, 6, 5,
                                      4,   3,   2,   1,   0x22, 0x11, 0, 0, 0, 0, 0, 0};
    const auto bytes = encode(header);
    CHECK(std::memcmp(bytes.data(), expected, sizeof expected) == 0);

    ConvertRequest request;
    request.conversion = 0x01020304;
    request.inputs = Inputs::shared;
    request.first = 5;
    request.poison = 0xA5;
    const auto body = encode(request);
    CHECK(std::to_integer<int>(body[0]) == 4);
    CHECK(std::to_integer<int>(body[4]) == 2);
    CHECK(std::to_integer<int>(body[8]) == 5);
    CHECK(std::to_integer<int>(body[24]) == 0xFF); // input_offset: none
    CHECK(std::to_integer<int>(body[56]) == 0xA5);
}

TEST_CASE("headers and payloads come back as they were") {
    Header header;
    header.type = GENERATE(Type::hello, Type::start, Type::convert, Type::result, Type::failed, Type::end, Type::run,
                           Type::run_shared, Type::range);
    header.id = 7;
    header.length = max_payload;
    const Header observed_header = decode_header(encode(header), 0);
    CHECK(observed_header.type == header.type);
    CHECK(observed_header.id == 7);
    CHECK(observed_header.length == max_payload);

    ConvertRequest request;
    request.conversion = 3;
    request.inputs = Inputs::inlined;
    request.first = ~std::uint64_t{0};
    request.count = 11;
    request.input_offset = 12;
    request.random_offset = 13;
    request.output_offset = 14;
    request.batch = 15;
    request.poison = 16;
    const ConvertRequest back = decode_convert(encode(request));
    CHECK(back.conversion == 3);
    CHECK(back.inputs == Inputs::inlined);
    CHECK(back.first == ~std::uint64_t{0});
    CHECK(back.count == 11);
    CHECK(back.input_offset == 12);
    CHECK(back.random_offset == 13);
    CHECK(back.output_offset == 14);
    CHECK(back.batch == 15);
    CHECK(back.poison == 16);

    const RangeRequest asked_request = decode_range(encode(RangeRequest{3, 4, ~std::uint64_t{0}, 5}));
    CHECK(asked_request.conversion == 3);
    CHECK(asked_request.most_steps == 4);
    CHECK(asked_request.first == ~std::uint64_t{0});
    CHECK(asked_request.count == 5);
    const auto range_of_nothing = encode(RangeRequest{});
    CHECK_THROWS_WITH(decode_range(std::span(range_of_nothing).first(23)), Contains("RANGE payload has 23 bytes"));
    const std::vector<RangeStep> steps{{1, 2}, {~std::uint64_t{0}, 0x0102030405060708}};
    CHECK(decode_steps(encode(steps)) == steps);
    CHECK(std::to_integer<int>(encode(steps)[24]) == 8);
    CHECK(decode_steps({}).empty());
    const auto bytes_of_steps = encode(steps);
    CHECK_THROWS_WITH(decode_steps(std::span(bytes_of_steps).first(31)), Contains("31 bytes of steps"));

    RunRequest run;
    run.operation = 41;
    run.poison = 0xA5;
    run.shape = {42, 43, 44, 0};
    run.inputs = {{3, 4}};
    run.outputs = {{2, 1}, {1, 8}};
    std::vector<std::byte> run_payload = encode(run);
    CHECK(run_payload.size() == 48 + 3 * 16);
    run_payload.resize(run_payload.size() + 12, std::byte{7});
    std::span<const std::byte> values;
    const RunRequest run_back = decode_run(run_payload, values);
    CHECK(run_back.operation == 41);
    CHECK(run_back.poison == 0xA5);
    CHECK(run_back.shape == run.shape);
    CHECK(run_back.inputs == run.inputs);
    CHECK(run_back.outputs == run.outputs);
    CHECK(run_back.output_values() == 3);
    CHECK(run_back.output_bytes() == 10);
    REQUIRE(values.size() == 12);
    CHECK(values[0] == std::byte{7});

    run.inputs[0].offset = 64;
    run.outputs[1].offset = 640;
    run.outputs[0].offset = 0;
    const std::vector<std::byte> shared_payload = encode_shared(run);
    CHECK(shared_payload.size() == 48 + 3 * 24);
    const RunRequest shared_back = decode_shared_run(shared_payload);
    CHECK(shared_back.operation == 41);
    CHECK(shared_back.poison == 0xA5);
    CHECK(shared_back.shape == run.shape);
    CHECK(shared_back.inputs == run.inputs);
    CHECK(shared_back.outputs == run.outputs);

    const auto result = decode_result(encode(ResultHeader{21, 22}));
    CHECK(result.count == 21);
    CHECK(result.digest == 22);
    const auto end = decode_end(encode(EndCounts{31, 32}));
    CHECK(end.requests == 31);
    CHECK(end.values == 32);
}

TEST_CASE("payloads that are too short, too long or unknown are errors") {
    const Bytes nothing;
    CHECK_THROWS_WITH(decode_convert(nothing), Contains("CONVERT payload has 0 bytes, it needs at least 64"));
    CHECK_THROWS_WITH(decode_result(nothing), Contains("at least 16"));
    CHECK_THROWS_WITH(decode_end(nothing), Contains("at least 16"));
    CHECK_THROWS_WITH(decode_end(Bytes(17)), Contains("17 bytes instead of 16"));
    std::span<const std::byte> values;
    CHECK_THROWS_WITH(decode_run(nothing, values), Contains("RUN payload has 0 bytes, it needs at least 48"));
    RunRequest run;
    run.inputs = {{3, 4}};
    CHECK_THROWS_WITH(decode_run(encode(run), values), Contains("has 0 bytes of inputs instead of 12"));
    run.inputs = {{1, 3}};
    CHECK_THROWS_WITH(decode_run(encode(run), values), Contains("values of 3 bytes"));
    run.inputs = {{std::uint64_t{1} << 62, 8}};
    CHECK_THROWS_WITH(decode_run(encode(run), values), Contains("have more than 1099511627776 bytes"));
    run.inputs = {{max_payload, 8}};
    CHECK_THROWS_WITH(decode_run(encode(run), values), Contains("larger than a frame"));
    run.inputs = {};
    run.outputs = {{max_payload, 1}};
    CHECK_THROWS_WITH(decode_run(encode(run), values), Contains("do not fit into a frame"));
    run.outputs.assign(9, {0, 1});
    CHECK_THROWS_WITH(decode_run(encode(run), values), Contains("9 arrays, the limit is 8"));

    CHECK_THROWS_WITH(decode_shared_run(nothing), Contains("RUN payload has 0 bytes, it needs at least 48"));
    run.outputs.assign(9, {0, 1, 0});
    CHECK_THROWS_WITH(decode_shared_run(encode_shared(run)), Contains("9 arrays, the limit is 8"));
    run.outputs = {{std::uint64_t{1} << 37U, 8, 0}, {1, 1, 0}};
    CHECK_THROWS_WITH(decode_shared_run(encode_shared(run)), Contains("have more than 1099511627776 bytes"));
    run.outputs = {{1, 1, 65}};
    CHECK_THROWS_WITH(decode_shared_run(encode_shared(run)), Contains("at offset 65, which is no multiple of 64"));
    run.outputs = {{1, 1, 64}};
    std::vector<std::byte> longer = encode_shared(run);
    longer.push_back(std::byte{0});
    CHECK_THROWS_WITH(decode_shared_run(longer), Contains("1 bytes too many"));
    longer.resize(longer.size() - 2);
    CHECK_THROWS_WITH(decode_shared_run(longer), Contains("it needs at least 72"));

    auto request = encode(ConvertRequest{});
    request[4] = std::byte{4};
    CHECK_THROWS_WITH(decode_convert(request), Contains("unknown kind of inputs 4"));
}

TEST_CASE("frames of every type pass through a pipe") {
    const std::string payload = GENERATE(std::string(), std::string("x"), std::string(300'000, 'y'));
    Pipe pipe;
    std::thread writer([&] {
        for (std::uint16_t type = 1; type <= 6; ++type) {
            write_frame(pipe.in, static_cast<Type>(type), type * 100u, payload.data(), payload.size());
        }
        pipe.close_in();
    });
    Reader reader(pipe.out);
    std::uint16_t seen = 0;
    while (const auto frame = reader.next()) {
        ++seen;
        CHECK(static_cast<std::uint16_t>(frame->header.type) == seen);
        CHECK(frame->header.id == seen * 100u);
        CHECK(text(*frame) == payload);
    }
    writer.join();
    CHECK(seen == 6);
}

namespace {

std::atomic<int> signals_handled;

/// Whether a thread of this process waits for something.
bool thread_is_asleep(pid_t thread) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(stat, line);
    return line.find(") S ") != std::string::npos;
}

} // namespace

TEST_CASE("signals that cut system calls short lose nothing") {
    struct sigaction handler {};
    struct sigaction before {};
    handler.sa_handler = [](int) { ++signals_handled; }; // without SA_RESTART: calls end early
    REQUIRE(::sigaction(SIGUSR1, &handler, &before) == 0);
    std::string payload(1'000'000, '\0');
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<char>(i * i >> 7);

    Pipe pipe;
    std::thread writer([&] { write_frame(pipe.in, Type::result, 3, payload.data(), payload.size()); });
    // Once the pipe is full the writer has written a part and waits.
    for (int filled = 0; filled < 65'536; std::this_thread::yield()) REQUIRE(::ioctl(pipe.out, FIONREAD, &filled) == 0);
    ::pthread_kill(writer.native_handle(), SIGUSR1);
    Reader reader(pipe.out);
    const auto frame = reader.next();
    writer.join();
    REQUIRE(frame);
    CHECK((text(*frame) == payload));

    // A reader that waits is woken for nothing, again and again, then gets its frame.
    std::atomic<bool> done = false;
    std::atomic<pid_t> number = 0;
    std::string observed_text;
    std::thread waiting([&] {
        number = ::gettid();
        observed_text = text(*reader.next());
        done = true;
    });
    while (number == 0) std::this_thread::yield();
    signals_handled = 0;
    for (int i = 0; i < 20; ++i) {
        while (!thread_is_asleep(number)) std::this_thread::yield();
        ::pthread_kill(waiting.native_handle(), SIGUSR1);
        while (signals_handled <= i) std::this_thread::yield();
    }
    while (!thread_is_asleep(number)) std::this_thread::yield();
    CHECK_FALSE(done);
    write_frame(pipe.in, Type::end, 0, "awake", 5);
    waiting.join();
    CHECK(observed_text == "awake");
    REQUIRE(::sigaction(SIGUSR1, &before, nullptr) == 0);
}

TEST_CASE("a decoder takes a stream in any pieces") {
    Bytes stream = frame_bytes(Type::hello, 0, "first");
    const Bytes second = frame_bytes(Type::failed, 4, "second one");
    stream.insert(stream.end(), second.begin(), second.end());
    const std::size_t piece = GENERATE(1u, 2u, 7u, 24u, 25u, 1000u);
    Decoder decoder;
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        decoder.feed(std::span(stream).subspan(at, std::min(piece, stream.size() - at)));
        while (const auto frame = decoder.next()) texts.push_back(text(*frame));
    }
    CHECK_NOTHROW(decoder.finish());
    CHECK(decoder.position() == stream.size());
    CHECK(texts == std::vector<std::string>{"first", "second one"});
}

TEST_CASE("a stream cut off at any byte is an error that names the byte") {
    const Bytes first = frame_bytes(Type::hello, 0, "ab");
    Bytes stream = first;
    const Bytes second = frame_bytes(Type::end, 0, "cdefg");
    stream.insert(stream.end(), second.begin(), second.end());
    for (std::size_t length = 0; length <= stream.size(); ++length) {
        const std::string error = error_of(Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(length)));
        const std::size_t inside = length < first.size() ? length : length - first.size();
        CAPTURE(length, error);
        if (length == 0 || length == first.size() || length == stream.size()) {
            CHECK(error.empty());
        } else if (inside >= 4) {
            CHECK_THAT(error, Contains("stream ends at byte " + std::to_string(length)));
            CHECK_THAT(error, Contains("starts at byte " + std::string(length < first.size() ? "0" : "26")));
        } else {
            CHECK_FALSE(error.empty());
        }
    }
}

TEST_CASE("headers that cannot be are errors with their place") {
    const Bytes good = frame_bytes(Type::hello, 0, "ab");
    const auto broken = [&](std::size_t at, unsigned char value) {
        Bytes stream = good;
        stream.insert(stream.end(), good.begin(), good.end());
        stream[good.size() + at] = static_cast<std::byte>(value);
        return error_of(stream);
    };
    CHECK_THAT(broken(0, 'm'), Contains("frame at byte 26: the magic is 0x4643586D, not 0x4643584D"));
    CHECK_THAT(broken(4, 2), Contains("frame at byte 26: version 2, this program speaks 1"));
    CHECK_THAT(broken(6, 0), Contains("frame at byte 26: unknown type 0"));
    CHECK_THAT(broken(6, 10), Contains("unknown type 10"));
    CHECK_THAT(broken(7, 1), Contains("unknown type 257"));
    CHECK_THAT(broken(20, 1), Contains("payload of 4294967298 bytes, the limit is 536870912"));
    CHECK_THAT(broken(23, 0xFF), Contains("the limit is"));
    // Text that a program printed, long and short.
    CHECK_THAT(error_of(Bytes(40, std::byte{'.'})), Contains("did something print?"));
    CHECK_THAT(error_of(Bytes(5, std::byte{'.'})), Contains("did something print?"));
}

TEST_CASE("a frame in parts is one, and a reader has errors of its own") {
    Pipe pipe;
    const std::byte parts[] = {std::byte{'d'}, std::byte{'e'}};
    write_frame(pipe.in, Type::end, 9, {std::span(parts).first(1), {}, std::span(parts).last(1)});
    const Bytes bytes = frame_bytes(Type::hello, 0, "abcdef");
    REQUIRE(::write(pipe.in, bytes.data(), 28) == 28);
    pipe.close_in();
    Reader reader(pipe.out);
    const auto frame = reader.next();
    REQUIRE(frame);
    CHECK(frame->header.id == 9);
    CHECK(text(*frame) == "de");
    CHECK_THROWS_WITH(static_cast<void>(reader.next()), Contains("stream ends at byte 54"));
    CHECK_THROWS_AS(static_cast<void>(Reader(-1).next()), std::system_error);
}

TEST_CASE("a frame that is too long is not written, and a reader that is gone is an error") {
    Pipe pipe;
    const Bytes huge(max_payload + 1);
    CHECK_THROWS_AS(write_frame(pipe.in, Type::result, 0, huge.data(), huge.size()), Error);
    std::signal(SIGPIPE, SIG_IGN);
    ::close(pipe.out);
    CHECK_THROWS_AS(write_frame(pipe.in, Type::result, 0, nullptr, 0), std::system_error);
    pipe.out = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    std::signal(SIGPIPE, SIG_DFL);
}

TEST_CASE("the digest is FNV-1a over words, the last one padded") {
    // By hand: (0xCBF29CE484222325 ^ word) * 0x100000001B3 for each word.
    CHECK(digest(nullptr, 0) == 0xCBF29CE484222325);
    const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    constexpr std::uint64_t prime = 0x100000001B3;
    constexpr std::uint64_t one = (0xCBF29CE484222325 ^ 0x0807060504030201) * prime;
    CHECK(digest(bytes, 8) == one);
    CHECK(digest(bytes, 9) == (one ^ 9) * prime);
    CHECK(digest(bytes, 3) == (0xCBF29CE484222325 ^ 0x030201) * prime);
}

TEST_CASE("values on the wire are little-endian") {
    const std::uint32_t value = 0x01020304;
    unsigned char wire[4];
    copy_values(wire, &value, 1, 4);
    CHECK(std::memcmp(wire, "\4\3\2\1", 4) == 0);
    std::uint32_t back = 0;
    copy_values(&back, wire, 1, 4);
    CHECK(back == value);
    copy_values(&back, &back, 1, 4);
    CHECK(std::memcmp(&back, wire, 4) == 0);
}

TEST_CASE("interleaved streams come back as they were, and broken ones are refused") {
    const Interleaved streams{16, {3, 500, ~std::uint64_t{0} - 20}};
    const std::vector<std::byte> bytes = encode(streams);
    CHECK(bytes.size() == 32);
    const Interleaved back = decode_interleaved(bytes);
    CHECK(back.length == 16);
    CHECK(back.firsts == streams.firsts);
    // Position 7 is the third value of the second stream; after 16 values of each they start again.
    CHECK(back.at(7) == 502);
    CHECK(back.at(48) == 3);
    CHECK_THROWS_AS(decode_interleaved(std::span(bytes).first(8)), Error);  // no stream
    CHECK_THROWS_AS(decode_interleaved(std::span(bytes).first(31)), Error); // half a word
    CHECK_THROWS_AS(decode_interleaved(encode(Interleaved{0, {1}})), Error);
    CHECK_THROWS_AS(decode_interleaved(encode(Interleaved{1, std::vector<std::uint64_t>(65, 1)})), Error);
    CHECK_NOTHROW(decode_interleaved(encode(Interleaved{1, std::vector<std::uint64_t>(64, 1)})));
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/frames.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace mxcert::frames {
namespace {

constexpr bool little = std::endian::native == std::endian::little;

constexpr std::uint64_t swap_bytes(std::uint64_t value, unsigned bytes) {
    std::uint64_t swapped = 0;
    for (unsigned i = 0; i < bytes; ++i) swapped |= ((value >> (8 * i)) & 0xFF) << (8 * (bytes - 1 - i));
    return swapped;
}

/// Puts integers one after the other, little-endian.
template <std::size_t Size> class Writer {
  public:
    template <class Integer> Writer& put(Integer value) {
        for (std::size_t i = 0; i < sizeof(Integer); ++i) {
            bytes_[at_++] = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFF);
        }
        return *this;
    }
    [[nodiscard]] const std::array<std::byte, Size>& done() const { return bytes_; }

  private:
    std::array<std::byte, Size> bytes_{};
    std::size_t at_ = 0;
};

/// Takes integers one after the other, little-endian. The caller has checked the length.
class Taker {
  public:
    explicit Taker(std::span<const std::byte> bytes) : bytes_(bytes) {}
    template <class Integer> Taker& take(Integer& value) {
        std::uint64_t taken = 0;
        for (std::size_t i = 0; i < sizeof(Integer); ++i)
            taken |= std::to_integer<std::uint64_t>(bytes_[at_++]) << (8 * i);
        value = static_cast<Integer>(taken);
        return *this;
    }

  private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

std::string hex(std::uint64_t value) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string text;
    do {
        text.insert(text.begin(), digits[value & 0xF]);
        value >>= 4;
    } while (value != 0);
    return "0x" + text;
}

void require(std::span<const std::byte> payload, std::size_t bytes, const char* what) {
    if (payload.size() >= bytes) return;
    throw Error(std::string(what) + " payload has " + std::to_string(payload.size()) + " bytes, it needs at least " +
                std::to_string(bytes));
}

[[noreturn]] void throw_truncated(std::uint64_t position, std::uint64_t have, std::uint64_t want, const char* part) {
    throw Error("stream ends at byte " + std::to_string(position + have) + ", inside the " + part +
                " of the frame that starts at byte " + std::to_string(position) + ": " + std::to_string(have) + " of " +
                std::to_string(want) + " bytes");
}

constexpr std::size_t run_bytes = 48;
constexpr std::size_t array_bytes = 16;
constexpr std::size_t shared_array_bytes = 24;

// Bytes of all arrays. Throws Error for what no memory holds, so that no sum can overflow.
std::uint64_t bytes_of(const std::vector<Array>& arrays) {
    std::uint64_t sum = 0;
    for (const Array& array : arrays) {
        if (array.width != 1 && array.width != 2 && array.width != 4 && array.width != 8)
            throw Error("an array of values of " + std::to_string(array.width) + " bytes in a RUN payload");
        constexpr std::uint64_t most = std::uint64_t{1} << 40U;
        if (array.count > (most - sum) / array.width)
            throw Error("the arrays of a RUN have more than " + std::to_string(most) + " bytes");
        sum += array.count * array.width;
    }
    return sum;
}

} // namespace

std::uint64_t digest(const void* data, std::uint64_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    std::uint64_t hash = 0xCBF29CE484222325;
    const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001B3; };
    for (; bytes >= 8; bytes -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        mix(little ? word : swap_bytes(word, 8));
    }
    if (bytes != 0) {
        std::uint64_t word = 0;
        for (std::uint64_t i = 0; i < bytes; ++i) word |= std::uint64_t{at[i]} << (8 * i);
        mix(word);
    }
    return hash;
}

std::array<std::byte, header_bytes> encode(const Header& header) {
    return Writer<header_bytes>()
        .put(header.magic)
        .put(header.version)
        .put(static_cast<std::uint16_t>(header.type))
        .put(header.id)
        .put(header.length)
        .done();
}

std::array<std::byte, convert_bytes> encode(const ConvertRequest& request) {
    return Writer<convert_bytes>()
        .put(request.conversion)
        .put(static_cast<std::uint32_t>(request.inputs))
        .put(request.first)
        .put(request.count)
        .put(request.input_offset)
        .put(request.random_offset)
        .put(request.output_offset)
        .put(request.batch)
        .put(request.poison)
        .done();
}

std::array<std::byte, range_bytes> encode(const RangeRequest& request) {
    return Writer<range_bytes>()
        .put(request.conversion)
        .put(request.most_steps)
        .put(request.first)
        .put(request.count)
        .done();
}

std::vector<std::byte> encode(std::span<const RangeStep> steps) {
    std::vector<std::byte> bytes;
    bytes.reserve(steps.size() * step_bytes);
    for (const RangeStep& step : steps) {
        const auto this_bytes = Writer<step_bytes>().put(step.last).put(step.code).done();
        bytes.insert(bytes.end(), this_bytes.begin(), this_bytes.end());
    }
    return bytes;
}

std::vector<std::byte> encode(const Interleaved& streams) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    std::vector<std::byte> bytes((1 + streams.firsts.size()) * word);
    const auto write = [&](std::size_t at, std::uint64_t value) {
        const auto this_bytes = Writer<word>().put(value).done();
        std::copy(this_bytes.begin(), this_bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at * word));
    };
    write(0, streams.length);
    for (std::size_t i = 0; i < streams.firsts.size(); ++i) write(i + 1, streams.firsts[i]);
    return bytes;
}

std::uint64_t RunRequest::output_values() const {
    std::uint64_t sum = 0;
    for (const Array& array : outputs) sum += array.count;
    return sum;
}
std::uint64_t RunRequest::input_bytes() const { return bytes_of(inputs); }
std::uint64_t RunRequest::output_bytes() const { return bytes_of(outputs); }

namespace {

std::vector<std::byte> encode_run(const RunRequest& request, bool shared) {
    const auto fixed = Writer<run_bytes>()
                           .put(request.operation)
                           .put(request.poison)
                           .put(static_cast<std::uint32_t>(request.inputs.size()))
                           .put(static_cast<std::uint32_t>(request.outputs.size()))
                           .put(request.shape[0])
                           .put(request.shape[1])
                           .put(request.shape[2])
                           .put(request.shape[3])
                           .done();
    std::vector<std::byte> bytes(fixed.begin(), fixed.end());
    for (const auto* arrays : {&request.inputs, &request.outputs}) {
        for (const Array& array : *arrays) {
            const auto size = Writer<shared_array_bytes>().put(array.count).put(array.width).put(array.offset).done();
            bytes.insert(bytes.end(), size.begin(), size.begin() + (shared ? shared_array_bytes : array_bytes));
        }
    }
    return bytes;
}

} // namespace

std::vector<std::byte> encode(const RunRequest& request) { return encode_run(request, false); }
std::vector<std::byte> encode_shared(const RunRequest& request) { return encode_run(request, true); }

std::array<std::byte, result_bytes> encode(const ResultHeader& result) {
    return Writer<result_bytes>().put(result.count).put(result.digest).done();
}

std::array<std::byte, end_bytes> encode(const EndCounts& counts) {
    return Writer<end_bytes>().put(counts.requests).put(counts.values).done();
}

Header decode_header(std::span<const std::byte> bytes, std::uint64_t position) {
    const auto fail = [position](const std::string& text) {
        throw Error("frame at byte " + std::to_string(position) + ": " + text);
    };
    Header header;
    std::uint16_t type = 0;
    // The magic first, also of a header that was cut off: it tells text that a program printed from a stream that
    // broke.
    if (bytes.size() >= sizeof(header.magic)) Taker(bytes).take(header.magic);
    if (header.magic != magic) {
        fail("the magic is " + hex(header.magic) + ", not " + hex(magic) +
             " (\"MXCF\"): not a frame; did something print?");
    }
    if (bytes.size() < header_bytes) throw_truncated(position, bytes.size(), header_bytes, "header");
    Taker(bytes).take(header.magic).take(header.version).take(type).take(header.id).take(header.length);
    header.type = static_cast<Type>(type);
    if (header.version != version) {
        fail("version " + std::to_string(header.version) + ", this program speaks " + std::to_string(version));
    }
    if (type < static_cast<std::uint16_t>(Type::hello) || type > static_cast<std::uint16_t>(Type::range)) {
        fail("unknown type " + std::to_string(type));
    }
    if (header.length > max_payload) {
        fail("payload of " + std::to_string(header.length) + " bytes, the limit is " + std::to_string(max_payload));
    }
    return header;
}

ConvertRequest decode_convert(std::span<const std::byte> payload) {
    require(payload, convert_bytes, "CONVERT");
    ConvertRequest request;
    std::uint32_t inputs = 0;
    Taker(payload)
        .take(request.conversion)
        .take(inputs)
        .take(request.first)
        .take(request.count)
        .take(request.input_offset)
        .take(request.random_offset)
        .take(request.output_offset)
        .take(request.batch)
        .take(request.poison);
    if (inputs > static_cast<std::uint32_t>(Inputs::interleaved)) {
        throw Error("unknown kind of inputs " + std::to_string(inputs) + " in a CONVERT payload");
    }
    request.inputs = static_cast<Inputs>(inputs);
    return request;
}

Interleaved decode_interleaved(std::span<const std::byte> bytes) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    if (bytes.size() % word != 0 || bytes.size() < 2 * word || bytes.size() > (1 + most_streams) * word)
        throw Error(std::to_string(bytes.size()) + " bytes of streams, expected a length and 1 to " +
                    std::to_string(most_streams) + " first codes of 8 bytes");
    Interleaved streams;
    Taker taker(bytes);
    taker.take(streams.length);
    if (streams.length == 0) throw Error("streams of no codes");
    streams.firsts.resize(bytes.size() / word - 1);
    for (std::uint64_t& first : streams.firsts) taker.take(first);
    return streams;
}

RangeRequest decode_range(std::span<const std::byte> payload) {
    require(payload, range_bytes, "RANGE");
    RangeRequest request;
    Taker(payload).take(request.conversion).take(request.most_steps).take(request.first).take(request.count);
    return request;
}

std::vector<RangeStep> decode_steps(std::span<const std::byte> bytes) {
    if (bytes.size() % step_bytes != 0)
        throw Error(std::to_string(bytes.size()) + " bytes of steps, which have " + std::to_string(step_bytes) +
                    " each");
    std::vector<RangeStep> steps(bytes.size() / step_bytes);
    for (std::size_t i = 0; i < steps.size(); ++i)
        Taker(bytes.subspan(i * step_bytes)).take(steps[i].last).take(steps[i].code);
    return steps;
}

namespace {

// The fixed part and the sizes; `following` is what comes after them.
RunRequest decode_sizes(std::span<const std::byte> payload, bool shared, std::span<const std::byte>& following) {
    require(payload, run_bytes, "RUN");
    RunRequest request;
    std::uint32_t input_count = 0;
    std::uint32_t output_count = 0;
    Taker(payload)
        .take(request.operation)
        .take(request.poison)
        .take(input_count)
        .take(output_count)
        .take(request.shape[0])
        .take(request.shape[1])
        .take(request.shape[2])
        .take(request.shape[3]);
    if (input_count > max_arrays || output_count > max_arrays)
        throw Error("RUN with " + std::to_string(std::max(input_count, output_count)) + " arrays, the limit is " +
                    std::to_string(max_arrays));
    const std::size_t size = shared ? shared_array_bytes : array_bytes;
    const std::size_t fixed = run_bytes + size * (input_count + output_count);
    require(payload, fixed, "RUN");
    std::size_t at = run_bytes;
    for (std::uint32_t i = 0; i < input_count + output_count; ++i, at += size) {
        Array array;
        Taker taker(payload.subspan(at));
        taker.take(array.count).take(array.width);
        if (shared) taker.take(array.offset);
        (i < input_count ? request.inputs : request.outputs).push_back(array);
    }
    following = payload.subspan(fixed);
    return request;
}

} // namespace

RunRequest decode_run(std::span<const std::byte> payload, std::span<const std::byte>& inputs) {
    const RunRequest request = decode_sizes(payload, false, inputs);
    if (std::max(request.input_bytes(), request.output_bytes()) > max_payload)
        throw Error("the arrays of a RUN are larger than a frame, " + std::to_string(max_payload) + " bytes");
    if (inputs.size() != request.input_bytes())
        throw Error("RUN payload has " + std::to_string(inputs.size()) + " bytes of inputs instead of " +
                    std::to_string(request.input_bytes()));
    if (request.output_bytes() > max_payload - result_bytes)
        throw Error("the outputs of a RUN do not fit into a frame");
    return request;
}

RunRequest decode_shared_run(std::span<const std::byte> payload) {
    std::span<const std::byte> following;
    const RunRequest request = decode_sizes(payload, true, following);
    if (!following.empty()) throw Error(std::to_string(following.size()) + " bytes too many in a RUN_SHARED payload");
    // Both sums, for what they throw.
    (void)request.input_bytes();
    (void)request.output_bytes();
    for (const auto* arrays : {&request.inputs, &request.outputs})
        for (const Array& array : *arrays)
            if (array.offset % array_alignment != 0)
                throw Error("an array of a RUN_SHARED at offset " + std::to_string(array.offset) +
                            ", which is no multiple of " + std::to_string(array_alignment));
    return request;
}

ResultHeader decode_result(std::span<const std::byte> payload) {
    require(payload, result_bytes, "RESULT");
    ResultHeader result;
    Taker(payload).take(result.count).take(result.digest);
    return result;
}

EndCounts decode_end(std::span<const std::byte> payload) {
    require(payload, end_bytes, "END");
    if (payload.size() > end_bytes) {
        throw Error("END payload has " + std::to_string(payload.size()) + " bytes instead of " +
                    std::to_string(end_bytes));
    }
    EndCounts counts;
    Taker(payload).take(counts.requests).take(counts.values);
    return counts;
}

void copy_values(void* to, const void* from, std::uint64_t count, unsigned bytes) {
    if (count == 0) return;
    if (little || bytes == 1) {
        if (to != from) std::memcpy(to, from, static_cast<std::size_t>(count * bytes));
        return;
    }
    auto* out = static_cast<unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    for (std::uint64_t i = 0; i < count; ++i, in += bytes, out += bytes) {
        std::array<unsigned char, 8> value{};
        std::copy_n(in, bytes, value.begin());
        std::reverse_copy(value.begin(), value.begin() + bytes, out);
    }
}

void write_frame(int fd, Type type, std::uint64_t id, const void* payload, std::uint64_t bytes) {
    write_frame(fd, type, id, {std::span(static_cast<const std::byte*>(payload), bytes)});
}

void write_frame(int fd, Type type, std::uint64_t id, std::initializer_list<std::span<const std::byte>> payload) {
    Header header;
    header.type = type;
    header.id = id;
    for (const auto& part : payload) header.length += part.size();
    if (header.length > max_payload) {
        throw Error("payload of " + std::to_string(header.length) + " bytes to be written, the limit is " +
                    std::to_string(max_payload));
    }
    const auto head = encode(header);
    std::vector<std::span<const std::byte>> parts{head};
    parts.insert(parts.end(), payload.begin(), payload.end());

    std::vector<iovec> vectors;
    for (std::size_t first = 0; first < parts.size();) {
        vectors.clear();
        for (std::size_t i = first; i < parts.size(); ++i) {
            // writev() does not write through the pointer; iovec has no const form.
            vectors.push_back({const_cast<std::byte*>(parts[i].data()), parts[i].size()});
        }
        const ssize_t written = ::writev(fd, vectors.data(), static_cast<int>(vectors.size()));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw std::system_error(errno, std::generic_category(), "writing a frame");
        auto left = static_cast<std::size_t>(written);
        while (first < parts.size() && left >= parts[first].size()) left -= parts[first++].size();
        if (first < parts.size()) parts[first] = parts[first].subspan(left);
    }
}

void Decoder::feed(std::span<const std::byte> bytes) {
    // Whole frames that were given out are dropped here, so that a long stream needs no more than its longest frame.
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

std::optional<Frame> Decoder::next() {
    const auto rest = std::span<const std::byte>(buffer_).subspan(begin_);
    if (rest.size() < header_bytes) return std::nullopt;
    const Header header = decode_header(rest.first(header_bytes), position_);
    const auto length = static_cast<std::size_t>(header.length);
    if (rest.size() - header_bytes < length) return std::nullopt;
    const auto payload = rest.subspan(header_bytes, length);
    Frame frame{header, {payload.begin(), payload.end()}};
    begin_ += header_bytes + length;
    position_ += header_bytes + length;
    return frame;
}

void Decoder::finish() const {
    const auto rest = std::span<const std::byte>(buffer_).subspan(begin_);
    if (rest.empty()) return;
    const Header header = decode_header(rest, position_);
    throw_truncated(position_, rest.size(), header_bytes + header.length, "payload");
}

std::optional<Frame> Reader::next() {
    for (;;) {
        if (auto frame = decoder_.next()) return frame;
        const ssize_t size = ::read(fd_, chunk_.data(), chunk_.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) throw std::system_error(errno, std::generic_category(), "reading frames");
        if (size == 0) {
            decoder_.finish();
            return std::nullopt;
        }
        decoder_.feed(std::span(chunk_).first(static_cast<std::size_t>(size)));
    }
}

} // namespace mxcert::frames

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// The framing between the harness and a worker (docs/frames.md), the same through pipes and through files. All integers
// are little-endian. The harness writes to the worker's standard input and reads from its standard output:
//
//   worker:  HELLO                           once, at start
//   harness: START                           once
//   harness: CONVERT, RANGE, RUN, RUN_SHARED  worker: RESULT or FAILED, one for each, in the order of the requests
//   harness: END           worker: END       once; then the worker exits with 0
//
// The structs below are in the byte order of this machine: encode() and the decode functions are the only way to the
// wire.
namespace mxcert::frames {

inline constexpr std::uint32_t magic = 0x4643584D; ///< "MXCF"
inline constexpr std::uint16_t version = 1;
/// 512 MiB, a matrix of 8192 x 8192 in FP32 and more; longer is a protocol error.
inline constexpr std::uint64_t max_payload = std::uint64_t{1} << 29;

enum class Type : std::uint16_t {
    hello = 1,      ///< JSON: {"protocol":1,"backend":{"name","version","description"},
                    ///<        "conversions":[{"source","target","rounding","overflow","random_bits"}],
                    ///<        "operations":[{"name","attributes":{"key":"value"}}], which may be left out,
                    ///<        "shared":true if it can use shared memory; without it START gives none,
                    ///<        "shared_runs":true if it takes RUN_SHARED; without it RUN is sent,
                    ///<        "ranges":true if it takes RANGE; without it CONVERT alone is sent,
                    ///<        "interleaved":true if it takes Inputs::interleaved; without it inputs are sent,
                    ///<        "max_batch":values that a call may have at most; without it there is no limit,
                    ///<        "one_worker":true if workers would share one device; without it there is one a core}
                    ///<   or: {"protocol":1,"error":"why it cannot start"}; the worker then ends with 1
    start = 2,      ///< JSON: {"protocol":1,"shared":{"fd":3,"bytes":N} or null,"options":""}
    convert = 3,    ///< ConvertRequest, then inline inputs and randoms if any
    result = 4,     ///< ResultHeader, then the outputs unless they lie in shared memory
    failed = 5,     ///< JSON: {"status":"unsupported" or "error","message":"..."}
    end = 6,        ///< EndCounts, both ways: the worker's must equal the harness's
    run = 7,        ///< RunRequest, the sizes of its arrays, then the inputs one after the other
    run_shared = 8, ///< RunRequest, then sizes and offsets of its arrays: all of them lie in shared memory
    range = 9,      ///< RangeRequest: the RESULT has the steps of the answers
};

/// 24 bytes before every payload.
struct Header {
    std::uint32_t magic = frames::magic;
    std::uint16_t version = frames::version;
    Type type = Type::end;
    std::uint64_t id = 0;     ///< of the request, repeated in its answer; 0 for the others
    std::uint64_t length = 0; ///< of the payload, bytes
};
inline constexpr std::size_t header_bytes = 24;

/// Where the inputs of a request come from.
enum class Inputs : std::uint32_t {
    range = 0,       ///< the codes first, first+1, ... , count of them: the worker makes them; randoms at random_offset
    inlined = 1,     ///< `count` values follow in the payload, then `count` uint32 randoms if the conversion takes any
    shared = 2,      ///< they lie in shared memory at input_offset, randoms at random_offset
    interleaved = 3, ///< an Interleaved follows in the payload: the worker makes its values from position `first` on;
                     ///< only for workers whose HELLO says that they take them
};

inline constexpr std::uint64_t no_offset = ~std::uint64_t{0};

/// Payload of `convert`, 64 bytes. Offsets are bytes from the start of shared memory, multiples of the size of a value;
/// values in shared memory are in the byte order of the machine, those in a payload little-endian. A value takes
/// Format::bytes() bytes. Fields a request does not use are ignored.
struct ConvertRequest {
    std::uint32_t conversion = 0; ///< index into the conversions of HELLO
    Inputs inputs = Inputs::range;
    std::uint64_t first = 0; ///< range only
    std::uint64_t count = 0; ///< values, at least 1
    std::uint64_t input_offset = no_offset;
    std::uint64_t random_offset = no_offset;
    std::uint64_t output_offset = no_offset; ///< no_offset: answer with the outputs in the payload
    std::uint64_t batch = 0;  ///< values a call of the backend, 0: the worker's choice; repeats use another
    std::uint64_t poison = 0; ///< the byte the worker fills its own output buffer with before the call; shared memory
                              ///< is filled by the harness
};
inline constexpr std::size_t convert_bytes = 64;

/// Ascending streams of inputs side by side, so that neighbours in a call come from different parts of the source:
/// position p has the code firsts[p % n] + (p / n) % length, where n is the number of streams. In the payload behind a
/// ConvertRequest: `length`, then the first codes, 8 bytes each. Of a source with a given scale all have one scale.
struct Interleaved {
    std::uint64_t length = 0;          ///< codes of a stream, at least 1; it starts again after them
    std::vector<std::uint64_t> firsts; ///< 1 to most_streams

    [[nodiscard]] std::uint64_t at(std::uint64_t position) const {
        return firsts[position % firsts.size()] + position / firsts.size() % length;
    }
};
inline constexpr std::size_t most_streams = 64;

/// Payload of `range`, 24 bytes: the codes first, first+1, ... , count of them, whose answers come as steps. A worker
/// may refuse any with FAILED "unsupported": they are then asked with `convert`.
struct RangeRequest {
    std::uint32_t conversion = 0; ///< index into the conversions of HELLO
    std::uint32_t most_steps = 0; ///< more may not come
    std::uint64_t first = 0;
    std::uint64_t count = 0; ///< values, at least 1
};
inline constexpr std::size_t range_bytes = 24;
inline constexpr std::uint32_t most_range_steps = 1 << 16; ///< that a worker has to give: a megabyte

/// Inputs that give the same code: those behind the step before, up to `last`. 16 bytes.
struct RangeStep {
    std::uint64_t last = 0;
    std::uint64_t code = 0;

    friend bool operator==(const RangeStep&, const RangeStep&) = default;
};
inline constexpr std::size_t step_bytes = 16;

/// An array of a run.
struct Array {
    std::uint64_t count = 0;          ///< values
    std::uint64_t width = 1;          ///< bytes of a value: 1, 2, 4 or 8
    std::uint64_t offset = no_offset; ///< in shared memory, a multiple of array_alignment; no_offset: in the payload

    friend bool operator==(const Array&, const Array&) = default;
};
inline constexpr std::uint32_t max_arrays = 8;       ///< inputs, and outputs, of a run
inline constexpr std::uint64_t array_alignment = 64; ///< bytes: that of the arrays that a backend gets

/// Payload of `run`: 48 bytes, then count and width of each input and of each output, then the values of the inputs,
/// little-endian. The outputs come in the payload of the RESULT, one after the other. Payload of `run_shared`: 48
/// bytes, then count, width and offset of each; nothing follows, and the RESULT has no outputs.
struct RunRequest {
    std::uint32_t operation = 0; ///< index into the operations of HELLO
    std::uint32_t poison = 0;    ///< the byte the worker fills the outputs with before the call; shared memory is
                                 ///< filled by the harness
    std::array<std::uint64_t, 4> shape{};
    std::vector<Array> inputs;
    std::vector<Array> outputs;

    /// Values of the outputs: what RESULT and END count.
    [[nodiscard]] std::uint64_t output_values() const;
    [[nodiscard]] std::uint64_t input_bytes() const;
    [[nodiscard]] std::uint64_t output_bytes() const;
};

/// Payload of `result`, 16 bytes before inline outputs.
struct ResultHeader {
    std::uint64_t count = 0;  ///< values converted, or of all outputs of a run: must equal the request's
    std::uint64_t digest = 0; ///< digest() of inline outputs or steps as they stand in the payload; 0 for shared memory
};
inline constexpr std::size_t result_bytes = 16;

/// Payload of `end`, 16 bytes.
struct EndCounts {
    std::uint64_t requests =
        0; ///< CONVERT, RANGE, RUN and RUN_SHARED frames sent; by the worker: answered, with RESULT or with FAILED
    std::uint64_t values = 0; ///< the sum of the counts in those requests, modulo 2^64
};
inline constexpr std::size_t end_bytes = 16;

/// A received frame.
struct Frame {
    Header header;
    std::vector<std::byte> payload;
};

/// A broken frame or payload: what was wrong and, for a stream, at which byte of it.
struct Error : std::exception {
    explicit Error(std::string text) : text_(std::move(text)) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

/// FNV-1a over the bytes taken as 8-byte little-endian words, the last one padded with zeros.
[[nodiscard]] std::uint64_t digest(const void* data, std::uint64_t bytes);

/// The bytes of a header or payload on the wire.
[[nodiscard]] std::array<std::byte, header_bytes> encode(const Header& header);
[[nodiscard]] std::array<std::byte, convert_bytes> encode(const ConvertRequest& request);
[[nodiscard]] std::vector<std::byte> encode(const Interleaved& streams);
[[nodiscard]] std::array<std::byte, range_bytes> encode(const RangeRequest& request);
[[nodiscard]] std::vector<std::byte> encode(std::span<const RangeStep> steps);
[[nodiscard]] std::vector<std::byte> encode(const RunRequest& request);
[[nodiscard]] std::vector<std::byte> encode_shared(const RunRequest& request);
[[nodiscard]] std::array<std::byte, result_bytes> encode(const ResultHeader& result);
[[nodiscard]] std::array<std::byte, end_bytes> encode(const EndCounts& counts);

/// The reverse. Each throws Error if there are too few bytes; decode_header also for a wrong magic, version, type or
/// length (`position` is where the header starts in its stream), decode_convert for an unknown kind of inputs,
/// decode_run for too many arrays, an impossible width, and inputs or outputs that no frame holds or that do not fit
/// the payload (`inputs` is where their values are in it), decode_shared_run for the same and for an offset that is not
/// aligned, decode_end for too many bytes. What follows the fixed part of a convert or result payload is the caller's
/// to check, and so is whether arrays lie inside the shared memory.
[[nodiscard]] Header decode_header(std::span<const std::byte> bytes, std::uint64_t position);
[[nodiscard]] ConvertRequest decode_convert(std::span<const std::byte> payload);
[[nodiscard]] RangeRequest decode_range(std::span<const std::byte> payload);
/// Of what follows a ConvertRequest. Throws Error for none or too many streams, and for a length of 0.
[[nodiscard]] Interleaved decode_interleaved(std::span<const std::byte> bytes);
/// Throws Error for bytes that are no whole number of steps.
[[nodiscard]] std::vector<RangeStep> decode_steps(std::span<const std::byte> bytes);
[[nodiscard]] RunRequest decode_run(std::span<const std::byte> payload, std::span<const std::byte>& inputs);
[[nodiscard]] RunRequest decode_shared_run(std::span<const std::byte> payload);
[[nodiscard]] ResultHeader decode_result(std::span<const std::byte> payload);
[[nodiscard]] EndCounts decode_end(std::span<const std::byte> payload);

/// Copies `count` values of `bytes` (1, 2, 4 or 8) each between the machine's byte order and that of a payload; the
/// same both ways. Neither side needs to be aligned; `to` may be `from`.
void copy_values(void* to, const void* from, std::uint64_t count, unsigned bytes);

/// Writes a whole frame to a blocking descriptor, with one system call where the kernel takes it. Throws
/// std::system_error (EPIPE: the reader is gone; the caller must have SIGPIPE ignored), or Error if the payload is
/// longer than max_payload. The second form writes the parts one after the other as one payload.
void write_frame(int fd, Type type, std::uint64_t id, const void* payload, std::uint64_t bytes);
void write_frame(int fd, Type type, std::uint64_t id, std::initializer_list<std::span<const std::byte>> payload);

/// Takes the bytes of a stream as they come and gives whole frames. For readers that wait with poll() on many streams.
class Decoder {
  public:
    /// Appends bytes of the stream.
    void feed(std::span<const std::byte> bytes);
    /// The next whole frame; nullopt if its bytes are not all there. Throws Error on anything that cannot become a
    /// frame, as early as its header is there.
    [[nodiscard]] std::optional<Frame> next();
    /// To be called at the end of the stream: throws Error if it ends inside a frame.
    void finish() const;
    /// Where the next frame starts, in bytes from the start of the stream.
    [[nodiscard]] std::uint64_t position() const { return position_; }

  private:
    std::vector<std::byte> buffer_;
    std::size_t begin_ = 0; ///< of the next frame in buffer_
    std::uint64_t position_ = 0;
};

/// Reads frames from a blocking descriptor through a Decoder, many frames a system call.
class Reader {
  public:
    explicit Reader(int fd) : fd_(fd), chunk_(64 * 1024) {}
    /// Nullopt at an end of file between frames. Throws Error on anything that is not a whole valid frame,
    /// std::system_error if reading fails.
    [[nodiscard]] std::optional<Frame> next();

  private:
    int fd_;
    Decoder decoder_;
    std::vector<std::byte> chunk_; ///< read at once
};

} // namespace mxcert::frames

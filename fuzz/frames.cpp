// SPDX-License-Identifier: Apache-2.0
// A stream of frames: however it is cut into pieces the same frames come out of it, and they encode to the same bytes.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;
using frames::Frame;

struct Decoded {
    std::vector<Frame> frames;
    std::string error; ///< of the frames; "" if they were all good
    std::string end;   ///< what finish() said
    std::uint64_t position = 0;
};

Decoded decode(std::span<const std::byte> stream, std::size_t piece) {
    Decoded decoded;
    frames::Decoder decoder;
    try {
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            decoder.feed(stream.subspan(at, std::min(piece, stream.size() - at)));
            while (auto frame = decoder.next()) decoded.frames.push_back(std::move(*frame));
        }
    } catch (const frames::Error& error) {
        decoded.error = error.what();
    }
    decoded.position = decoder.position();
    if (!decoded.error.empty()) return decoded;
    try {
        decoder.finish();
    } catch (const frames::Error& error) {
        decoded.end = error.what();
    }
    return decoded;
}

template <class Bytes> void require_bytes(const Bytes& encoded, std::span<const std::byte> wanted) {
    fuzz::require(std::equal(encoded.begin(), encoded.end(), wanted.begin()), "what was decoded encodes to its bytes");
}

void check_payload(const Frame& frame) {
    const std::span<const std::byte> payload = frame.payload;
    try {
        require_bytes(encode(frames::decode_convert(payload)), payload);
    } catch (const frames::Error&) { // not of this kind
    }
    try {
        std::span<const std::byte> inputs;
        const frames::RunRequest run = frames::decode_run(payload, inputs);
        const std::vector<std::byte> encoded = encode(run);
        require_bytes(encoded, payload);
        fuzz::require(encoded.size() + inputs.size() == payload.size(), "a RUN is its sizes and its inputs");
        fuzz::require(run.output_bytes() <= frames::max_payload, "the outputs of a RUN fit into a frame");
    } catch (const frames::Error&) { // not of this kind
    }
    try {
        const std::vector<std::byte> encoded = encode_shared(frames::decode_shared_run(payload));
        require_bytes(encoded, payload);
        fuzz::require(encoded.size() == payload.size(), "a RUN_SHARED has nothing behind its sizes");
    } catch (const frames::Error&) { // not of this kind
    }
    try {
        require_bytes(encode(frames::decode_result(payload)), payload);
        (void)frames::digest(payload.data(), payload.size());
    } catch (const frames::Error&) { // too short
    }
    try {
        require_bytes(encode(frames::decode_end(payload)), payload);
        fuzz::require(payload.size() == frames::end_bytes, "an END has nothing behind its counts");
    } catch (const frames::Error&) { // of another length
    }
}

void run(std::string_view input) {
    const auto stream = std::as_bytes(std::span(input.data(), input.size()));
    const Decoded whole = decode(stream, std::max<std::size_t>(stream.size(), 1));
    std::size_t at = 0;
    for (const Frame& frame : whole.frames) {
        require_bytes(encode(frame.header), stream.subspan(at));
        require_bytes(frame.payload, stream.subspan(at + frames::header_bytes));
        at += frames::header_bytes + frame.payload.size();
        check_payload(frame);
    }
    fuzz::require(whole.position == at, "the position is that of the next frame");
    fuzz::require(!whole.error.empty() || whole.end.empty() == (at == stream.size()),
                  "a stream ends well exactly where a frame does");
    for (const std::size_t piece : {1U, 7U, 24U, 4096U}) {
        const Decoded cut = decode(stream, piece);
        fuzz::require_same(cut.error + cut.end, whole.error + whole.end, "the pieces of a stream do not matter");
        fuzz::require(cut.frames.size() == whole.frames.size() && cut.position == whole.position,
                      "the pieces of a stream do not matter");
        for (std::size_t i = 0; i < cut.frames.size(); ++i)
            fuzz::require(cut.frames[i].payload == whole.frames[i].payload, "the pieces of a stream do not matter");
    }
}

const fuzz::Target registered{"frames", run, fuzz::Form::frames};

} // namespace

// SPDX-License-Identifier: Apache-2.0
// A program that speaks the frames itself: FP16 to E4M3, where it gives every input its upper byte, and FP16 to E5M2,
// where it is right. Backend options name a way in which it breaks the protocol; without one it is honest.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "conformance/frames/frames.hpp"

namespace {

using namespace mxcert::frames;

void write_text(Type type, std::uint64_t id, const std::string& text) {
    write_frame(1, type, id, text.data(), text.size());
}

/// The upper byte of an FP16, or for the last offer the E5M2 nearest to it.
std::byte convert(std::uint32_t conversion, std::uint64_t x) {
    if (conversion != 3) return static_cast<std::byte>(x >> 8);
    if ((x & 0x7FFF) > 0x7C00) return static_cast<std::byte>((x >> 8) | 2);
    return static_cast<std::byte>((x + 0x7F + ((x >> 8) & 1)) >> 8);
}

/// The input at a place of a request: the payload has it, or it is one of a range.
std::uint64_t input_of(const ConvertRequest& request, const std::vector<std::byte>& payload, std::uint64_t at) {
    if (request.inputs != Inputs::inlined) return request.first + at;
    const std::size_t place = convert_bytes + 2 * at;
    return std::to_integer<std::uint64_t>(payload.at(place)) | std::to_integer<std::uint64_t>(payload.at(place + 1))
                                                                   << 8;
}

std::vector<std::byte> answer(const ConvertRequest& request, const std::vector<std::byte>& inputs,
                              const std::string& way) {
    std::vector<std::byte> outputs(request.count, static_cast<std::byte>(request.poison));
    const std::uint64_t written = way == "unwritten" ? request.count - 1 : request.count;
    for (std::uint64_t i = 0; i < written; ++i) outputs[i] = convert(request.conversion, input_of(request, inputs, i));
    ResultHeader result{request.count, digest(outputs.data(), outputs.size())};
    if (way == "wrong_count") --result.count;
    if (way == "wrong_digest") ++result.digest;
    if (way == "short_outputs") outputs.pop_back();
    const auto head = encode(result);
    std::vector<std::byte> payload(head.begin(), head.end());
    payload.insert(payload.end(), outputs.begin(), outputs.end());
    return payload;
}

std::vector<std::byte> answer(const RangeRequest& request, const std::string& way) {
    std::vector<RangeStep> steps;
    for (std::uint64_t i = request.first; i < request.first + request.count; ++i) {
        const auto code = std::to_integer<std::uint64_t>(convert(request.conversion, i));
        if (!steps.empty() && steps.back().code == code) steps.pop_back();
        steps.push_back({i, code});
    }
    if (way == "range_many") steps.resize(request.most_steps + 1);
    if (way == "range_back") std::swap(steps[7], steps[8]);
    if (way == "range_beyond") ++steps.back().last;
    if (way == "range_short") steps.pop_back();
    if (way == "range_empty") steps.clear();
    if (way == "range_code") steps[7].code = 0x100;
    if (way == "range_lies") steps[7].code = 0;
    auto bytes = encode(steps);
    if (way == "range_odd") bytes.pop_back();
    const ResultHeader result{request.count, digest(bytes.data(), bytes.size()) + (way == "range_digest" ? 1 : 0)};
    const auto head = encode(result);
    bytes.insert(bytes.begin(), head.begin(), head.end());
    return bytes;
}

void write_header_and_leave() {
    Header header;
    header.type = Type::result;
    header.id = 1;
    header.length = 1000;
    const auto bytes = encode(header);
    if (::write(1, bytes.data(), bytes.size()) < 0) std::exit(1);
    std::exit(0);
}

} // namespace

int main() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    const char* const ranges = std::getenv("MXCERT_RUDE_RANGES");
    write_text(
        Type::hello, 0,
        R"({"protocol":1,"backend":{"name":"rude","version":"1","description":"a program for tests"},"conversions":[)"
        R"({"source":"fp16","target":"e4m3","rounding":"nearest_even","overflow":"sat","random_bits":0},)"
        R"({"source":"fp99","target":"e4m3","rounding":"nearest_even","overflow":"sat"},)"
        R"({"source":"fp16","target":"e4m3","rounding":"nearest_even","overflow":"sat"},)"
        R"({"source":"fp16","target":"e5m2","rounding":"nearest_even","overflow":"nosat"}])" +
            std::string(ranges != nullptr ? R"(,"ranges":true})" : "}"));
    Reader reader(0);
    std::string way;
    EndCounts counts;
    while (const auto frame = reader.next()) {
        if (frame->header.type == Type::start) {
            const std::string text(reinterpret_cast<const char*>(frame->payload.data()), frame->payload.size());
            const std::size_t at = text.find("\"options\":\"") + 11;
            way = text.substr(at, text.find('"', at) - at);
        } else if (frame->header.type == Type::convert) {
            const ConvertRequest request = decode_convert(frame->payload);
            ++counts.requests;
            counts.values += request.count;
            if (way == "eof") return 0;
            if (way == "exit_3") return 3;
            if (way == "garbage") write_text(Type::result, 0, std::string(5, 'x'));
            if (way == "print" && ::write(1, "hello, world; this is no frame\n", 31) < 0) return 1;
            if (way == "cut_frame") write_header_and_leave();
            if (way == "early_end") write_text(Type::end, 0, std::string(16, '\0'));
            if (way == "bad_failed") write_text(Type::failed, frame->header.id, R"({"status":"fine"})");
            if (way == "unsupported")
                write_text(Type::failed, frame->header.id, R"({"status":"unsupported","message":"not today"})");
            const auto payload = answer(request, frame->payload, way);
            const std::uint64_t id = frame->header.id + (way == "wrong_id" ? 1 : 0);
            if (way == "no_result") continue;
            if (way != "unsupported") write_frame(1, Type::result, id, payload.data(), payload.size());
            if (way == "twice") write_frame(1, Type::result, id, payload.data(), payload.size());
        } else if (frame->header.type == Type::range) {
            const RangeRequest request = decode_range(frame->payload);
            ++counts.requests;
            counts.values += request.count;
            const auto payload = answer(request, way);
            write_frame(1, Type::result, frame->header.id, payload.data(), payload.size());
        } else if (frame->header.type == Type::end) {
            if (way == "extra_frame") write_frame(1, Type::result, 1, nullptr, 0);
            if (way == "wrong_requests") ++counts.requests;
            if (way == "wrong_values") ++counts.values;
            const auto payload = encode(counts);
            write_frame(1, Type::end, 0, payload.data(), payload.size());
            if (way == "after_end") write_frame(1, Type::end, 0, payload.data(), payload.size());
            if (way == "linger") ::pause();
            return way == "exit_1" ? 1 : 0;
        }
    }
    return 1;
}

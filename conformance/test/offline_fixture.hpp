// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "conformance/offline/offline.hpp"
#include "conformance/test/program.hpp"
#include "vectors/tables/step_table.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::test {

inline void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The frames of a file.
inline std::vector<frames::Frame> frames_of(const std::string& bytes) {
    frames::Decoder decoder;
    decoder.feed(std::as_bytes(std::span(bytes)));
    std::vector<frames::Frame> all;
    while (auto frame = decoder.next()) all.push_back(std::move(*frame));
    return all;
}

inline std::string bytes_of(frames::Type type, std::uint64_t id, const std::string& payload) {
    frames::Header header;
    header.type = type;
    header.id = id;
    header.length = payload.size();
    const auto head = frames::encode(header);
    return std::string(reinterpret_cast<const char*>(head.data()), head.size()) + payload;
}

/// What a device is made to do to the outputs of the request of that number; "" makes it answer FAILED.
using Spoil = std::function<void(std::size_t number, const frames::ConvertRequest&, std::string& outputs)>;

/// Answers the requests of a folder as the exact model does: one byte an output, inputs of up to 4 bytes. Returns the
/// frames of the answer, in their order.
inline std::vector<std::string> respond(const fs::path& folder, const offline::OfflineIndex& index,
                                        const Spoil& spoil = {}) {
    std::vector<StepTable> tables;
    for (const Conversion& c : index.conversions) tables.push_back(tabulate(*c.from, *c.to, choices_of(c)));
    std::string offers;
    for (const Conversion& c : index.conversions)
        offers += std::string(offers.empty() ? "" : ",") + R"({"source":")" + std::string(c.from->name) +
                  R"(","target":")" + std::string(c.to->name) +
                  R"(","rounding":"nearest_even","overflow":"sat","random_bits":0})";
    std::vector<std::string> answer{
        bytes_of(frames::Type::hello, 0,
                 R"({"protocol":1,"backend":{"name":"model","version":"1","description":"d"},)"
                 R"("conversions":[)" +
                     offers + "]}")};
    frames::EndCounts counts;
    for (const frames::Frame& frame : frames_of(content(folder / "requests.mxcf"))) {
        if (frame.header.type != frames::Type::convert) continue;
        const auto request = frames::decode_convert(frame.payload);
        const StepTable& table = tables.at(request.conversion);
        const auto width = static_cast<std::size_t>(table.from->bytes());
        std::string outputs;
        for (std::uint64_t i = 0; i < request.count; ++i) {
            Code input = request.first + i;
            if (request.inputs == frames::Inputs::inlined) {
                input = 0;
                for (std::size_t byte = 0; byte < width; ++byte)
                    input |= std::to_integer<Code>(frame.payload[frames::convert_bytes + i * width + byte])
                             << (8 * byte);
            }
            outputs += static_cast<char>(table.steps[find_step(table, input)].code);
        }
        if (spoil) spoil(counts.requests, request, outputs);
        ++counts.requests;
        counts.values += request.count;
        if (outputs.empty()) {
            answer.push_back(
                bytes_of(frames::Type::failed, frame.header.id, R"({"status":"unsupported","message":"not here"})"));
            continue;
        }
        const auto head =
            frames::encode(frames::ResultHeader{outputs.size(), frames::digest(outputs.data(), outputs.size())});
        answer.push_back(bytes_of(frames::Type::result, frame.header.id,
                                  std::string(reinterpret_cast<const char*>(head.data()), head.size()) + outputs));
    }
    const auto end = frames::encode(counts);
    answer.push_back(bytes_of(frames::Type::end, 0, {reinterpret_cast<const char*>(end.data()), end.size()}));
    return answer;
}

inline std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += part;
    return all;
}

} // namespace mxcert::test

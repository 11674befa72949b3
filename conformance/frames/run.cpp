// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/run.hpp"

#include <tuple>

#include <fmt/format.h>

#include "vectors/base/sha256.hpp"

namespace mxcert::frames {
namespace {

std::uint8_t byte_of(Code code, unsigned i) { return static_cast<std::uint8_t>(code >> 8 * i & 0xFF); }

// Whether nothing but this byte was written to a value.
bool is_poison(Code code, unsigned width, std::uint8_t poison) {
    for (unsigned i = 0; i < width; ++i)
        if (byte_of(code, i) != poison) return false;
    return true;
}

// Whether a byte of a value was left as it was both times: the others may have been written.
bool is_byte_left(const ChangedValue& value, std::array<std::uint8_t, 2> poisons) {
    for (unsigned i = 0; i < value.width; ++i)
        if (byte_of(value.once, i) == poisons[0] && byte_of(value.twice, i) == poisons[1]) return true;
    return false;
}

} // namespace

std::pair<Status, std::string> what_changed(const ChangedValue& value, std::array<std::uint8_t, 2> poisons) {
    const std::string place = fmt::format("value {} of the {} of output {}", value.index, value.count, value.output);
    const bool is_second = is_poison(value.twice, value.width, poisons[1]) || is_byte_left(value, poisons);
    if (is_second || is_poison(value.once, value.width, poisons[0]))
        return {Status::mistrusted, fmt::format("not all of the output was written: {} still has the poison 0x{:02X}",
                                                place, poisons[is_second ? 1 : 0])};
    return {Status::fail, fmt::format("answers changed when asked again: {} was 0x{:0{}X}, then 0x{:0{}X}", place,
                                      value.once, 2 * value.width, value.twice, 2 * value.width)};
}

void compare_answers(const RunCase& run_case, std::array<std::uint8_t, 2> poisons, const std::vector<Values>& again,
                     RunAnswer& answer) {
    for (std::size_t a = 0; a < again.size(); ++a) {
        const Values& once = answer.outputs[a];
        const Values& twice = again[a];
        if (once == twice) continue;
        for (std::uint64_t at = 0; at < once.count(); ++at) {
            if (once.get(at) == twice.get(at)) continue;
            if (a == 0 && !run_case.undefined.empty() && run_case.undefined[at]) continue;
            std::tie(answer.status, answer.reason) =
                what_changed({a, at, once.count(), once.width(), once.get(at), twice.get(at)}, poisons);
            return;
        }
    }
}

Values values_of(const std::vector<Code>& codes, const Format& format) {
    Values values(codes.size(), bytes_of(format));
    for (std::size_t i = 0; i < codes.size(); ++i) values.set(i, codes[i]);
    return values;
}

std::string digest_after(const std::string& before, const Values& values) {
    const std::span<const std::byte> bytes = values.bytes();
    return sha256(before + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

} // namespace mxcert::frames

// SPDX-License-Identifier: Apache-2.0
#include "conformance/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "vectors/sha256.hpp"

namespace mxcert {
namespace {

// Whether nothing but this byte was written to a value.
bool is_poison(const Values& values, std::uint64_t at, std::uint8_t poison) {
    const auto bytes = values.bytes().subspan(at * values.width(), values.width());
    return std::all_of(bytes.begin(), bytes.end(), [&](std::byte byte) { return byte == std::byte{poison}; });
}

// Whether a byte of a value was left as it was both times: the others may have been written.
bool is_byte_left(const Values& once, const Values& twice, std::uint64_t at, std::array<std::uint8_t, 2> poisons) {
    for (std::uint64_t i = at * once.width(); i < (at + 1) * once.width(); ++i)
        if (once.bytes()[i] == std::byte{poisons[0]} && twice.bytes()[i] == std::byte{poisons[1]}) return true;
    return false;
}

std::string bits_of(const Values& values, std::uint64_t at) {
    return fmt::format("0x{:0{}X}", values.get(at), 2 * values.width());
}

} // namespace

void compare_answers(const RunCase& asked, std::array<std::uint8_t, 2> poisons, const std::vector<Values>& again,
                     RunAnswer& answer) {
    for (std::size_t a = 0; a < again.size(); ++a) {
        const Values& once = answer.outputs[a];
        const Values& twice = again[a];
        if (once == twice) continue;
        for (std::uint64_t at = 0; at < once.count(); ++at) {
            if (once.get(at) == twice.get(at)) continue;
            if (a == 0 && !asked.undefined.empty() && asked.undefined[at]) continue;
            const std::string place = fmt::format("value {} of the {} of output {}", at, once.count(), a);
            const bool is_second = is_poison(twice, at, poisons[1]) || is_byte_left(once, twice, at, poisons);
            if (is_second || is_poison(once, at, poisons[0])) {
                answer.status = Status::mistrusted;
                answer.reason = fmt::format("not all of the output was written: {} still has the poison 0x{:02X}",
                                            place, poisons[is_second ? 1 : 0]);
            } else {
                answer.status = Status::fail;
                answer.reason = fmt::format("answers changed when asked again: {} was {}, then {}", place,
                                            bits_of(once, at), bits_of(twice, at));
            }
            return;
        }
    }
}

Values values_of(const std::vector<Code>& codes, const Format& format) {
    Values made(codes.size(), bytes_of(format));
    for (std::size_t i = 0; i < codes.size(); ++i) made.set(i, codes[i]);
    return made;
}

std::string digest_after(const std::string& before, const Values& values) {
    const std::span<const std::byte> bytes = values.bytes();
    return sha256(before + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

} // namespace mxcert

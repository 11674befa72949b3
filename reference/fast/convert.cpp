// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/convert.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "reference/fast/codes.hpp"
#include "reference/fast/loops.hpp"
#include "reference/packing.hpp"

namespace mxcert::fast {
namespace {

void check_random(const Choices& choices, const std::uint32_t* random, std::size_t n, unsigned random_bits) {
    if (!is_stochastic(choices.rounding)) return;
    if (random_bits < 1 || random_bits > 32)
        throw std::invalid_argument("a stochastic rounding needs 1 to 32 random bits");
    if (random == nullptr && n > 0) throw std::invalid_argument("a stochastic rounding needs random values");
}

/// The codes of n bytes, each in an integer of the target's size.
template <class Out>
void look_up(const std::array<Code, 256>& table, const unsigned char* in, unsigned char* out, std::size_t n) {
    std::array<Out, 256> codes{};
    std::transform(table.begin(), table.end(), codes.begin(), [](Code code) { return static_cast<Out>(code); });
    for (std::size_t i = 0; i < n; ++i) std::memcpy(out + i * sizeof(Out), &codes[in[i]], sizeof(Out));
}

} // namespace

void convert_span(const Format& from, const Format& to, const Choices& choices, const void* in,
                  const std::uint32_t* random, void* out, std::size_t n, unsigned random_bits, Isa isa) {
    if (!offers(from, to, choices)) throw std::invalid_argument("the fast model does not offer this conversion");
    require(isa);
    check_random(choices, random, n, random_bits);
    const auto* source = static_cast<const unsigned char*>(in);
    auto* target = static_cast<unsigned char*>(out);
    const int from_bytes = from.bytes();
    const int to_bytes = to.bytes();

    // To look for a loop takes as long as some values.
    constexpr std::size_t few = 4;
    if (const SpanLoop loop = n < few ? nullptr : find_loop(from, to, choices, isa)) {
        loop(source, target, n, outcomes_of<std::uint64_t>(from, to, choices, plan(from, to).guard));
        return;
    }
    const bool stochastic = is_stochastic(choices.rounding);
    if (!stochastic && from_bytes == 1 && n > 256) {
        if (find_no_code(from, {source, n})) throw std::out_of_range("the code is wider than its format");
        std::array<Code, 256> table{};
        for (Code code = 0; code <= from.last_code(); ++code) table[code] = convert(from, to, choices, code);
        switch (to_bytes) {
        case 1: return look_up<std::uint8_t>(table, source, target, n);
        case 2: return look_up<std::uint16_t>(table, source, target, n);
        case 4: return look_up<std::uint32_t>(table, source, target, n);
        default: return look_up<std::uint64_t>(table, source, target, n);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Code code = load(source, from_bytes);
        store(target, to_bytes, convert(from, to, choices, code, stochastic ? random[i] : 0, random_bits));
        source += from_bytes;
        target += to_bytes;
    }
}

} // namespace mxcert::fast

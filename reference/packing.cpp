// SPDX-License-Identifier: Apache-2.0
#include "reference/packing.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

constexpr Packing packing_table[] = {
    {"bytes", PackingOrder::byte, "CUDA's cuda_fp6.h, microscaling kernels of one value a byte"},
    {"low_first", PackingOrder::low_first, "PTX and CUDA e2m1x2, PyTorch float4_e2m1fn_x2, Transformer Engine"},
    {"high_first", PackingOrder::high_first, "transformer_nuggets 9ad3a7f qlora.py"},
    {"halves", PackingOrder::halves, "ggml: llama.cpp's MXFP4"},
};

constexpr unsigned byte_bits = 8;

/// Calls `use` with the place of the lowest bit of each code from the one numbered `first_code` on, from the lowest of
/// the first byte, in the stream of bits whose bytes begin with their lowest.
template <class Use> void for_each_place(const Packing& packing, const Format& format, std::size_t first_code,
                                         std::size_t codes, unsigned block, Use use) {
    const auto width = static_cast<std::size_t>(format.width());
    for (std::size_t i = first_code; i < codes; ++i) {
        if (packing.order != PackingOrder::halves) {
            use(i, i * width);
            continue;
        }
        const std::size_t first = i / block * block;
        const std::size_t lane = i - first;
        const std::size_t half = block / 2;
        use(i, first * width + lane % half * byte_bits + lane / half * width);
    }
}

/// Bit j of the stream: of byte j / 8 the bit j % 8, from the lowest or from the highest.
unsigned shift_of(const Packing& packing, std::size_t bit) {
    const auto place = static_cast<unsigned>(bit % byte_bits);
    return packing.order == PackingOrder::high_first ? byte_bits - 1 - place : place;
}

/// Which bit of a code comes k-th.
unsigned bit_of(const Packing& packing, const Format& format, unsigned k) {
    return packing.order == PackingOrder::high_first ? static_cast<unsigned>(format.width()) - 1 - k : k;
}

/// Whether a byte is two neighbours, the first in its low nibble or in its high one: the commonest packings.
bool has_pairs(const Packing& packing, const Format& format) {
    return format.width() == byte_bits / 2 && packing.order != PackingOrder::halves;
}

} // namespace

std::span<const Packing> all_packings() { return packing_table; }

const Packing& find_packing(std::string_view name) { return find_named("packing", name, packing_table); }

std::optional<std::size_t> find_no_code(const Format& format, std::span<const std::uint8_t> codes) {
    if (format.width() == byte_bits) return {}; // every byte is one: a pass over all of them is a tenth of a conversion
    // Most often there is none: one pass without a branch.
    std::uint8_t seen = 0;
    for (const std::uint8_t code : codes) seen = static_cast<std::uint8_t>(seen | code);
    if (seen <= format.last_code()) return {};
    const auto wrong =
        std::find_if(codes.begin(), codes.end(), [&](std::uint8_t code) { return code > format.last_code(); });
    return static_cast<std::size_t>(wrong - codes.begin());
}

void check_codes(const Format& format, std::span<const std::uint8_t> codes) {
    const std::optional<std::size_t> wrong = find_no_code(format, codes);
    if (!wrong) return;
    char text[64];
    std::snprintf(text, sizeof text, "element %zu is 0x%02X: no code of ", *wrong,
                  static_cast<unsigned>(codes[*wrong]));
    throw std::out_of_range(text + std::string(format.name));
}

std::uint64_t packed_row_bytes(const Packing& packing, const Format& format, std::uint64_t codes, unsigned block) {
    const auto width = static_cast<std::uint64_t>(format.width());
    if (packing.order == PackingOrder::byte) return codes;
    const std::string how = "the packing " + std::string(packing.name);
    if (width >= byte_bits) throw std::invalid_argument(how + " is for codes of fewer than 8 bits");
    if (packing.order == PackingOrder::halves) {
        if (width != byte_bits / 2) throw std::invalid_argument(how + " is for codes of 4 bits");
        if (block == 0 || block % 2 != 0 || codes % block != 0)
            throw std::invalid_argument(how + " takes whole blocks of an even number of elements");
    }
    return (codes * width + byte_bits - 1) / byte_bits;
}

std::uint64_t packed_bytes(const Packing& packing, const Format& format, std::uint64_t codes, unsigned block) {
    const std::uint64_t bytes = packed_row_bytes(packing, format, codes, block);
    if (packing.order != PackingOrder::byte && codes * static_cast<std::uint64_t>(format.width()) % byte_bits != 0)
        throw std::invalid_argument(std::to_string(codes) + " codes of " + std::to_string(format.width()) +
                                    " bits are no whole number of bytes");
    return bytes;
}

void pack_row(const Packing& packing, const Format& format, std::span<const std::uint8_t> codes, unsigned block,
              std::span<std::uint8_t> bytes) {
    if (packing.order == PackingOrder::byte) {
        std::copy(codes.begin(), codes.end(), bytes.begin());
        return;
    }
    std::size_t done = 0;
    if (has_pairs(packing, format)) {
        const unsigned first = packing.order == PackingOrder::low_first ? 0 : byte_bits / 2;
        const unsigned second = byte_bits / 2 - first;
        for (; done + 1 < codes.size(); done += 2)
            bytes[done / 2] =
                static_cast<std::uint8_t>((codes[done] & 0xFU) << first | (codes[done + 1] & 0xFU) << second);
        if (done == codes.size()) return;
    }
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(done / 2), bytes.end(), std::uint8_t{0});
    for_each_place(packing, format, done, codes.size(), block, [&](std::size_t i, std::size_t place) {
        for (unsigned k = 0; k < static_cast<unsigned>(format.width()); ++k) {
            const unsigned bit = static_cast<unsigned>(codes[i]) >> bit_of(packing, format, k) & 1U;
            std::uint8_t& byte = bytes[(place + k) / byte_bits];
            byte = static_cast<std::uint8_t>(byte | bit << shift_of(packing, place + k));
        }
    });
}

bool unpack_row(const Packing& packing, const Format& format, std::span<const std::uint8_t> bytes, unsigned block,
                std::span<std::uint8_t> codes) {
    if (packing.order == PackingOrder::byte) {
        std::copy(bytes.begin(), bytes.end(), codes.begin());
        return true;
    }
    std::size_t done = 0;
    if (has_pairs(packing, format)) {
        const unsigned first = packing.order == PackingOrder::low_first ? 0 : byte_bits / 2;
        const unsigned second = byte_bits / 2 - first;
        for (; done + 1 < codes.size(); done += 2) {
            codes[done] = bytes[done / 2] >> first & 0xF;
            codes[done + 1] = bytes[done / 2] >> second & 0xF;
        }
    }
    for_each_place(packing, format, done, codes.size(), block, [&](std::size_t i, std::size_t place) {
        unsigned code = 0;
        for (unsigned k = 0; k < static_cast<unsigned>(format.width()); ++k) {
            const unsigned bit = bytes[(place + k) / byte_bits] >> shift_of(packing, place + k) & 1U;
            code |= bit << bit_of(packing, format, k);
        }
        codes[i] = static_cast<std::uint8_t>(code);
    });
    for (std::size_t bit = codes.size() * static_cast<std::size_t>(format.width()); bit < bytes.size() * byte_bits;
         ++bit)
        if ((bytes[bit / byte_bits] >> shift_of(packing, bit) & 1U) != 0) return false;
    return true;
}

std::vector<std::uint8_t> pack(const Packing& packing, const Format& format, std::span<const std::uint8_t> codes,
                               unsigned block) {
    check_codes(format, codes);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(packed_bytes(packing, format, codes.size(), block)));
    pack_row(packing, format, codes, block, bytes);
    return bytes;
}

std::vector<std::uint8_t> unpack(const Packing& packing, const Format& format, std::span<const std::uint8_t> bytes,
                                 std::size_t count, unsigned block) {
    const std::uint64_t expected = packed_bytes(packing, format, count, block);
    if (bytes.size() != expected)
        throw std::invalid_argument(std::to_string(count) + " elements take " + std::to_string(expected) +
                                    " bytes, and there are " + std::to_string(bytes.size()));
    if (packing.order == PackingOrder::byte) check_codes(format, bytes);
    std::vector<std::uint8_t> codes(count);
    static_cast<void>(unpack_row(packing, format, bytes, block, codes)); // every bit holds a code
    return codes;
}

} // namespace mxcert

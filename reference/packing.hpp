// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/format.hpp"

namespace mxcert {

/// Where the bits of codes narrower than a byte go.
enum class PackingOrder : std::uint8_t {
    byte,       ///< a byte a code, right-aligned, its upper bits zero
    low_first,  ///< one code after the other from the lowest bit of the first byte: FP4 low nibble first
    high_first, ///< from the highest bit of the first byte: FP4 high nibble first
    halves,     ///< FP4 only: byte i of a block has element i in its low nibble, element i + n/2 in its high nibble
};

/// A packing as data. MX leaves it open; the order is that of the software that wrote the bytes.
struct Packing {
    std::string_view name; ///< "low_first"
    PackingOrder order;
    std::string_view users; ///< who does it
};

/// Every packing, `bytes` first.
[[nodiscard]] std::span<const Packing> all_packings();
/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Packing& find_packing(std::string_view name);

/// Which of these bytes is the first that is no code of a format of 8 bits or fewer.
[[nodiscard]] std::optional<std::size_t> find_no_code(const Format& format, std::span<const std::uint8_t> codes);
/// Throws std::out_of_range that names it.
void check_codes(const Format& format, std::span<const std::uint8_t> codes);

/// The bytes that so many codes of a format take. Throws std::invalid_argument if they are no whole number, or if the
/// packing is not one of this format. `block`: the codes of a block, for the order `halves`.
[[nodiscard]] std::uint64_t packed_bytes(const Packing& packing, const Format& format, std::uint64_t codes,
                                         unsigned block);

/// The bytes of a row of so many codes: a row begins at a byte, and the bits of its last byte that hold no code are
/// zero. Throws std::invalid_argument as packed_bytes() does, but for the whole number of bytes.
[[nodiscard]] std::uint64_t packed_row_bytes(const Packing& packing, const Format& format, std::uint64_t codes,
                                             unsigned block);

/// Packs a row, codes one a byte, into packed_row_bytes() bytes. The bits above a code's width are not looked at.
void pack_row(const Packing& packing, const Format& format, std::span<const std::uint8_t> codes, unsigned block,
              std::span<std::uint8_t> bytes);
/// The reverse. False if bits of the last byte that hold no code are not zero.
[[nodiscard]] bool unpack_row(const Packing& packing, const Format& format, std::span<const std::uint8_t> bytes,
                              unsigned block, std::span<std::uint8_t> codes);

/// Packs codes, one a byte. Throws as packed_bytes() does, and std::out_of_range that says which is no code.
[[nodiscard]] std::vector<std::uint8_t> pack(const Packing& packing, const Format& format,
                                             std::span<const std::uint8_t> codes, unsigned block);

/// The reverse: `count` codes. Throws std::invalid_argument if these are not the bytes of so many, and
/// std::out_of_range that says which byte is no code, of the packing `bytes`.
[[nodiscard]] std::vector<std::uint8_t> unpack(const Packing& packing, const Format& format,
                                               std::span<const std::uint8_t> bytes, std::size_t count, unsigned block);

} // namespace mxcert

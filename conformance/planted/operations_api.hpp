// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/backend.h"
#include "conformance/frames/words.hpp"
#include "reference/operation/operation.hpp"

// What planted backends have in common that offer operations and no conversions.
namespace mxcert::planted {

/// The fault that --backend-option names; none if it is empty.
inline std::string fault; // NOLINT: set once, by open of operations_api()

[[nodiscard]] inline bool is(const char* name) { return fault == name; }

/// The same operation with each of these attributes.
template <std::size_t n> [[nodiscard]] constexpr std::array<mxcert_operation, n>
operations_of(const char* name, const char* const (&attributes)[n]) {
    std::array<mxcert_operation, n> operations{};
    for (std::size_t i = 0; i < n; ++i) operations[i] = {sizeof(mxcert_operation), name, attributes[i]};
    return operations;
}

/// `operations` must live as long as the api.
[[nodiscard]] inline mxcert_api operations_api(const char* name, const char* description,
                                               std::span<const mxcert_operation> operations,
                                               std::int32_t (*run)(const mxcert_run_args*)) {
    mxcert_api api{};
    api.struct_size = sizeof(api);
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.name = name;
    api.version = "1";
    api.description = description;
    api.open = [](const char* options) -> std::int32_t {
        fault = options;
        return MXCERT_OK;
    };
    api.operation_count = static_cast<std::uint32_t>(operations.size());
    api.operations = operations.data();
    api.run = run;
    return api;
}

/// The operation of that name with "key=value key=value".
[[nodiscard]] inline Operation operation_of(const char* name, const std::string& attributes) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t at = 0; at < attributes.size();) {
        const std::size_t equals = attributes.find('=', at);
        const std::size_t end = std::min(attributes.find(' ', at), attributes.size());
        pairs.emplace_back(attributes.substr(at, equals - at), attributes.substr(equals + 1, end - equals - 1));
        at = end + 1;
    }
    return make_operation(name, pairs);
}

/// What an array of a run holds.
[[nodiscard]] inline std::vector<Code> codes_of(const mxcert_array& array) {
    std::vector<Code> codes(array.count);
    for (std::uint64_t i = 0; i < array.count; ++i)
        codes[i] = frames::load(static_cast<const std::byte*>(array.data) + i * array.width,
                                static_cast<unsigned>(array.width));
    return codes;
}

/// How the elements of an operation lie: as its packing says, or that of the fault "the elements packed as PACKING".
[[nodiscard]] inline PackedElements packing_of(const Operation& operation) {
    PackedElements elements = packed_elements(operation);
    const std::string other = "the elements packed as ";
    if (elements.packs() && fault.starts_with(other)) elements.packing = &find_packing(fault.substr(other.size()));
    return elements;
}

/// The elements of an array in rows of `columns`.
[[nodiscard]] inline std::vector<Code> codes_of(const PackedElements& elements, const mxcert_array& array,
                                                std::uint64_t columns) {
    if (!elements.packs()) return codes_of(array);
    const std::uint64_t row_bytes = elements.row_bytes(columns);
    const std::span bytes(static_cast<const std::uint8_t*>(array.data), array.count);
    std::vector<std::uint8_t> row(columns);
    std::vector<Code> codes;
    for (std::uint64_t begin = 0; begin < bytes.size(); begin += row_bytes) {
        static_cast<void>(
            unpack_row(*elements.packing, *elements.element, bytes.subspan(begin, row_bytes), elements.block, row));
        codes.insert(codes.end(), row.begin(), row.end());
    }
    return codes;
}

} // namespace mxcert::planted

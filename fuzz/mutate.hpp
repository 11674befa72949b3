// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "fuzz/target.hpp"

// How an input is changed that has a structure, so that most of what is made passes the first lines of its parser.
namespace mxcert::fuzz {

/// Changes `size` bytes where they lie, which may become `most`, and returns how many there are: LLVMFuzzerMutate.
using MutateBytes = std::size_t (*)(std::uint8_t* bytes, std::size_t size, std::size_t most);

/// Random choices, and the change of bytes that libFuzzer makes itself.
struct Mutation {
    std::mt19937& random;
    MutateBytes mutate_bytes;
    std::size_t most; ///< bytes of the result

    /// One of 0 to count - 1. Precondition: count > 0.
    [[nodiscard]] std::size_t below(std::size_t count) const { return random() % count; }
    /// The bytes, changed.
    [[nodiscard]] std::string bytes(std::string_view before) const;
};

/// The input, or bytes of it, changed in one place. `other` is another input of the corpus, or empty: parts of it may
/// be taken. At most `most` bytes; where the changed text is longer, or the input has no such structure, bytes are
/// changed instead.
[[nodiscard]] std::string mutate(Form form, std::string_view input, std::string_view other, const Mutation& mutation);

/// A JSON text with one value or member changed, taken away, added or exchanged. Empty if the input is no JSON.
[[nodiscard]] std::string mutate_json(std::string_view input, std::string_view other, const Mutation& mutation);
/// Lines, one of them changed, taken away, doubled or exchanged; within a line the same is done with its cells.
[[nodiscard]] std::string mutate_lines(std::string_view input, std::string_view other, const Mutation& mutation);
/// The same with frames; of one that is changed the length is that of its payload again.
[[nodiscard]] std::string mutate_frames(std::string_view input, std::string_view other, const Mutation& mutation);

} // namespace mxcert::fuzz

// SPDX-License-Identifier: Apache-2.0
// A memory as $writememh writes it. The first line names the format of its words. What is read, written plainly, reads
// to the same words.
#include <sstream>
#include <stdexcept>

#include "conformance/frames/hex_memory.hpp"
#include "fuzz/target.hpp"
#include "vectors/tables/permit.hpp"

namespace {

using namespace mxcert;

constexpr std::uint64_t most = 4096;

void run(std::string_view input) {
    const Format* format = find_format(fuzz::take_line(input));
    if (format == nullptr) return;
    std::istringstream text{std::string(input)};
    const frames::HexMemory memory = frames::parse_hex_memory(text, *format, most);
    fuzz::require(memory.words.size() <= most, "a memory has no more words than were asked for");
    fuzz::require(memory.error.empty() || memory.error.find(": ") != std::string::npos, "an error names its line");
    std::string plain;
    for (const std::optional<Code>& word : memory.words) {
        fuzz::require(!word || *word <= format->last_code(), "a word is a code of its format");
        plain += (word ? hex(*word, *format) : "x") + "\n";
    }
    std::istringstream again{plain};
    const frames::HexMemory read = frames::parse_hex_memory(again, *format, most);
    fuzz::require(read.error.empty() && read.words == memory.words, "a memory reads as it was written");
}

const fuzz::Target registered{"hex", run, fuzz::Form::lines};

} // namespace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// What every fuzzing target has in common: one file a target, fuzz/<name>.cpp, which defines a Target. libFuzzer runs
// it on the inputs it makes up (libfuzzer.cpp), the tests on the committed ones of fuzz/corpus/<name> (replay.cpp).
namespace mxcert::fuzz {

/// How the inputs of a target are built, by which libFuzzer changes them (mutate.hpp).
enum class Form : std::uint8_t {
    bytes,           ///< any bytes, or a short text
    json,            ///< a JSON text
    length_and_json, ///< 8 bytes with the length of a JSON text, the text, and data
    lines,           ///< lines of cells between commas
    frames,          ///< frames of docs/frames.md
    line_and_frames, ///< a JSON text in one line, then frames
};

/// A parser under fuzzing. Registers itself when it is constructed.
struct Target {
    /// Reads one input, which may be anything, and checks that the parser did what it promises. Refusing the input with
    /// the documented exception is fine; any other exception ends the program.
    using Run = void (*)(std::string_view input);

    Target(std::string_view target_name, Run target_run, Form target_form = Form::bytes);

    std::string_view name;
    Run run;
    Form form;
};

/// The target of that name, or the only one there is if the name is empty. Nullptr if there is none.
[[nodiscard]] const Target* find_target(std::string_view name);

/// Ends the program with SIGABRT and says which promise was broken.
void require(bool kept, std::string_view promise);

/// Requires two texts to be the same, and shows where they part.
void require_same(std::string_view actual, std::string_view wanted, std::string_view promise);

/// Cuts the first line off the input: targets whose parser needs more than a text get it there.
[[nodiscard]] std::string_view take_line(std::string_view& input);

} // namespace mxcert::fuzz

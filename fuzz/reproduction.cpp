// SPDX-License-Identifier: Apache-2.0
// What --reproduce takes: what is read prints back to what reads the same; of conversions to the same text, but for the
// case of its digits.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "conformance/reproduce.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

std::string upper_digits(std::string_view text) {
    std::string upper(text);
    std::transform(upper.begin() + static_cast<std::ptrdiff_t>(text.find(':')), upper.end(),
                   upper.begin() + static_cast<std::ptrdiff_t>(text.find(':')),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
    return upper;
}

void run(std::string_view input) {
    Reproduction reproduction;
    try {
        reproduction = parse_reproduction(input);
    } catch (const std::invalid_argument&) {
        return;
    }
    const std::string printed = to_string(reproduction);
    const Reproduction again = parse_reproduction(printed);
    // A case that was given may be written in many ways; it is printed in one.
    fuzz::require_same(to_string(again), printed, "a reproduction that was printed is read as what it was");
    if (!reproduction.operation)
        fuzz::require_same(printed, upper_digits(input), "a reproduction of a conversion prints as it was read");
    if (reproduction.conversion.from != nullptr)
        fuzz::require(reproduction.input <= reproduction.conversion.from->last_code(),
                      "the input is a code of the source");
}

const fuzz::Target registered{"reproduction", run};

} // namespace

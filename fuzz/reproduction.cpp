// SPDX-License-Identifier: Apache-2.0
// The input that --reproduce takes: what is read prints back to the same text, but for the case of its digits.
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
    fuzz::require_same(to_string(reproduction), upper_digits(input), "a reproduction prints as it was read");
    fuzz::require(reproduction.input <= reproduction.conversion.from->last_code(), "the input is a code of the source");
}

const fuzz::Target registered{"reproduction", run};

} // namespace

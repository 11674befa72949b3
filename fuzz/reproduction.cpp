// SPDX-License-Identifier: Apache-2.0
// What --reproduce takes: what is read prints back to what reads the same; of conversions to the same text, but for the
// case of its digits and their 0x.
#include <stdexcept>
#include <string>

#include "conformance/cases/reproduce.hpp"
#include "fuzz/plain_digits.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    cases::Reproduction reproduction;
    try {
        reproduction = cases::parse_reproduction(input);
    } catch (const std::invalid_argument&) {
        return;
    }
    const std::string printed = cases::to_string(reproduction);
    const cases::Reproduction again = cases::parse_reproduction(printed);
    // A case that was given may be written in many ways; it is printed in one.
    fuzz::require_same(cases::to_string(again), printed, "a reproduction that was printed is read as what it was");
    if (!reproduction.operation)
        fuzz::require_same(fuzz::plain_digits(printed), fuzz::plain_digits(input),
                           "the input of a reproduction prints as it was read");
    if (reproduction.conversion.from != nullptr)
        fuzz::require(reproduction.input <= reproduction.conversion.from->last_code(),
                      "the input is a code of the source");
}

const fuzz::Target registered{"reproduction", run};

} // namespace

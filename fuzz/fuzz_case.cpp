// SPDX-License-Identifier: Apache-2.0
// A case of `mxcert fuzz --case`: what is read prints back to a text that reads to the same.
#include <stdexcept>

#include "conformance/fuzz/fuzz_case.hpp"
#include "fuzz/plain_digits.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    fuzz::FuzzCase fuzz_case;
    try {
        fuzz_case = fuzz::parse_fuzz_case(input);
    } catch (const std::invalid_argument&) {
        return;
    }
    const std::string text = fuzz::to_string(fuzz_case);
    fuzz::require(fuzz::parse_fuzz_case(text) == fuzz_case, "a case reads as it was written");
    fuzz::require_same(fuzz::plain_digits(text), fuzz::plain_digits(input),
                       "the values of a case print as they were read");
    fuzz::require(!fuzz_case.values.empty() && fuzz_case.values.size() <= fuzz::max_case_values &&
                      fuzz_case.batch <= fuzz::max_case_values && fuzz_case.shift <= fuzz::max_case_shift,
                  "a case is one that can be asked");
}

const fuzz::Target registered{"fuzz_case", run};

} // namespace

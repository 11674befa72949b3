// SPDX-License-Identifier: Apache-2.0
// A case of `mxcert fuzz --case`: what is read prints back to a text that reads to the same.
#include <algorithm>
#include <stdexcept>

#include "conformance/fuzz/fuzz_case.hpp"
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
    const auto same = [](char printed, char read) {
        const bool is_upper = read >= 'a' && read <= 'f' && printed == read - 'a' + 'A';
        return printed == read || is_upper || (printed == 'x' && read == 'X');
    };
    fuzz::require(text.size() == input.size() && std::equal(text.begin(), text.end(), input.begin(), same),
                  "a case prints as it was read");
    fuzz::require(!fuzz_case.values.empty() && fuzz_case.values.size() <= fuzz::max_case_values &&
                      fuzz_case.batch <= fuzz::max_case_values && fuzz_case.shift <= fuzz::max_case_shift,
                  "a case is one that can be asked");
}

const fuzz::Target registered{"fuzz_case", run};

} // namespace

// SPDX-License-Identifier: Apache-2.0
#include "conformance/reproduce.hpp"

#include <stdexcept>

#include "conformance/text.hpp"
#include "vectors/permit.hpp"

namespace mxcert {

std::string to_string(const Reproduction& reproduction) {
    return to_string(reproduction.conversion) + ':' + hex(reproduction.input, *reproduction.conversion.from);
}

Reproduction parse_reproduction(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        throw std::invalid_argument("'" + std::string(text) +
                                    "': CONVERSION:INPUT is wanted, as in fp32-e4m3-nearest_even-sat:3F880001");
    Reproduction reproduction;
    reproduction.conversion = parse_conversion(text.substr(0, colon));
    if (is_stochastic(reproduction.conversion.rounding))
        throw std::invalid_argument("'" + std::string(text) + "': a stochastic rounding is not judged");
    reproduction.input = parse_hex(text.substr(colon + 1), *reproduction.conversion.from);
    return reproduction;
}

namespace {

std::string certify_line(const Invocation& invocation) {
    std::string line = "mxcert certify " + shell_word(invocation.backend);
    for (const std::string& profile : invocation.profiles) line += " --profile " + profile;
    // With '=', so that options that start with a dash stay options of the backend.
    if (!invocation.backend_options.empty()) line += " --backend-option=" + shell_word(invocation.backend_options);
    return line;
}

} // namespace

std::string reproduction_line(const Invocation& invocation, const Reproduction& reproduction) {
    return certify_line(invocation) + " --reproduce " + to_string(reproduction);
}

std::string row_line(const Invocation& invocation, std::string_view id) {
    return certify_line(invocation) + " --filter " + shell_word(id);
}

} // namespace mxcert

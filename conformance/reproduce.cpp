// SPDX-License-Identifier: Apache-2.0
#include "conformance/reproduce.hpp"

#include <charconv>
#include <stdexcept>

#include "conformance/given_case.hpp"
#include "conformance/text.hpp"
#include "reference/operation_name.hpp"
#include "vectors/permit.hpp"

namespace mxcert {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw std::invalid_argument("'" + std::string(text) + "': " + why);
}

// "OPERATION/PART:NUMBER" or "OPERATION/PART"; an operation may have any other character in its name.
Reproduction parse_of_operation(std::string_view text, std::size_t slash) {
    const std::size_t colon = text.find_first_of(":@", slash);
    Reproduction reproduction;
    reproduction.operation = parse_operation(text.substr(0, slash));
    reproduction.part = text.substr(slash + 1, colon == std::string_view::npos ? colon : colon - slash - 1);
    const std::optional<Conversion> table = table_of(*reproduction.operation, reproduction.part);
    if (table) reproduction.conversion = *table;
    if (colon != std::string_view::npos && text[colon] == '@') {
        if (table) refuse(text, "this row takes one input, after a colon");
        if (reproduction.part == "relations")
            refuse(text, "this row compares two products: it takes the number of a case");
        reproduction.given = text.substr(colon + 1);
        (void)parse_given(form_of(*reproduction.operation), reproduction.given);
        return reproduction;
    }
    if (colon == std::string_view::npos) return reproduction;
    const std::string_view number = text.substr(colon + 1);
    if (table) {
        reproduction.input = parse_hex(number, *table->from);
        reproduction.number = reproduction.input;
        return reproduction;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size())
        refuse(text,
               "the number of a case is wanted after the colon, as in " + std::string(text.substr(0, colon)) + ":17");
    reproduction.number = value;
    return reproduction;
}

std::string certify_line(const Invocation& invocation) {
    std::string line = "mxcert certify " + shell_word(invocation.backend);
    for (const std::string& profile : invocation.profiles) line += " --profile " + profile;
    // With '=', so that options that start with a dash stay options of the backend.
    if (!invocation.backend_options.empty()) line += " --backend-option=" + shell_word(invocation.backend_options);
    return line;
}

// What decides which runs an operation is asked for, where it is not as usual.
std::string suite_options(const Invocation& invocation) {
    const Invocation usual;
    std::string line;
    if (invocation.seed != usual.seed) line += " --seed " + std::to_string(invocation.seed);
    if (invocation.samples_per_step != usual.samples_per_step)
        line += " --samples-per-step " + std::to_string(invocation.samples_per_step);
    // The cases of the other levels have the numbers they have at the default one.
    if (asks_every_pair(invocation.level.level)) line += ' ' + option_of(invocation.level);
    return line;
}

} // namespace

std::optional<Conversion> table_of(const Operation& operation, std::string_view part) {
    if (operation.info->name == "quantize" && part == "scale") return as_quantize(operation).scale;
    if (operation.info->name == "quantize" && part == "elements") return as_quantize(operation).element;
    if (operation.info->name == "dequantize" && part == "values") return as_dequantize(operation).value;
    return {};
}

std::string to_string(const Reproduction& reproduction) {
    if (!reproduction.operation)
        return to_string(reproduction.conversion) + ':' + hex(reproduction.input, *reproduction.conversion.from);
    const std::string row = to_string(*reproduction.operation) + '/' + reproduction.part;
    if (!reproduction.given.empty()) return row + '@' + reproduction.given;
    if (!reproduction.number) return row;
    return row + ':' +
           (reproduction.conversion.from != nullptr ? hex(*reproduction.number, *reproduction.conversion.from)
                                                    : std::to_string(*reproduction.number));
}

Reproduction parse_reproduction(std::string_view text) {
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos)
        return parse_of_operation(text, slash);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        refuse(text, "CONVERSION:INPUT is wanted, as in fp32-e4m3-nearest_even-sat:3F880001, or OPERATION/ROW:CASE");
    Reproduction reproduction;
    reproduction.conversion = parse_conversion(text.substr(0, colon));
    if (is_stochastic(reproduction.conversion.rounding)) refuse(text, "a stochastic rounding is not judged");
    reproduction.input = parse_hex(text.substr(colon + 1), *reproduction.conversion.from);
    return reproduction;
}

std::string reproduction_line(const Invocation& invocation, const Reproduction& reproduction) {
    return certify_line(invocation) + " --reproduce " + to_string(reproduction);
}

std::string row_line(const Invocation& invocation, std::string_view id, std::string_view number) {
    std::string what(id);
    if (!number.empty()) what.append(":").append(number);
    return certify_line(invocation) + suite_options(invocation) + " --reproduce " + shell_word(what);
}

std::string given_line(const Invocation& invocation, std::string_view id, std::string_view given) {
    return certify_line(invocation) + " --reproduce " + shell_word(std::string(id).append("@").append(given));
}

std::string quick_line(const Invocation& invocation, const std::vector<std::string>& filters) {
    std::string line = certify_line(invocation);
    for (const std::string& filter : filters) line += " --filter " + shell_word(filter);
    return line + " --level quick";
}

std::string filter_line(const Invocation& invocation, std::string_view id) {
    return certify_line(invocation) + suite_options(invocation) + " --filter " + shell_word(id);
}

} // namespace mxcert

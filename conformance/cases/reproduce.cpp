// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/reproduce.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "conformance/cases/given_case.hpp"
#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::cases {
namespace {

[[noreturn]] void refuse_reproduction(std::string_view text, const std::string& why) {
    throw std::invalid_argument("'" + std::string(text) + "': " + why);
}

// "INPUT" or, with given random bits, "INPUT/RANDOM".
void parse_input(std::string_view whole, std::string_view text, Reproduction& reproduction) {
    const Conversion& conversion = reproduction.conversion;
    const std::size_t slash = text.find('/');
    const bool has_random = slash != std::string_view::npos;
    if (is_stochastic(conversion.rounding) && !has_random)
        refuse_reproduction(whole, "a stochastic rounding takes INPUT/RANDOM, as in 0x3F880001/0x0000002A");
    if (!is_stochastic(conversion.rounding) && has_random)
        refuse_reproduction(whole, "this rounding takes no random bits");
    reproduction.input = parse_code(text.substr(0, slash), *conversion.from);
    if (!has_random) return;
    reproduction.random = static_cast<std::uint32_t>(parse_code(text.substr(slash + 1), random_format));
    if (std::uint64_t{*reproduction.random} >> conversion.random_bits != 0)
        refuse_reproduction(whole, "RANDOM has more than " + std::to_string(conversion.random_bits) + " bits");
}

// The codes of a case as people read them: "1x32=3F80,0000*31" becomes "1x32=0x3F80,0x0000*31".
std::string with_prefixes(std::string_view given_text) {
    if (given_text.find('=') == std::string_view::npos) return std::string(given_text);
    const std::size_t codes = given_text.find('=') + 1;
    std::string text(given_text.substr(0, codes));
    bool begins = true;
    for (std::size_t at = codes; at < given_text.size(); ++at) {
        const bool has_prefix = given_text.substr(at).starts_with("0x") || given_text.substr(at).starts_with("0X");
        const bool is_separator = given_text[at] == ',' || given_text[at] == '/';
        if (begins && !has_prefix && !is_separator) text += "0x";
        begins = is_separator;
        text += given_text[at];
    }
    return text;
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
        if (table) refuse_reproduction(text, "this row takes one input, after a colon");
        if (reproduction.part == "relations")
            refuse_reproduction(text, "this row compares two products: it takes the number of a case");
        reproduction.given = text.substr(colon + 1);
        (void)parse_given(form_of(*reproduction.operation), reproduction.given);
        return reproduction;
    }
    if (colon == std::string_view::npos) return reproduction;
    const std::string_view number = text.substr(colon + 1);
    if (table) {
        reproduction.input = parse_code(number, *table->from);
        reproduction.number = reproduction.input;
        return reproduction;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size())
        refuse_reproduction(text, "expected the number of a case after the colon, as in " +
                                      std::string(text.substr(0, colon)) + ":17");
    reproduction.number = value;
    return reproduction;
}

std::string certify_line(const Invocation& invocation) {
    std::string line = "mxcert certify " + print::shell_word(invocation.backend);
    for (const std::string& profile : invocation.profiles) line += " --profile " + profile;
    // With '=', so that options that start with a dash stay options of the backend.
    if (!invocation.backend_options.empty())
        line += " --backend-option=" + print::shell_word(invocation.backend_options);
    for (const std::string& option : invocation.sandbox) line += ' ' + print::shell_word(option);
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
        return to_string(reproduction.conversion) + ':' + code_text(*reproduction.conversion.from, reproduction.input) +
               (reproduction.random ? '/' + code_text(random_format, *reproduction.random) : "");
    const std::string row = to_string(*reproduction.operation) + '/' + reproduction.part;
    if (!reproduction.given.empty()) return row + '@' + with_prefixes(reproduction.given);
    if (!reproduction.number) return row;
    return row + ':' +
           (reproduction.conversion.from != nullptr ? code_text(*reproduction.conversion.from, *reproduction.number)
                                                    : std::to_string(*reproduction.number));
}

Reproduction parse_reproduction(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos && slash < colon) return parse_of_operation(text, slash);
    if (colon == std::string_view::npos)
        refuse_reproduction(
            text, "expected CONVERSION:INPUT, as in fp32-e4m3-nearest_even-sat:0x3F880001, or OPERATION/ROW:CASE");
    Reproduction reproduction;
    reproduction.conversion = parse_conversion(text.substr(0, colon));
    parse_input(text, text.substr(colon + 1), reproduction);
    return reproduction;
}

std::string reproduction_line(const Invocation& invocation, const Reproduction& reproduction) {
    // Neither one input nor a given case depends on what else is asked.
    const bool is_of_suite = reproduction.operation && reproduction.given.empty();
    return certify_line(invocation) + (is_of_suite ? suite_options(invocation) : "") + " --reproduce " +
           print::shell_word(to_string(reproduction));
}

std::string row_line(const Invocation& invocation, std::string_view id, std::string_view number) {
    std::string what(id);
    if (!number.empty()) what.append(":").append(number);
    return certify_line(invocation) + suite_options(invocation) + " --reproduce " + print::shell_word(what);
}

std::string given_line(const Invocation& invocation, std::string_view id, std::string_view text) {
    return certify_line(invocation) + " --reproduce " +
           print::shell_word(std::string(id).append("@").append(with_prefixes(text)));
}

std::string explain_line(const Conversion& conversion, std::string_view profile, Code input,
                         std::optional<std::uint32_t> random) {
    std::string line = "mxcert explain " + code_text(*conversion.from, input);
    const auto add = [&](std::string_view option, std::string_view value) {
        line.append(" ").append(option).append(" ").append(value);
    };
    const Choices choices = choices_of(conversion);
    const auto name_of = [&](Choice choice) { return info(choice).values[get(choices, choice)]; };
    add("--from", conversion.from->name);
    add("--to", conversion.to->name);
    const Choice rounding = rounding_or_rule(*conversion.to);
    add("--rounding", name_of(rounding));
    add("--overflow", name_of(Choice::overflow));
    for (const ChoiceInfo& choice : all_choices()) {
        if (profile.empty() || choice.choice == rounding || choice.choice == Choice::overflow) continue;
        const std::vector<std::string_view> values = permitted_values(find_profile(profile), conversion, choice.choice);
        const auto named = std::find_if(values.begin(), values.end(), [](auto value) { return value != any_nan_code; });
        const bool is_default = std::find(values.begin(), values.end(), name_of(choice.choice)) != values.end();
        if (!is_default && named != values.end()) add("--choice", std::string(choice.name).append("=").append(*named));
    }
    if (random) add("--random", fmt::format("0x{:X}/{}", *random, conversion.random_bits));
    return line;
}

std::string quick_line(const Invocation& invocation, const std::vector<std::string>& filters) {
    std::string line = certify_line(invocation);
    for (const std::string& filter : filters) line += " --filter " + print::shell_word(filter);
    return line + " --level quick";
}

std::string filter_line(const Invocation& invocation, const std::vector<std::string>& ids) {
    std::string line = certify_line(invocation) + suite_options(invocation);
    for (const std::string& id : ids) line += " --filter " + print::shell_word(id);
    return line;
}

} // namespace mxcert::cases

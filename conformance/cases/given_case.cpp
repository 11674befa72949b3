// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/given_case.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::cases {
namespace {

/// A case that is written down is a small one.
constexpr std::uint64_t largest_given = std::uint64_t{1} << 22U;

std::uint64_t entries_of(const FormSide& side, const std::vector<std::uint64_t>& sizes) {
    if (side.axis == FormSide::fixed) return side.each;
    return side.each == 0 ? 1 : (sizes[side.axis] - 1) / values_of_block(side.each, sizes) + 1;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    constexpr std::size_t longest = 60;
    throw std::invalid_argument(
        fmt::format("the case '{}{}': {}", text.substr(0, longest), text.size() > longest ? "..." : "", why));
}

std::uint64_t parse_number(std::string_view text, std::string_view number) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size() || value == 0 || value > largest_given)
        refuse(text, fmt::format("'{}' is no number from 1 to {}", number, largest_given));
    return value;
}

/// Takes what is before the separator off the text.
std::string_view take_until(std::string_view& text, char separator) {
    const std::string_view taken = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), taken.size() + 1));
    return taken;
}

std::vector<Code> parse_codes(std::string_view all, std::string_view text, const FormTensor& tensor,
                              std::uint64_t wanted) {
    std::vector<Code> codes;
    while (!text.empty()) {
        std::string_view run = take_until(text, ',');
        const Code code = parse_code(take_until(run, '*'), *tensor.format);
        const std::uint64_t times = run.empty() ? 1 : parse_number(all, run);
        if (times > wanted - codes.size())
            refuse(all, fmt::format("'{}' has {}, not more", tensor.name, print::counted(wanted, "code")));
        codes.insert(codes.end(), times, code);
    }
    if (codes.size() != wanted)
        refuse(all, fmt::format("'{}' has {}, not {}", tensor.name, print::counted(wanted, "code"), codes.size()));
    return codes;
}

/// "[1][32]"
std::string brackets(std::uint64_t row, std::uint64_t column) { return fmt::format("[{}][{}]", row, column); }

/// Row after row; where most are zero, which C fills up with, the others alone.
std::string initializer(const std::vector<Code>& codes, std::uint64_t columns, const Format& format) {
    const auto zeros = static_cast<std::size_t>(std::count(codes.begin(), codes.end(), Code{0}));
    if (zeros == codes.size()) return "{0}";
    const bool sparse = zeros > codes.size() / 2;
    std::string text;
    for (std::size_t at = 0; at < codes.size(); ++at) {
        const std::size_t column = at % columns;
        const std::string code = code_text(format, codes[at]);
        if (sparse && codes[at] != 0)
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", brackets(at / columns, column), code);
        if (!sparse) text += (column != 0 ? ", " : at == 0 ? "{" : "}, {") + code;
    }
    return sparse ? text : text + "}";
}

} // namespace

std::uint64_t values_of_block(std::size_t each, const std::vector<std::uint64_t>& sizes) {
    return each == FormSide::block ? sizes.back() : each;
}

Extent extent_of(const FormTensor& tensor, const std::vector<std::uint64_t>& sizes) {
    return {entries_of(tensor.rows, sizes), entries_of(tensor.columns, sizes)};
}

GivenCase given_of(const CaseForm& form, const frames::RunCase& run) {
    GivenCase given_case;
    given_case.sizes.assign(run.shape.begin(), run.shape.begin() + static_cast<std::ptrdiff_t>(form.axes.size()));
    for (const frames::Values& input : run.inputs) {
        std::vector<Code>& codes = given_case.tensors.emplace_back(input.count());
        for (std::uint64_t at = 0; at < input.count(); ++at) codes[at] = input.get(at);
    }
    return given_case;
}

std::string to_string(const CaseForm& form, const GivenCase& given_case) {
    std::string text = fmt::format("{}", fmt::join(given_case.sizes, "x"));
    for (std::size_t t = 0; t < form.tensors.size(); ++t) {
        text += t == 0 ? '=' : '/';
        const std::vector<Code>& codes = given_case.tensors[t];
        for (auto at = codes.begin(); at != codes.end();) {
            const auto end = std::find_if(at, codes.end(), [&](Code code) { return code != *at; });
            text += fmt::format("{}{}", at == codes.begin() ? "" : ",", hex(*at, *form.tensors[t].format));
            if (end - at > 1) text += fmt::format("*{}", end - at);
            at = end;
        }
    }
    return text;
}

GivenCase parse_given(const CaseForm& form, std::string_view text) {
    GivenCase given_case;
    std::string_view rest = text;
    std::string_view sizes = take_until(rest, '=');
    while (!sizes.empty()) given_case.sizes.push_back(parse_number(text, take_until(sizes, 'x')));
    if (given_case.sizes.size() != form.axes.size()) {
        std::string names;
        for (const CaseForm::AxisOf& axis : form.axes)
            names += fmt::format("{}{}", names.empty() ? "" : "x", axis.name);
        refuse(text, fmt::format("its sizes are {}{}", names, form.tensors.empty() ? "" : "="));
    }
    if (form.tensors.empty() && given_case.sizes.front() > largest_given / given_case.sizes.back())
        refuse(text, "it is too large");
    for (const FormTensor& tensor : form.tensors) {
        const Extent extent = extent_of(tensor, given_case.sizes);
        if (extent.rows > largest_given / extent.columns) refuse(text, "it is too large");
        given_case.tensors.push_back(parse_codes(text, take_until(rest, '/'), tensor, extent.rows * extent.columns));
    }
    if (!rest.empty()) refuse(text, fmt::format("it has {}", print::counted(form.tensors.size(), "input")));
    return given_case;
}

std::string c_arrays(const CaseForm& form, const GivenCase& given_case) {
    std::string text;
    for (std::size_t t = 0; t < form.tensors.size(); ++t) {
        const FormTensor& tensor = form.tensors[t];
        const Extent extent = extent_of(tensor, given_case.sizes);
        text += fmt::format("static const uint{}_t {}{} = {{{}}};\n", tensor.format->bytes() * 8, tensor.name,
                            brackets(extent.rows, extent.columns),
                            initializer(given_case.tensors[t], extent.columns, *tensor.format));
    }
    return text;
}

std::uint64_t count_telling(const CaseForm& form, const GivenCase& given_case) {
    std::uint64_t telling = 0;
    for (std::size_t t = 0; t < form.tensors.size(); ++t)
        telling += static_cast<std::uint64_t>(std::count_if(given_case.tensors[t].begin(), given_case.tensors[t].end(),
                                                            [&](Code code) { return code != form.tensors[t].plain; }));
    return telling;
}

} // namespace mxcert::cases

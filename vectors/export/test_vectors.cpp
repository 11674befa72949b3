// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/test_vectors.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "vectors/base/sha256.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

constexpr std::array case_flags{
    CaseFlagInfo{CaseFlag::zero, "ZERO", "an input or a result is zero"},
    CaseFlagInfo{CaseFlag::subnormal, "SUBNORMAL", "an input or a result is subnormal"},
    CaseFlagInfo{CaseFlag::tie, "TIE", "a value lies midway between two values of the target"},
    CaseFlagInfo{CaseFlag::carry, "CARRY", "rounding carries into the next binade"},
    CaseFlagInfo{CaseFlag::inexact, "INEXACT", "the result is another number than the input"},
    CaseFlagInfo{CaseFlag::underflow, "UNDERFLOW", "an inexact result is zero or subnormal"},
    CaseFlagInfo{CaseFlag::overflow, "OVERFLOW", "a rounded value is beyond the largest of the target"},
    CaseFlagInfo{CaseFlag::inf, "INF", "an input or a result is infinite"},
    CaseFlagInfo{CaseFlag::nan, "NAN", "an input or a result is NaN"},
};

constexpr std::size_t digest_digits = 10;

} // namespace

std::span<const CaseFlagInfo> all_case_flags() { return case_flags; }

std::vector<std::string_view> names_of(CaseFlags flags) {
    std::vector<std::string_view> names;
    for (const CaseFlagInfo& info : case_flags)
        if ((flags & bit(info.flag)) != 0) names.push_back(info.name);
    return names;
}

CaseFlags flags_of_code(const Format& format, Code code) {
    if (format.is_nan(code)) return bit(CaseFlag::nan);
    if (format.is_inf(code)) return bit(CaseFlag::inf);
    const Format& value = format.value == nullptr ? format : *format.value;
    if (value.has_zero() && value.magnitude_of(format.value_of(code)) == 0) return bit(CaseFlag::zero);
    return value.is_subnormal(format.value_of(code)) ? bit(CaseFlag::subnormal) : CaseFlags{0};
}

std::string to_string(const OpenValue& value, const Format& format) {
    switch (value.kind) {
    case OpenValue::Kind::any: return "any";
    case OpenValue::Kind::range: return hex(value.low, format) + ".." + hex(value.high, format);
    case OpenValue::Kind::codes: break;
    }
    return to_string(value.permit, format);
}

std::string id_of(std::string_view part, const std::vector<std::uint64_t>& sizes,
                  const std::vector<std::vector<Code>>& inputs) {
    std::string text = fmt::format("{}", fmt::join(sizes, "x"));
    for (const std::vector<Code>& codes : inputs) text += fmt::format("/{:X}", fmt::join(codes, ","));
    std::string digest = sha256(text).substr(0, digest_digits);
    std::transform(digest.begin(), digest.end(), digest.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return std::string(part) + "-" + digest;
}

void add(TestVectors& vectors, const std::vector<std::uint64_t>& sizes, TestVector test) {
    auto group = std::find_if(vectors.groups.begin(), vectors.groups.end(),
                              [&](const VectorGroup& candidate) { return candidate.sizes == sizes; });
    if (group == vectors.groups.end()) group = vectors.groups.insert(group, VectorGroup{sizes, {}});
    group->tests.push_back(std::move(test));
}

std::size_t count_tests(const TestVectors& vectors) {
    std::size_t count = 0;
    for (const VectorGroup& group : vectors.groups) count += group.tests.size();
    return count;
}

std::vector<std::uint8_t> openness(const VectorAnswer& answer, std::size_t output) {
    std::vector<std::uint8_t> bits(answer.outputs[output].size(), 0);
    for (const OpenValue& value : answer.open) {
        if (value.output != output) continue;
        std::uint8_t& open = bits[value.index];
        if (value.kind == OpenValue::Kind::any) open |= open_any;
        if (value.kind == OpenValue::Kind::range || value.permit.codes.size() > 1) open |= open_more;
        if (value.permit.any_nan) open |= open_nan;
    }
    return bits;
}

std::string identifier_of(std::string_view name) {
    std::string identifier(name);
    std::replace_if(
        identifier.begin(), identifier.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return identifier;
}

std::string sizes_text(const VectorGroup& group) { return fmt::format("{}", fmt::join(group.sizes, "x")); }

} // namespace mxcert

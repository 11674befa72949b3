// SPDX-License-Identifier: Apache-2.0
#include "reference/clause.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace mxcert {
namespace {

constexpr std::size_t rule_count = static_cast<std::size_t>(Rule::directed_overflow) + 1;

/// A format, the clause of its codes, and the family of targets it belongs to.
struct FormatClauses {
    std::string_view format;
    std::string_view codes;
    std::size_t family;
};

enum Family : std::size_t { ofp8, e8m0, narrow, fnuz, ieee, scale, without_sign, exceptions };
constexpr std::size_t family_count = 8;

constexpr FormatClauses formats_[] = {
    {"e4m3", "OFP8-E4M3-CODES", ofp8},
    {"e5m2", "OFP8-E5M2-CODES", ofp8},
    {"e8m0", "MX-E8M0-CODES", e8m0},
    {"fp64", "IEEE-CODES", ieee},
    {"fp32", "IEEE-CODES", ieee},
    {"fp16", "IEEE-CODES", ieee},
    {"bf16", "BF16-CODES", ieee},
    {"e3m2", "MX-E3M2-CODES", narrow},
    {"e2m3", "MX-E2M3-CODES", narrow},
    {"e2m1", "MX-E2M1-CODES", narrow},
    {"e4m3fnuz", "FNUZ-CODES", fnuz},
    {"e5m2fnuz", "FNUZ-CODES", fnuz},
    {"amax_fp32", "IEEE-CODES", ieee},
    {"amax_fp16", "IEEE-CODES", ieee},
    {"amax_bf16", "BF16-CODES", ieee},
    {"e8m0inf", "MLX-E8M0INF-CODES", e8m0},
    {"int8", "MX-INT8-CODES", narrow},
    {"ue4m3", "PTX-UE4M3-CODES", without_sign},
    {"ue5m3", "NV-UE5M3-CODES", without_sign},
    {"nscale", "ARM-FP8-NSCALE", e8m0}, // given scales, to which nothing is converted
    {"nscale5", "ARM-FP8-NSCALE", e8m0},
    {"lscale4", "ARM-FP8-LSCALE", e8m0},
    {"lscale6", "ARM-FP8-LSCALE", e8m0},
};

/// Which clause states a rule for targets of a family. Rules that cannot decide a conversion to a family (a negative
/// value in a signed format) have the clause of rounding there.
struct RuleClauses {
    Rule rule;
    std::array<std::string_view, family_count> of; ///< in the order of Family
};

// clang-format off
constexpr RuleClauses rules[] = {
    {Rule::value,             {"", "", "", "", "", "", "", "IEEE-FLAG-EXACT"}}, // the codes of the source
    {Rule::via,               {"OFP8-ROUND", "MX-E8M0-ROUND", "MX-NARROW-ROUND", "FNUZ-ROUND", "IEEE-ROUND", "MX-SCALE-RULE", "UE-ROUND", "IEEE-FLAG-INEXACT"}},
    {Rule::flush,             {"OFP8-UNDERFLOW", "MX-E8M0-ROUND", "MX-NARROW-ZERO", "FNUZ-ZERO", "IEEE-UNDERFLOW", "MX-SCALE-LOWEST", "UE-ZERO", "IEEE-FLAG-UNDERFLOW"}},
    {Rule::scaled,            {"", "", "", "", "", "", "", ""}}, // the clauses of a given scale
    {Rule::scale_nan,         {"", "", "", "", "", "", "", ""}},
    {Rule::nan,               {"OFP8-NAN", "MX-E8M0-NAN", "MX-NARROW-NAN", "FNUZ-NAN", "IEEE-NAN", "MX-SCALE-NAN", "UE-NAN", "IEEE-FLAG-INVALID"}},
    {Rule::inf_sat,           {"OFP8-INF-SAT", "MX-E8M0-INF", "MX-NARROW-INF", "FNUZ-OVERFLOW", "IEEE-INF-SAT", "MX-SCALE-INF", "UE-INF", "IEEE-FLAG-INF"}},
    {Rule::inf_nosat,         {"OFP8-INF-NOSAT", "MX-E8M0-INF", "MX-NARROW-INF", "FNUZ-OVERFLOW", "IEEE-INF", "MX-SCALE-INF", "UE-INF", "IEEE-FLAG-INF"}},
    {Rule::zero,              {"OFP8-ZERO", "MX-E8M0-ZERO", "MX-NARROW-ZERO", "FNUZ-ZERO", "IEEE-ZERO", "MX-SCALE-ZERO", "UE-ZERO", "IEEE-FLAG-EXACT"}},
    {Rule::negative,          {"OFP8-ROUND", "MX-E8M0-NEGATIVE", "MX-NARROW-ROUND", "FNUZ-ROUND", "IEEE-ROUND", "MX-SCALE-RULE", "UE-NEGATIVE", "IEEE-FLAG-INEXACT"}},
    {Rule::lowest_binade,     {"OFP8-ROUND", "MX-E8M0-LOWEST", "MX-NARROW-ROUND", "FNUZ-ROUND", "IEEE-ROUND", "MX-SCALE-LOWEST", "UE-ROUND", "IEEE-FLAG-INEXACT"}},
    {Rule::round,             {"OFP8-ROUND", "MX-E8M0-ROUND", "MX-NARROW-ROUND", "FNUZ-ROUND", "IEEE-ROUND", "MX-SCALE-RULE", "UE-ROUND", "IEEE-FLAG-INEXACT"}},
    {Rule::underflow,         {"OFP8-UNDERFLOW", "MX-E8M0-LOWEST", "MX-NARROW-ZERO", "FNUZ-ZERO", "IEEE-UNDERFLOW", "MX-SCALE-LOWEST", "UE-ZERO", "IEEE-FLAG-UNDERFLOW"}},
    {Rule::overflow_sat,      {"OFP8-OVERFLOW-SAT", "MX-E8M0-OVERFLOW", "MX-NARROW-OVERFLOW", "FNUZ-OVERFLOW", "IEEE-OVERFLOW-SAT", "MX-SCALE-OVERFLOW", "UE-OVERFLOW", "IEEE-FLAG-OVERFLOW"}},
    {Rule::overflow_nosat,    {"OFP8-OVERFLOW-NOSAT", "MX-E8M0-OVERFLOW", "MX-NARROW-OVERFLOW", "FNUZ-OVERFLOW", "IEEE-OVERFLOW", "MX-SCALE-OVERFLOW", "UE-OVERFLOW", "IEEE-FLAG-OVERFLOW"}},
    {Rule::directed_overflow, {"OFP8-DIRECTED-OVERFLOW", "MX-E8M0-OVERFLOW", "MX-NARROW-OVERFLOW", "FNUZ-OVERFLOW", "IEEE-DIRECTED-OVERFLOW", "MX-SCALE-OVERFLOW", "UE-OVERFLOW", "IEEE-FLAG-OVERFLOW"}},
};
// clang-format on
static_assert(std::size(rules) == rule_count);
static_assert(
    [] {
        for (std::size_t i = 0; i < rule_count; ++i)
            if (static_cast<std::size_t>(rules[i].rule) != i) return false;
        return true;
    }(),
    "one row a rule, in the order of the enumeration");

/// What the clauses of a given scale state instead: of values divided by it, and times it.
struct ScaledClauses {
    Rule rule;
    std::string_view divide;
    std::string_view multiply;
};

// clang-format off
constexpr ScaledClauses scaled_rules[] = {
    {Rule::scaled,            "MX-ELEMENT", "MX-VALUE"},
    {Rule::scale_nan,         "MX-SCALE-IS-NAN", "MX-SCALE-IS-NAN"},
    {Rule::nan,               "", "MX-SPECIAL-ELEMENT"},
    {Rule::inf_nosat,         "", "MX-SPECIAL-ELEMENT"},
    {Rule::round,             "MX-ELEMENT", "MX-VALUE"},
    {Rule::underflow,         "MX-ELEMENT", "MX-VALUE"},
    {Rule::overflow_sat,      "MX-ELEMENT-CLAMP", "MX-VALUE-OVERFLOW"},
    {Rule::overflow_nosat,    "", "MX-VALUE-OVERFLOW"},
    {Rule::directed_overflow, "", "MX-VALUE-OVERFLOW"},
};
// clang-format on

std::string_view scaled_clause(Rule rule, const Format& from) {
    const Scaling scaling = from.scaling;
    if (scaling == Scaling::none) return {};
    if (from.scale->name != formats::e8m0.name) {
        // Arm rounds what it scaled as any other value: the clauses of the target say how.
        if (rule != Rule::scaled && rule != Rule::scale_nan) return {};
        return scaling == Scaling::divide ? "ARM-FP8-LSCALE" : "ARM-FP8-NSCALE";
    }
    const auto* found = std::find_if(std::begin(scaled_rules), std::end(scaled_rules),
                                     [&](const ScaledClauses& entry) { return entry.rule == rule; });
    if (found == std::end(scaled_rules)) return {};
    return scaling == Scaling::divide ? found->divide : found->multiply;
}

/// Where a scale rule decides: the clause of that rule, if it has one of its own.
constexpr std::string_view rule_of_scales = "MX-SCALE-RULE";

/// Of E8M0 as the scale of a block, whatever its elements are.
constexpr FormatClauses scale_of_block{"", "MX-E8M0-CODES", scale};

/// Of the exceptions of a conversion, whatever its target is.
constexpr FormatClauses flags{"", "IEEE-FLAGS", exceptions};

const FormatClauses& clauses_of(const Format& f) {
    if (f.element != nullptr) return scale_of_block;
    if (f.flags_of != nullptr) return flags;
    std::string_view name = f.value != nullptr ? f.value->name : f.name;
    if (f.rectified) name.remove_prefix(std::string_view("relu_").size());
    const auto* found = std::find_if(std::begin(formats_), std::end(formats_),
                                     [&](const FormatClauses& entry) { return entry.format == name; });
    if (found == std::end(formats_)) throw std::logic_error("no clauses for format " + std::string(f.name));
    return *found;
}

} // namespace

const Clause* find_clause(std::string_view id) {
    const auto all = all_clauses();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Clause& clause) { return clause.id == id; });
    return found == all.end() ? nullptr : &*found;
}

std::string_view clause_of(Rule rule, const Format& from, const Format& to, ScaleRule scale_rule) {
    if (rule == Rule::value && to.flags_of == nullptr) return clauses_of(from).codes;
    if (from.rectified && rule == Rule::negative) return "PTX-RELU";
    if (const std::string_view scaled = scaled_clause(rule, from); !scaled.empty()) return scaled;
    const std::string_view clause = rules[static_cast<std::size_t>(rule)].of[clauses_of(to).family];
    if (clause != rule_of_scales) return clause;
    switch (scale_rule) {
    case ScaleRule::ocp_floor: return "MX-SCALE-FLOOR";
    case ScaleRule::rceil: return "NV-SCALE-RCEIL";
    default: return rule_of_scales;
    }
}

std::string_view to_string(Grade grade) {
    switch (grade) {
    case Grade::primary: return "primary";
    case Grade::secondary: return "secondary";
    case Grade::derived: return "derived";
    case Grade::memory: return "memory";
    }
    throw std::logic_error("no such grade");
}

std::string_view to_string(ClauseKind kind) {
    switch (kind) {
    case ClauseKind::value: return "value";
    case ClauseKind::provision: return "provision";
    case ClauseKind::silent: return "silent";
    case ClauseKind::outside: return "outside";
    }
    throw std::logic_error("no such kind");
}

} // namespace mxcert

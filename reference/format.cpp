// SPDX-License-Identifier: Apache-2.0
#include "reference/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

using namespace formats;
constexpr std::array format_table{
    &e4m3,
    &e5m2,
    &e8m0,
    &fp64,
    &fp32,
    &fp16,
    &bf16,
    &e3m2,
    &e2m3,
    &e2m1,
    &int8,
    &ue4m3,
    &ue5m3,
    &e4m3fnuz,
    &e5m2fnuz,
    &amax_fp32,
    &amax_fp16,
    &amax_bf16,
    &e8m0_for_e4m3,
    &e8m0_for_e5m2,
    &e8m0_for_e3m2,
    &e8m0_for_e2m3,
    &e8m0_for_e2m1,
    &e8m0_for_int8,
    &fp32_by_e8m0,
    &fp16_by_e8m0,
    &bf16_by_e8m0,
    &e4m3_times_e8m0,
    &e5m2_times_e8m0,
    &e3m2_times_e8m0,
    &e2m3_times_e8m0,
    &e2m1_times_e8m0,
    &int8_times_e8m0,
    &fp32_times_nscale,
    &bf16_times_nscale,
    &fp16_times_nscale5,
    &e4m3_by_lscale4,
    &e5m2_by_lscale4,
    &e4m3_by_lscale6,
    &e5m2_by_lscale6,
    &relu_fp32,
    &relu_fp16,
    &relu_bf16,
    &e8m0inf,
    &flags_of_e4m3,
    &flags_of_e5m2,
    &flags_of_fp16,
    &flags_of_bf16,
};

/// What others call a format, and a word for several.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> other_names{{
    {"fp8", "e4m3 or e5m2"},
    {"float8", "e4m3 or e5m2"},
    {"fp6", "e3m2 or e2m3"},
    {"float6", "e3m2 or e2m3"},
    {"fp4", "e2m1"},
    {"float4", "e2m1"},
    {"float8_e4m3fn", "e4m3"},
    {"e4m3fn", "e4m3"},
    {"float8_e5m2", "e5m2"},
    {"float8_e8m0fnu", "e8m0"},
    {"float4_e2m1fn", "e2m1"},
    {"float16", "fp16"},
    {"half", "fp16"},
    {"bfloat16", "bf16"},
    {"float32", "fp32"},
    {"float", "fp32"},
    {"float64", "fp64"},
}};

/// Exponent of the last place in the lowest binade: every value is a multiple of 2 to this power.
constexpr int lowest_place(const Format& f) { return f.emin() - f.fraction_bits; }

/// The bits that a name such as "fp7" or "float12" tells, if they are fewer than 16; 0 for any other name.
int bits_told_by(std::string_view name) {
    for (const std::string_view prefix : {"float", "bf", "fp", "int", "f"}) {
        if (!name.starts_with(prefix)) continue;
        const std::string_view digits = name.substr(prefix.size());
        int bits = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        if (error == std::errc{} && end == digits.data() + digits.size() && bits > 0 && bits < 16) return bits;
    }
    return 0;
}

/// Numbers with a sign, not those of a scale, of flags or with an activation.
bool is_plain(const Format& f) {
    return f.is_signed && f.element == nullptr && f.value == nullptr && f.flags_of == nullptr && !f.rectified;
}

/// What is said of a name that tells how many bits a format has: those of so many, else all that are as narrow. "" for
/// other names.
std::string formats_by_bits(std::string_view name) {
    const int bits = bits_told_by(name);
    if (bits == 0) return {};
    const int most = bits <= 8 ? 8 : 16;
    std::string same;
    std::string all;
    for (const Format* f : format_table) {
        if (!is_plain(*f) || f->width() > most) continue;
        (all += all.empty() ? "" : ", ") += f->name;
        if (f->width() == bits) (same += same.empty() ? "" : ", ") += f->name;
    }
    if (!same.empty()) return "; of " + std::to_string(bits) + " bits there are: " + same;
    return "; no format has " + std::to_string(bits) + (bits == 1 ? " bit" : " bits") + "; of up to " +
           std::to_string(most) + " bits there are: " + all;
}

} // namespace

Formats all_formats() { return Formats(format_table); }

const Format* find_format(std::string_view name) {
    const auto* it =
        std::find_if(format_table.begin(), format_table.end(), [&](const Format* f) { return f->name == name; });
    return it == format_table.end() ? nullptr : *it;
}

const Format& format(std::string_view name) {
    if (const Format* found = find_format(name)) return *found;
    for (const auto& [other, own] : other_names)
        if (name == other)
            throw std::invalid_argument("unknown format '" + std::string(name) + "'; did you mean " + std::string(own) +
                                        "?");
    if (const std::string narrow = formats_by_bits(name); !narrow.empty())
        throw std::invalid_argument("unknown format '" + std::string(name) + "'" + narrow);
    std::vector<std::string_view> names;
    for (const Format* f : format_table) names.push_back(f->name);
    throw std::invalid_argument(unknown_name("format", name, names));
}

bool embeds(const Format& from, const Format& to) {
    if (from.scale != nullptr || to.scale != nullptr) return false;
    const bool sign_fits = !from.is_signed || to.is_signed;
    const bool zero_fits = !from.has_zero() || to.has_zero();
    const bool minus_zero_fits = !from.has_minus_zero() || to.has_minus_zero();
    // The largest binade may be cut short by codes that are not numbers, so compare its largest significand too.
    // The lowest two's complement code is a power of two one binade above the largest.
    const bool lowest_fits = !from.is_twos_complement() || to.is_twos_complement() || from.emax() < to.emax();
    const auto top_significand = [](const Format& f, int fraction_bits) {
        return (f.max_code() & f.fraction_mask()) << (fraction_bits - f.fraction_bits);
    };
    const int wide = std::max(from.fraction_bits, to.fraction_bits);
    const bool top_fits = from.emax() < to.emax() ||
                          (from.emax() == to.emax() && top_significand(from, wide) <= top_significand(to, wide));
    const bool fraction_fits = from.fraction_bits <= to.fraction_bits;
    const bool bottom_fits = lowest_place(from) >= lowest_place(to);
    return sign_fits && zero_fits && minus_zero_fits && top_fits && lowest_fits && fraction_fits && bottom_fits;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/float_scale.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "reference/code_text.hpp"

namespace mxcert::recipe {
namespace {

using formats::fp32;
using formats::fp64;

constexpr int largest_exponent = 126;
constexpr Code largest_fp32_as_fp64 = 0x47EFFFFFE0000000;

/// Whether a binary64 that is not beyond binary32 and has no sign is a value of binary32: its last bit that is one
/// stands in a place that binary32 has.
bool is_fp32(Code magnitude) {
    if (magnitude == 0) return true;
    const auto exponent = static_cast<int>(magnitude >> static_cast<unsigned>(fp64.fraction_bits)) - fp64.bias;
    const int last = exponent - fp64.fraction_bits + std::countr_zero(magnitude | (fp64.fraction_mask() + 1));
    return last >= std::max(exponent, fp32.emin()) - fp32.fraction_bits;
}

constexpr std::array<std::string_view, 2> first_names{"inverse", "scale"};
constexpr std::array<std::string_view, 2> quotient_names{"divide", "reciprocal"};
constexpr std::array<std::string_view, 2> power_names{"of_largest", "of_quotient"};
constexpr std::array<std::string_view, 3> unusable_names{"keep", "one", "computed"};

} // namespace

void check(const FloatScale& scaling) {
    if (scaling.exponent < 0 || scaling.exponent > largest_exponent)
        throw std::invalid_argument("the exponent of a margin is 0 to 126, not " + std::to_string(scaling.exponent));
    if (!fp32.is_finite(scaling.factor) || scaling.factor == 0 || (scaling.factor & fp32.sign_bit()) != 0)
        throw std::invalid_argument("the factor of a margin is finite and above zero, not " +
                                    code_text(fp32, scaling.factor));
    if (scaling.kept != &fp32 && scaling.kept != &formats::fp16 && scaling.kept != &formats::bf16)
        throw std::invalid_argument("a float scale is kept in fp32, fp16 or bf16");
    if (scaling.least_amax > largest_fp32_as_fp64)
        throw std::invalid_argument("the least amax has no sign and is not beyond binary32: " +
                                    code_text(fp64, scaling.least_amax));
    if (scaling.factor != unity && !is_fp32(scaling.least_amax))
        throw std::invalid_argument("a least amax that is multiplied by a factor is a binary32");
}

std::string_view to_string(First value) { return first_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Quotient value) { return quotient_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Power value) { return power_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Unusable value) { return unusable_names.at(static_cast<std::size_t>(value)); }

std::string describe(const FloatScale& s) {
    std::string text;
    const auto say = [&](std::string_view name, std::string_view value) {
        if (!text.empty()) text += ' ';
        text.append(name).append("=").append(value);
    };
    say("element", s.element->name);
    say("first", to_string(s.first));
    say("quotient", to_string(s.quotient));
    say("factor", code_text(fp32, s.factor));
    say("exponent", std::to_string(s.exponent));
    say("power", to_string(s.power));
    say("power_of_two", s.power_of_two ? "yes" : "no");
    say("least_amax", code_text(fp64, s.least_amax));
    say("limit", s.limit == nullptr ? "none" : s.limit->name);
    say("kept", s.kept->name);
    say("on_nan", to_string(s.on_nan));
    say("on_inf", to_string(s.on_inf));
    say("on_zero", to_string(s.on_zero));
    return text;
}

} // namespace mxcert::recipe

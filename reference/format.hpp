// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace mxcert {

/// A bit pattern of any format, right-aligned. Bits above the format's width are zero.
using Code = std::uint64_t;

/// Which codes are not numbers. (OFP8 v1.0 Tables 1-2; MX v1.0 5.4.1; IEEE 754 3.4; the FNUZ formats of AMD CDNA3.)
enum class Specials : std::uint8_t {
    none,           ///< every code is a finite number: E3M2, E2M3, E2M1
    ieee,           ///< exponent all ones: fraction 0 is Inf, anything else NaN: binary64/32/16, bfloat16, E5M2
    nan_all_ones,   ///< only the code with exponent and fraction all ones is NaN, no Inf: E4M3, E8M0
    nan_minus_zero, ///< only the code of -0 is NaN, no Inf and no -0: E4M3FNUZ, E5M2FNUZ
    inf_all_ones,   ///< the code with exponent and fraction all ones is Inf, no NaN: a misreading of E8M0
};

/// How a code carries a sign.
enum class Encoding : std::uint8_t {
    sign_magnitude,  ///< the top bit is the sign, the others are the magnitude: every floating-point format
    twos_complement, ///< a negative value is 2^width less its magnitude: INT8 (MX v1.0 5.3.4)
};

/// What a given scale does with a value.
enum class Scaling : std::uint8_t {
    none,
    divide,   ///< value / scale: what an element is made of (MX v1.0 6.3); Arm's LSCALE
    multiply, ///< value x scale: what an element stands for (MX v1.0 5.1); Arm's NSCALE
};

/// A format of numbers as data. Every conversion of both models is driven by these fields alone.
///
/// A code is sign | exponent E | fraction M, from the top. With f fraction bits:
///   E > 0, or no subnormals:  (-1)^S * 2^(E-bias) * (1 + M/2^f)
///   E = 0 with subnormals:    (-1)^S * 2^(1-bias) * (M/2^f)
///
/// A two's complement format has one exponent bit and subnormals, so that its magnitudes are the codes above read as
/// whole numbers: M/2^f and 1 + M/2^f. It has one code more, the sign bit alone: -2^(f+1) / 2^f.
///
/// A value with a given scale is a format too: its code is that of the scale, above that of the value. The fields are
/// those of the value; so are sign_bit(), the masks, max_code() and the exponents.
struct Format {
    std::string_view name;  ///< as used in commands, files and backends: "e4m3"
    std::string_view title; ///< for people: "OFP8 E4M3"
    int exponent_bits;
    int fraction_bits;
    int bias;
    bool is_signed;
    bool has_subnormals; ///< false: exponent field 0 is an ordinary binade and zero has no code (E8M0)
    Specials specials;
    std::string_view source; ///< where the encoding comes from
    /// The format of the elements whose scale this is: what is converted to it is the amax of a block, and a scale rule
    /// says which code comes out. Null for all other formats.
    const Format* element = nullptr;
    /// The formats of a value with a given scale, and what the scale does. Null and none for all other formats.
    const Format* value = nullptr;
    const Format* scale = nullptr;
    Scaling scaling = Scaling::none;
    Encoding encoding = Encoding::sign_magnitude;
    /// The target of the conversions whose exception flags these codes are (reference/flags.hpp). Null for all other
    /// formats.
    const Format* flags_of = nullptr;
    /// A source after a rectifier: negative numbers, -Inf and -0 stand for +0. A NaN stays one.
    bool rectified = false;

    [[nodiscard]] constexpr int value_width() const { return (is_signed ? 1 : 0) + exponent_bits + fraction_bits; }
    [[nodiscard]] constexpr int width() const { return value_width() + (scale != nullptr ? scale->width() : 0); }
    /// Bytes that a code takes in buffers: 1, 2, 4 or 8.
    [[nodiscard]] constexpr int bytes() const {
        return static_cast<int>(std::bit_ceil(static_cast<unsigned>(width() + 7) / 8));
    }
    /// The parts of a code: that of the value, and that of the given scale.
    [[nodiscard]] constexpr Code value_of(Code code) const { return code & value_mask(); }
    [[nodiscard]] constexpr Code scale_of(Code code) const { return scale == nullptr ? 0 : code >> value_width(); }
    /// The code of these parts. Precondition: there is a given scale.
    [[nodiscard]] constexpr Code code_of(Code scale_code, Code value_code) const {
        return scale_code << value_width() | value_code;
    }
    /// Number of codes less one: the largest code.
    [[nodiscard]] constexpr Code last_code() const { return width() == 64 ? ~Code{0} : (Code{1} << width()) - 1; }
    [[nodiscard]] constexpr Code sign_bit() const {
        return is_signed ? Code{1} << (exponent_bits + fraction_bits) : Code{0};
    }
    /// The bits of a magnitude: everything but the sign.
    [[nodiscard]] constexpr Code magnitude_mask() const { return (Code{1} << (exponent_bits + fraction_bits)) - 1; }
    /// The bits of a value: a magnitude and its sign.
    [[nodiscard]] constexpr Code value_mask() const { return sign_bit() | magnitude_mask(); }
    [[nodiscard]] constexpr Code fraction_mask() const { return (Code{1} << fraction_bits) - 1; }
    [[nodiscard]] constexpr bool is_twos_complement() const { return encoding == Encoding::twos_complement; }
    [[nodiscard]] constexpr bool is_negative(Code code) const { return (code & sign_bit()) != 0; }
    /// The code of the magnitude: without its sign. Of the lowest two's complement code it is that code itself, which
    /// has no positive counterpart.
    [[nodiscard]] constexpr Code magnitude_of(Code code) const {
        if (is_twos_complement() && is_negative(code)) return (~code + 1) & value_mask();
        return code & magnitude_mask();
    }
    /// The code of a magnitude with a sign; a format without sign or without -0 leaves out what it has no code for.
    [[nodiscard]] constexpr Code with_sign(Code magnitude, bool negative) const {
        if (!negative || (magnitude == 0 && !has_minus_zero())) return magnitude;
        if (is_twos_complement()) return (~magnitude + 1) & value_mask();
        return magnitude | sign_bit();
    }
    /// The code of the negated value; that of the lowest two's complement code is itself.
    [[nodiscard]] constexpr Code negate(Code code) const { return with_sign(magnitude_of(code), !is_negative(code)); }
    /// Whole numbers in the order of the values: -0 and +0 are 0, the smallest positive value is 1.
    [[nodiscard]] constexpr std::int64_t ordinal(Code code) const {
        const auto magnitude = static_cast<std::int64_t>(magnitude_of(value_of(code)));
        return is_negative(code) ? -magnitude : magnitude;
    }
    /// Whether a finite code other than zero is below the normal numbers. Whole numbers have no such codes.
    [[nodiscard]] constexpr bool is_subnormal(Code code) const {
        const Code magnitude = code & magnitude_mask();
        return has_subnormals && !is_twos_complement() && magnitude != 0 && magnitude <= fraction_mask();
    }
    [[nodiscard]] constexpr bool has_nan() const {
        return specials != Specials::none && specials != Specials::inf_all_ones;
    }
    [[nodiscard]] constexpr bool has_inf() const {
        return specials == Specials::ieee || specials == Specials::inf_all_ones;
    }
    [[nodiscard]] constexpr bool has_zero() const { return has_subnormals; }
    [[nodiscard]] constexpr bool has_minus_zero() const {
        return is_signed && has_zero() && specials != Specials::nan_minus_zero && !is_twos_complement();
    }
    [[nodiscard]] constexpr Code one_code() const { return static_cast<Code>(bias) << fraction_bits; }
    /// Code of +Inf. Precondition: has_inf().
    [[nodiscard]] constexpr Code inf_code() const {
        return specials == Specials::ieee ? magnitude_mask() - fraction_mask() : magnitude_mask();
    }
    [[nodiscard]] constexpr bool is_nan(Code code) const {
        if (scale != nullptr && scale->is_nan(scale_of(code))) return true;
        switch (specials) {
        case Specials::ieee: return (code & magnitude_mask()) > inf_code();
        case Specials::nan_all_ones: return (code & magnitude_mask()) == magnitude_mask();
        case Specials::nan_minus_zero: return value_of(code) == sign_bit();
        default: return false;
        }
    }
    [[nodiscard]] constexpr bool is_inf(Code code) const {
        return has_inf() && (code & magnitude_mask()) == inf_code() && !is_nan(code);
    }
    [[nodiscard]] constexpr bool is_finite(Code code) const { return !is_nan(code) && !is_inf(code); }
    /// Largest finite magnitude of either sign, as a code of the value. In two's complement -max - 1 is a value as
    /// well.
    [[nodiscard]] constexpr Code max_code() const {
        switch (specials) {
        case Specials::ieee: return inf_code() - 1;
        case Specials::nan_all_ones:
        case Specials::inf_all_ones: return magnitude_mask() - 1;
        default: return magnitude_mask();
        }
    }
    /// Smallest normal exponent (of the binade of exponent field 1, or 0 where there are no subnormals).
    [[nodiscard]] constexpr int emin() const { return (has_subnormals ? 1 : 0) - bias; }
    /// Exponent of the largest finite magnitude.
    [[nodiscard]] constexpr int emax() const { return static_cast<int>(max_code() >> fraction_bits) - bias; }
};

/// The formats, as references to the objects of namespace formats: a format has one address.
class Formats {
  public:
    class Iterator {
      public:
        explicit Iterator(const Format* const* at) : at_(at) {}
        const Format& operator*() const { return **at_; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

      private:
        const Format* const* at_;
    };
    explicit Formats(std::span<const Format* const> formats) : formats_(formats) {}
    [[nodiscard]] Iterator begin() const { return Iterator(formats_.data()); }
    [[nodiscard]] Iterator end() const { return Iterator(formats_.data() + formats_.size()); }
    [[nodiscard]] std::size_t size() const { return formats_.size(); }

  private:
    std::span<const Format* const> formats_;
};

/// Every format the models know. The order is that of `mxcert formats`.
[[nodiscard]] Formats all_formats();

/// The format of that name, or nullptr.
[[nodiscard]] const Format* find_format(std::string_view name);

/// The format of that name. Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Format& format(std::string_view name);

/// True if every finite value of `from`, zeros included, is a value of `to`: converting rounds nothing.
[[nodiscard]] bool embeds(const Format& from, const Format& to);

namespace formats {
inline constexpr Format fp64{"fp64",         "IEEE 754 binary64", 11, 52, 1023, true, true,
                             Specials::ieee, "IEEE 754-2019 3.4"};
inline constexpr Format fp32{"fp32", "IEEE 754 binary32", 8, 23, 127, true, true, Specials::ieee, "IEEE 754-2019 3.4"};
inline constexpr Format fp16{"fp16", "IEEE 754 binary16", 5, 10, 15, true, true, Specials::ieee, "IEEE 754-2019 3.4"};
inline constexpr Format bf16{"bf16", "bfloat16", 8, 7, 127, true, true, Specials::ieee, "the upper half of binary32"};
inline constexpr Format e4m3{"e4m3", "OFP8 E4M3", 4, 3, 7, true, true, Specials::nan_all_ones, "OFP8 v1.0 Tables 1-2"};
inline constexpr Format e5m2{"e5m2", "OFP8 E5M2", 5, 2, 15, true, true, Specials::ieee, "OFP8 v1.0 Tables 1-2"};
inline constexpr Format e8m0{"e8m0", "MX E8M0 scale", 8, 0, 127, false, false, Specials::nan_all_ones, "MX v1.0 5.4.1"};
inline constexpr Format e3m2{"e3m2", "MX FP6 E3M2", 3, 2, 3, true, true, Specials::none, "MX v1.0 5.3.2"};
inline constexpr Format e2m3{"e2m3", "MX FP6 E2M3", 2, 3, 1, true, true, Specials::none, "MX v1.0 5.3.2"};
inline constexpr Format e2m1{"e2m1", "MX FP4 E2M1", 2, 1, 1, true, true, Specials::none, "MX v1.0 5.3.3"};
/// Whole numbers from -128 to 127 times 2^-6: magnitudes are those of a float of one exponent bit.
inline constexpr Format int8{.name = "int8",
                             .title = "MX INT8",
                             .exponent_bits = 1,
                             .fraction_bits = 6,
                             .bias = 1,
                             .is_signed = true,
                             .has_subnormals = true,
                             .specials = Specials::none,
                             .source = "MX v1.0 5.3.4",
                             .encoding = Encoding::twos_complement};
/// Scales without sign: E4M3 with the sign clear, and one exponent bit more in its place.
inline constexpr Format ue4m3{"ue4m3",      "UE4M3, E4M3 without sign", 4, 3, 7, false, true, Specials::nan_all_ones,
                              "PTX ISA 9.3"};
inline constexpr Format ue5m3{
    "ue5m3", "UE5M3 scale", 5, 3, 15, false, true, Specials::nan_all_ones, "CUDA 13.5 cuda_fp8.h"};
inline constexpr Format e4m3fnuz{"e4m3fnuz", "E4M3 FNUZ (MI300)",      4,          3, 8, true,
                                 true,       Specials::nan_minus_zero, "AMD CDNA3"};
inline constexpr Format e5m2fnuz{"e5m2fnuz", "E5M2 FNUZ (MI300)",      5,          2, 16, true,
                                 true,       Specials::nan_minus_zero, "AMD CDNA3"};
/// Formats of a block's amax, the largest magnitude: the upper half of their codes is left out with the sign.
inline constexpr Format amax_fp32{
    "amax_fp32", "binary32 without sign: an amax", 8, 23, 127, false, true, Specials::ieee, "IEEE 754-2019 3.4"};
inline constexpr Format amax_fp16{
    "amax_fp16", "binary16 without sign: an amax", 5, 10, 15, false, true, Specials::ieee, "IEEE 754-2019 3.4"};
inline constexpr Format amax_bf16{"amax_bf16",    "bfloat16 without sign: an amax", 8, 7, 127, false, true,
                                  Specials::ieee, "the upper half of binary32"};
/// E8M0 as the scale of a block of these elements.
[[nodiscard]] constexpr Format e8m0_of(std::string_view name, std::string_view title, const Format& element) {
    Format format = e8m0;
    format.name = name;
    format.title = title;
    format.source = "MX v1.0 6.3";
    format.element = &element;
    return format;
}
inline constexpr Format e8m0_for_e4m3 = e8m0_of("e8m0_for_e4m3", "MX E8M0, the scale of E4M3", e4m3);
inline constexpr Format e8m0_for_e5m2 = e8m0_of("e8m0_for_e5m2", "MX E8M0, the scale of E5M2", e5m2);
inline constexpr Format e8m0_for_e3m2 = e8m0_of("e8m0_for_e3m2", "MX E8M0, the scale of E3M2", e3m2);
inline constexpr Format e8m0_for_e2m3 = e8m0_of("e8m0_for_e2m3", "MX E8M0, the scale of E2M3", e2m3);
inline constexpr Format e8m0_for_e2m1 = e8m0_of("e8m0_for_e2m1", "MX E8M0, the scale of E2M1", e2m1);
inline constexpr Format e8m0_for_int8 = e8m0_of("e8m0_for_int8", "MX E8M0, the scale of INT8", int8);
/// The exception flags of conversions to a format: five bits, read as a whole number.
[[nodiscard]] constexpr Format flags(std::string_view name, std::string_view title, const Format& target) {
    return {.name = name,
            .title = title,
            .exponent_bits = 1,
            .fraction_bits = 4,
            .bias = -3,
            .is_signed = false,
            .has_subnormals = true,
            .specials = Specials::none,
            .source = "IEEE 754-2019 7",
            .flags_of = &target};
}
inline constexpr Format flags_of_e4m3 = flags("flags_of_e4m3", "exceptions of conversions to E4M3", e4m3);
inline constexpr Format flags_of_e5m2 = flags("flags_of_e5m2", "exceptions of conversions to E5M2", e5m2);
inline constexpr Format flags_of_fp16 = flags("flags_of_fp16", "exceptions of conversions to binary16", fp16);
inline constexpr Format flags_of_bf16 = flags("flags_of_bf16", "exceptions of conversions to bfloat16", bf16);
/// No flag, and in no right answer: set in one where a batch of values does not raise what its values raise alone. The
/// flags beside it are those of the batch.
inline constexpr Code raised_in_batch = 0x20;

/// A format of values with a given scale.
[[nodiscard]] constexpr Format with_scale(std::string_view name, std::string_view title, const Format& value,
                                          const Format& scale, Scaling scaling) {
    Format format = value;
    format.name = name;
    format.title = title;
    const bool is_mx = scale.name == e8m0.name;
    format.source = !is_mx ? scale.source : scaling == Scaling::divide ? "MX v1.0 6.3" : "MX v1.0 5.1";
    format.value = &value;
    format.scale = &scale;
    format.scaling = scaling;
    return format;
}
/// What is quantized with a given scale, and what is dequantized.
inline constexpr Format fp32_by_e8m0 =
    with_scale("fp32_by_e8m0", "binary32 divided by a scale", fp32, e8m0, Scaling::divide);
inline constexpr Format fp16_by_e8m0 =
    with_scale("fp16_by_e8m0", "binary16 divided by a scale", fp16, e8m0, Scaling::divide);
inline constexpr Format bf16_by_e8m0 =
    with_scale("bf16_by_e8m0", "bfloat16 divided by a scale", bf16, e8m0, Scaling::divide);
inline constexpr Format e4m3_times_e8m0 =
    with_scale("e4m3_times_e8m0", "E4M3 times its scale", e4m3, e8m0, Scaling::multiply);
inline constexpr Format e5m2_times_e8m0 =
    with_scale("e5m2_times_e8m0", "E5M2 times its scale", e5m2, e8m0, Scaling::multiply);
inline constexpr Format e3m2_times_e8m0 =
    with_scale("e3m2_times_e8m0", "E3M2 times its scale", e3m2, e8m0, Scaling::multiply);
inline constexpr Format e2m3_times_e8m0 =
    with_scale("e2m3_times_e8m0", "E2M3 times its scale", e2m3, e8m0, Scaling::multiply);
inline constexpr Format e2m1_times_e8m0 =
    with_scale("e2m1_times_e8m0", "E2M1 times its scale", e2m1, e8m0, Scaling::multiply);
inline constexpr Format int8_times_e8m0 =
    with_scale("int8_times_e8m0", "INT8 times its scale", int8, e8m0, Scaling::multiply);
/// The exponents of Arm's FPMR, each the power of two that a value is multiplied or divided by. NSCALE is signed: its
/// code is the field with the top bit inverted, so that codes ascend; conversions from FP16 read its lower five bits.
/// Of LSCALE and LSCALE2 conversions to FP16 read four bits, those to BF16 six.
[[nodiscard]] constexpr Format exponent_of_fpmr(std::string_view name, std::string_view title, int bits, int bias) {
    return {name, title, bits, 0, bias, false, false, Specials::none, "Arm ARM, FPMR"};
}
inline constexpr Format nscale = exponent_of_fpmr("nscale", "2^NSCALE of Arm's FPMR", 8, 128);
inline constexpr Format nscale5 = exponent_of_fpmr("nscale5", "2^NSCALE[4:0] of Arm's FPMR", 5, 16);
inline constexpr Format lscale4 = exponent_of_fpmr("lscale4", "2^LSCALE[3:0] of Arm's FPMR", 4, 0);
inline constexpr Format lscale6 = exponent_of_fpmr("lscale6", "2^LSCALE[5:0] of Arm's FPMR", 6, 0);
inline constexpr Format fp32_times_nscale =
    with_scale("fp32_times_nscale", "binary32 times 2^NSCALE", fp32, nscale, Scaling::multiply);
inline constexpr Format bf16_times_nscale =
    with_scale("bf16_times_nscale", "bfloat16 times 2^NSCALE", bf16, nscale, Scaling::multiply);
inline constexpr Format fp16_times_nscale5 =
    with_scale("fp16_times_nscale5", "binary16 times 2^NSCALE[4:0]", fp16, nscale5, Scaling::multiply);
inline constexpr Format e4m3_by_lscale4 =
    with_scale("e4m3_by_lscale4", "E4M3 by 2^LSCALE[3:0]", e4m3, lscale4, Scaling::divide);
inline constexpr Format e5m2_by_lscale4 =
    with_scale("e5m2_by_lscale4", "E5M2 by 2^LSCALE[3:0]", e5m2, lscale4, Scaling::divide);
inline constexpr Format e4m3_by_lscale6 =
    with_scale("e4m3_by_lscale6", "E4M3 by 2^LSCALE[5:0]", e4m3, lscale6, Scaling::divide);
inline constexpr Format e5m2_by_lscale6 =
    with_scale("e5m2_by_lscale6", "E5M2 by 2^LSCALE[5:0]", e5m2, lscale6, Scaling::divide);
/// Sources after a rectifier: `.relu` of PTX.
[[nodiscard]] constexpr Format rectified(std::string_view name, std::string_view title, const Format& value) {
    Format format = value;
    format.name = name;
    format.title = title;
    format.source = "PTX ISA 9.1 9.7.9.21";
    format.rectified = true;
    return format;
}
inline constexpr Format relu_fp32 = rectified("relu_fp32", "binary32 after .relu", fp32);
inline constexpr Format relu_fp16 = rectified("relu_fp16", "binary16 after .relu", fp16);
inline constexpr Format relu_bf16 = rectified("relu_bf16", "bfloat16 after .relu", bf16);
/// Not a format but a misreading of one: E8M0 with 0xFF taken as Inf (MLX).
inline constexpr Format e8m0inf{"e8m0inf", "E8M0 with 0xFF read as Inf", 8,    0, 127, false,
                                false,     Specials::inf_all_ones,       "MLX"};
} // namespace formats

} // namespace mxcert

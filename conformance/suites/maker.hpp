// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "reference/base/random.hpp"
#include "reference/format.hpp"

// Values for the cases of blocks.
namespace mxcert::suites {

/// Values of a format by their exponent, all of whose fractions are in reach.
class Maker {
  public:
    explicit Maker(const Format& format) : format_(format) {}

    /// 2^exponent * (1 + fraction / 2^fraction_bits); exponents are cut to those of normal values.
    [[nodiscard]] Code normal(int exponent, Code fraction) const {
        const int lowest = format_.emin();
        const int field = std::clamp(exponent, lowest, format_.emax()) + format_.bias;
        return static_cast<Code>(field) << format_.fraction_bits | (fraction & format_.fraction_mask());
    }
    [[nodiscard]] Code negative(Code code) const { return code | format_.sign_bit(); }
    /// A value of its own for each number, between 1 and 2, with a sign.
    [[nodiscard]] Code ordinary(std::uint64_t number) const {
        const std::uint64_t word = SplitMix64::at(ordinary_seed, number);
        return normal(0, word) | ((word >> 63) != 0 ? format_.sign_bit() : 0);
    }

  private:
    static constexpr std::uint64_t ordinary_seed = 0x0B10C;
    const Format& format_;
};

/// An element for each place, finite and of either sign: other than those around it.
inline Code finite_element(const Format& f, std::uint64_t place) {
    return (place * 37 % f.max_code() + 1) | (place % 3 == 1 ? f.sign_bit() : 0);
}

/// A value that a block may go wrong with.
struct Special {
    std::string_view name;
    Code code;
};

inline std::vector<Special> specials_of(const Format& f) {
    const Code quiet = f.inf_code() + (Code{1} << (f.fraction_bits - 1));
    return {{"NaN", quiet},
            {"-NaN", quiet | f.sign_bit()},
            {"a signaling NaN", f.inf_code() + 1},
            {"Inf", f.inf_code()},
            {"-Inf", f.inf_code() | f.sign_bit()},
            {"-0", f.sign_bit()},
            {"the smallest subnormal", 1},
            {"the largest subnormal", f.fraction_mask()},
            {"the largest value", f.max_code()},
            {"-the largest value", f.max_code() | f.sign_bit()}};
}

/// The same of elements, which a vector may have nothing else of.
inline std::vector<Special> element_specials(const Format& f) {
    std::vector<Special> specials{{"0", 0},
                                  {"-0", f.sign_bit()},
                                  {"the smallest subnormal", 1},
                                  {"the largest subnormal", f.fraction_mask()},
                                  {"the largest value", f.max_code()},
                                  {"-the largest value", f.max_code() | f.sign_bit()}};
    if (f.has_inf()) specials.insert(specials.end(), {{"Inf", f.inf_code()}, {"-Inf", f.inf_code() | f.sign_bit()}});
    if (f.is_nan(f.magnitude_mask()))
        specials.insert(specials.end(), {{"NaN", f.magnitude_mask()}, {"-NaN", f.value_mask()}});
    return specials;
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
// The exact model's arithmetic, against the machine's at the edges of the formats.
#include "reference/exact/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

/// Zero, the smallest, both sides of the normal ones, 1, the largest, Inf, NaN, neighbours and signs, and random ones.
std::vector<Code> edges(const Format& format) {
    const Code normal = Code{1} << static_cast<unsigned>(format.fraction_bits);
    const Code unit = format.one_code();
    std::vector<Code> codes;
    for (const Code middle : {Code{1}, normal, unit, unit + normal / 2, unit + normal, format.inf_code()})
        for (const Code code : {middle - 1, middle, middle + 1})
            for (const Code sign : {Code{0}, format.sign_bit()}) codes.push_back(code | sign);
    SplitMix64 random(3);
    for (int i = 0; i < 24; ++i) codes.push_back(random() & format.last_code());
    for (int i = 0; i < 8; ++i) codes.push_back(unit + normal / 2 + (random() & (normal / 2 - 1)));
    return codes;
}

template <class Float, class Bits, class Exact, class Machine>
void compare(const Format& format, Exact exact, Machine machine) {
    const std::vector<Code> codes = edges(format);
    for (const Code a : codes)
        for (const Code b : codes) {
            const volatile auto x = std::bit_cast<Float>(static_cast<Bits>(a));
            const volatile auto y = std::bit_cast<Float>(static_cast<Bits>(b));
            const Float z = machine(x, y);
            const Code expected = std::isnan(z) ? exact::quiet_nan(format) : std::bit_cast<Bits>(z);
            CAPTURE(a, b);
            REQUIRE(exact(format, a, b) == expected);
        }
}

template <class Float, class Bits> void compare_all(const Format& format) {
    compare<Float, Bits>(format, exact::add, [](Float x, Float y) { return x + y; });
    compare<Float, Bits>(format, exact::multiply, [](Float x, Float y) { return x * y; });
    compare<Float, Bits>(format, exact::divide, [](Float x, Float y) { return x / y; });
}

} // namespace

TEST_CASE("exact sums, products and quotients are the machine's", "[values][arithmetic]") {
    compare_all<float, std::uint32_t>(fp32);
    compare_all<double, std::uint64_t>(fp64);
}

TEST_CASE("a rational number is rounded once, to nearest and to even", "[arithmetic]") {
    const exact::Rational ulp = exact::power_of_two(-23);
    CHECK(exact::nearest(fp32, false, 1 + ulp / 2) == 0x3F800000);
    CHECK(exact::nearest(fp32, false, 1 + 3 * ulp / 2) == 0x3F800002);
    CHECK(exact::nearest(fp32, true, exact::Rational(1, 3)) == 0xBEAAAAAB);
    CHECK(exact::nearest(fp32, false, exact::power_of_two(-150)) == 0);
    CHECK(exact::nearest(fp32, true, 0) == 0x80000000);
    CHECK(exact::nearest(fp32, false, exact::power_of_two(128)) == 0x7F800000);
    CHECK(exact::nearest(fp16, false, 65519) == 0x7BFF);
    CHECK(exact::nearest(fp16, false, 65520) == 0x7C00);
    CHECK(exact::quiet_nan(bf16) == 0x7FC0);
}

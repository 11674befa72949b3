// SPDX-License-Identifier: Apache-2.0
#include "reference/activation.hpp"

#include <bit>
#include <cstdint>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/activation.hpp"
#include "reference/fast/activation.hpp"

using namespace mxcert;
using Catch::Contains;
using formats::bf16;
using formats::fp16;
using formats::fp32;

namespace {

void check_both(const Format& source, Activation activation, Code value, Code wanted) {
    CAPTURE(source.name, to_string(activation), value);
    CHECK(exact::activate(source, activation, value) == wanted);
    CHECK(fast::activate(source, activation, value) == wanted);
}

} // namespace

TEST_CASE("relu gives +0 for NaN, -0 and what is negative", "[activation]") {
    for (const Activation activation : {Activation::relu, Activation::srelu}) {
        for (const Code zero : {0x0000U, 0x8000U, 0x8001U, 0xBF80U, 0xFF80U, 0x7FC0U, 0x7F81U, 0xFFC0U})
            check_both(bf16, activation, zero, 0);
        check_both(bf16, activation, 0x7F80, 0x7F80); // Inf
        check_both(bf16, activation, 0x3F80, 0x3F80); // 1
        check_both(fp16, activation, 0xFC00, 0);
        check_both(fp32, activation, 0x80000000, 0);
        check_both(fp32, activation, 0xFFC00000, 0);
    }
    check_both(bf16, Activation::relu, 0x0001, 0x0001);
    check_both(fp16, Activation::relu, 0x3555, 0x3555);
    for (const Code value : {0x8000U, 0x7FC0U, 0xBF80U, 0x4000U}) check_both(bf16, Activation::none, value, value);
}

TEST_CASE("a square is rounded to binary32, and to the source's type", "[activation]") {
    check_both(bf16, Activation::srelu, 0x4040, 0x4110); // 3 x 3
    check_both(bf16, Activation::srelu, 0x3F81, 0x3F82); // 1 + 2^-6 + 2^-14
    check_both(bf16, Activation::srelu, 0x3F88, 0x3F90); // 1.0625 squared is 1.12890625: a tie, down to even
    check_both(bf16, Activation::srelu, 0x3F98, 0x3FB4); // 1.1875 squared is 1.41015625: a tie, up to even
    check_both(bf16, Activation::srelu, 0x7F00, 0x7F80); // 2^127
    check_both(bf16, Activation::srelu, 0x1A35, 0);      // squares below half of the smallest subnormal
    check_both(fp16, Activation::srelu, 0x5C00, 0x7C00); // 256 squared is beyond 65504
    check_both(fp16, Activation::srelu, 0x5BFF, 0x7BFE); // 255.875 squared is 65472.015625, an ulp is 32
    check_both(fp16, Activation::srelu, 0x0C00, 0x0001); // 2^-12 squared is the smallest subnormal
    check_both(fp16, Activation::srelu, 0x0A00, 0x0001); // 0.75 x 2^-12: 0.5625 of it
    check_both(fp16, Activation::srelu, 0x09A8, 0x0000); // 0.70703125 x 2^-12: just below half of it
    check_both(fp16, Activation::srelu, 0x09A9, 0x0001); // and the value beyond it
    check_both(fp32, Activation::srelu, 0x3F800001, 0x3F800002);
    check_both(fp32, Activation::srelu, 0x5F800000, 0x7F800000); // 2^64
    check_both(fp32, Activation::srelu, 0x1A3504F3, 0x00000001); // 2^-74.5, from below: half of the smallest subnormal
    check_both(fp32, Activation::srelu, 0x00000001, 0);
    CHECK(exact::activate_in_fp32(bf16, Activation::srelu, 0x3F81) == 0x3F820200);
    CHECK(exact::activate_in_fp32(fp16, Activation::srelu, 0x5C00) == 0x47800000); // 65536
    CHECK(exact::activate_in_fp32(bf16, Activation::none, 0xBF81) == 0xBF810000);
}

TEST_CASE("both models activate every value of 16 bits alike", "[activation][values]") {
    std::uint64_t compared = 0;
    for (const Format* source : {&fp16, &bf16})
        for (const Activation activation : all_activations())
            for (Code value = 0; value <= source->last_code(); ++value, ++compared)
                if (exact::activate(*source, activation, value) != fast::activate(*source, activation, value))
                    check_both(*source, activation, value, exact::activate(*source, activation, value));
    CHECK(compared == 6 * 65536);
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Code value = SplitMix64::at(7, i) & fp32.last_code();
        check_both(fp32, Activation::srelu, value, exact::activate(fp32, Activation::srelu, value));
    }
}

TEST_CASE("the fast model squares as the machine does", "[activation]") {
    for (std::uint64_t i = 0; i < 100000; ++i) {
        const auto bits = static_cast<std::uint32_t>(SplitMix64::at(8, i) % fp32.inf_code());
        const auto x = std::bit_cast<float>(bits);
        const float square = x * x;
        if (fast::activate(fp32, Activation::srelu, bits) != std::bit_cast<std::uint32_t>(square)) CHECK(bits == 0);
    }
}

TEST_CASE("activations that nobody determines to the bit are refused", "[activation]") {
    CHECK(find_activation("none") == Activation::none);
    for (const Activation activation : all_activations()) {
        CHECK(find_activation(to_string(activation)) == activation);
        CHECK(is_activation(to_string(activation)));
    }
    for (const char* const name : {"gelu", "qgelu", "silu"}) {
        CHECK(is_activation(name));
        CHECK_THROWS_WITH(find_activation(name), Contains("no answer to the bit"));
    }
    CHECK_FALSE(is_activation("low_first"));
    CHECK_THROWS_WITH(find_activation("rleu"), Contains("did you mean relu"));
}

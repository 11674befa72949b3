// SPDX-License-Identifier: Apache-2.0
// Cases of dot products: operands of their formats, and both models agree on each of them.
#include "vectors/cases/dot_cases.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "catch.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/dot.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

/// Products of E4M3 and E5M2 have exponents from the sum of the smallest normal ones to the sum of the largest.
const DotFormat fp8{&e4m3, &e5m2, nullptr, nullptr, &fp32, &fp32};
constexpr int low = -6 - 14;
constexpr int high = 8 + 15;

/// A product that is not zero.
struct Product {
    std::size_t place;
    int exponent;
    bool negative;
};

std::vector<Product> products_of(const DotFormat& format, const DotCase& dot_case) {
    std::vector<Product> products;
    for (std::size_t l = 0; l < dot_case.a.size(); ++l) {
        const exact::Value a = exact::decode(*format.a, dot_case.a[l]);
        const exact::Value b = exact::decode(*format.b, dot_case.b[l]);
        if (a.magnitude.is_zero() || b.magnitude.is_zero()) continue;
        products.push_back(
            {l, exact::floor_log2(a.magnitude) + exact::floor_log2(b.magnitude), a.negative != b.negative});
    }
    return products;
}

std::vector<DotCase> about(const DotCases& cases, std::string_view text) {
    std::vector<DotCase> found;
    std::copy_if(cases.cases.begin(), cases.cases.end(), std::back_inserter(found),
                 [&](const DotCase& dot_case) { return dot_case.about == text; });
    return found;
}

/// Exponents from one to another.
std::set<int> all_from(int first, int last) {
    std::set<int> all;
    for (int exponent = first; exponent <= last; ++exponent) all.insert(exponent);
    return all;
}

} // namespace

TEST_CASE("cases of dot products are of their formats, and both models agree on them", "[dot]") {
    struct Asked {
        DotFormat format;
        std::size_t block;
        std::size_t k;
    };
    for (const auto& [format, block, k] : {Asked{{&int8, &int8, nullptr, nullptr, &fp32, &fp32}, 0, 64},
                                           Asked{{&e2m1, &e2m1, &e8m0, &e8m0, &fp32, &fp32}, 0, 64},
                                           Asked{{&e2m1, &e2m1, &e8m0, &e8m0, &fp16, &fp16}, 32, 64},
                                           Asked{{&e2m1, &int8, nullptr, nullptr, &fp16, &fp16}, 0, 64},
                                           Asked{{&e4m3, &e5m2, nullptr, nullptr, &fp16, &fp16}, 0, 40}})
        for (const bool has_c : {false, true}) {
            const DotCases cases = dot_cases(format, block, block, k, has_c);
            CAPTURE(format.a->name, block, has_c);
            CHECK(cases.cases.size() > 200);
            fast::Dot dot(format, dot_choices());
            std::set<std::string> abouts;
            bool any_c = false;
            for (const DotCase& dot_case : cases.cases) {
                abouts.insert(dot_case.about);
                any_c = any_c || dot_case.c != 0;
                CAPTURE(dot_case.about);
                REQUIRE(dot_case.a.size() == k);
                const Code sum = dot(cases.operands(dot_case));
                REQUIRE(sum == exact::dot(format, dot_choices(), cases.operands(dot_case)));
                if (dot_case.about == "products that cancel" || dot_case.about == "c that a product cancels")
                    CHECK((sum & format.to->magnitude_mask()) == 0);
            }
            CHECK(any_c == has_c);
            CHECK(abouts.contains("c of -0") == has_c);
            CHECK(abouts.contains("a subnormal c") == has_c);
            CHECK(abouts.contains("zeros"));
        }
}

TEST_CASE("two huge products that cancel lie in one group of additions or in two, with ones everywhere else", "[dot]") {
    std::set<std::pair<std::size_t, std::size_t>> places;
    for (const DotCase& dot_case : about(dot_cases(fp8, 0, 0, 64, false), "what is added between two products")) {
        const std::vector<Product> products = products_of(fp8, dot_case);
        CHECK(products.size() == 64);
        std::vector<Product> huge;
        for (const Product& product : products) {
            if (product.exponent == high)
                huge.push_back(product);
            else
                CHECK((product.exponent == low && !product.negative));
        }
        REQUIRE(huge.size() == 2);
        CHECK_FALSE(huge[0].negative);
        CHECK(huge[1].negative);
        CHECK(places.emplace(huge[0].place, huge[1].place).second);
    }
    // Of groups of 4, 8 and 16 the first one and one that is not the first: their ends, and the group after them.
    for (const std::size_t group : {4U, 8U, 16U})
        for (const std::size_t first : {0U, 16U}) {
            CAPTURE(group, first);
            CHECK(places.contains({first, first + 1}));
            CHECK(places.contains({first, first + group - 1}));
            CHECK(places.contains({first, first + group}));
        }
    CHECK(places.contains({1, 33}));
    CHECK(places.contains({40, 41}));
}

TEST_CASE("ties of sums lie as many bits down as the formats have, and the smallest product decides them", "[dot]") {
    const DotCases cases = dot_cases(fp8, 0, 0, 32, false);
    for (const auto& [text, same_sign] : {std::pair{"above a tie", true}, {"below a tie", false}}) {
        CAPTURE(text);
        std::set<int> ties;
        for (const DotCase& dot_case : about(cases, text)) {
            const std::vector<Product> products = products_of(fp8, dot_case);
            REQUIRE(products.size() == 3);
            CHECK(products[0].exponent == high);
            CHECK(products[1].negative == products[0].negative);
            CHECK(products[2].exponent == low);
            CHECK((products[2].negative == products[0].negative) == same_sign);
            ties.insert(products[1].exponent);
        }
        CHECK(ties == all_from(low + 2, high - 5));
    }
}

TEST_CASE("a large c stands beside two products of every exponent", "[dot]") {
    std::set<int> exponents;
    for (const DotCase& dot_case : about(dot_cases(fp8, 0, 0, 32, true), "a large c and products")) {
        const std::vector<Product> products = products_of(fp8, dot_case);
        REQUIRE(products.size() == 2);
        CHECK(exact::floor_log2(exact::decode(fp32, dot_case.c).magnitude) == high);
        CHECK(products[0].exponent == products[1].exponent);
        exponents.insert(products[0].exponent);
    }
    CHECK(exponents == all_from(low, high));
}

TEST_CASE("the largest products of alternating sign are that", "[dot]") {
    const std::vector<DotCase> found =
        about(dot_cases(fp8, 0, 0, 32, false), "the largest products of alternating sign");
    REQUIRE(found.size() == 1);
    for (std::size_t l = 0; l < 32; ++l) {
        CHECK(found.front().a[l] == (l % 2 == 0 ? 0xFE : 0x7E));
        CHECK(found.front().b[l] == 0x7B);
    }
}

TEST_CASE("scales with a sign have both, and long ones scale few products", "[dot]") {
    const DotFormat format{&e4m3, &e4m3, &fp32, &fp32, &fp32, &fp32};
    const DotCases cases = dot_cases(format, 32, 32, 64, false);
    std::size_t positive = 0;
    std::size_t negative = 0;
    for (const DotCase& dot_case : about(cases, "any scales"))
        for (const std::vector<Code>* scales : {&dot_case.scales_a, &dot_case.scales_b})
            for (const Code scale : *scales) ++(fp32.is_negative(scale) ? negative : positive);
    CHECK(negative > 20);
    CHECK(positive > 2 * negative);
    // Sums of many products would differ so much that what is rounded of the scales is lost.
    const std::vector<DotCase> long_scales = about(cases, "long scales near one");
    CHECK(long_scales.size() == 80);
    for (const DotCase& dot_case : long_scales) {
        const std::size_t products = products_of(format, dot_case).size();
        CHECK(products > 0);
        CHECK(products < 40);
    }
}

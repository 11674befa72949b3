// SPDX-License-Identifier: Apache-2.0
// Cases of dot products: operands of their formats, and both models agree on each of them.
#include "vectors/cases/dot_cases.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "reference/exact/dot.hpp"
#include "reference/fast/dot.hpp"

using namespace mxcert;
using namespace mxcert::formats;

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
                REQUIRE(dot(cases.operands(dot_case)) == exact::dot(format, dot_choices(), cases.operands(dot_case)));
            }
            CHECK(any_c == has_c);
            CHECK(abouts.contains("c of -0") == has_c);
            CHECK(abouts.contains("zeros"));
        }
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/hello.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using Catch::Contains;

// A megabyte of brackets in a HELLO ended the harness by a stack overflow.
TEST_CASE("a HELLO that nests too deep is refused") {
    const auto nested = [](std::size_t depth) {
        return R"({"backend":{},"conversions":[)" + std::string(depth, '[') + std::string(depth, ']') + "]}";
    };
    CHECK(parse_hello(nested(20), "x").info.unknown.size() == 1);
    CHECK_THROWS_WITH(parse_hello(nested(400'000), "x"), Contains("nests more than 32 deep"));
}

TEST_CASE("operations that a HELLO offers are read, and those that are not understood are listed") {
    const auto with = [](const std::string& operations) {
        return parse_hello(R"({"backend":{},"conversions":[],"operations":)" + operations + "}", "x");
    };
    const std::string text =
        R"({"name":"dequantize","attributes":{"element":"e4m3","scale":"e8m0","target":"fp32","axis":"row","block":"32"}})";
    const Hello known = with("[7," + text + "]");
    REQUIRE(known.info.operations.size() == 1);
    CHECK(to_string(known.info.operations[0]) == "dequantize-e4m3-e8m0-fp32-row-32");
    CHECK(known.operations == std::vector<std::uint32_t>{1});
    REQUIRE(known.info.unknown.size() == 1);
    CHECK_THAT(known.info.unknown[0], Contains("not an object"));
    CHECK_THAT(with("[" + text + "," + text + "]").info.unknown.at(0), Contains("offered twice"));
    CHECK_THAT(with(R"([{"name":"quantize","attributes":{}}])").info.unknown.at(0), Contains("needs the attribute"));
    CHECK_THAT(with(R"([{"name":"sort","attributes":{}}])").info.unknown.at(0), Contains("unknown operation 'sort'"));
    CHECK_THAT(with(R"([{"name":"quantize"}])").info.unknown.at(0), Contains("no object 'attributes'"));
    CHECK_THAT(with(R"([{"name":"quantize","attributes":{"axis":3}}])").info.unknown.at(0), Contains("not a text"));
    CHECK_THROWS_WITH(with("{}"), Contains("'operations' that are no list"));
}

TEST_CASE("the packages of a HELLO are names with versions", "[hello]") {
    const auto with = [](const std::string& packages) {
        return parse_hello(R"({"backend":{},"conversions":[],"packages":)" + packages + "}", "x").info.packages;
    };
    CHECK(with(R"({"numpy":"2.3.5"})") == std::map<std::string, std::string>{{"numpy", "2.3.5"}});
    CHECK_THROWS_WITH(with("7"), Contains("'packages' that are no names with versions"));
    CHECK_THROWS_WITH(with(R"({"numpy":2})"), Contains("that is not a text"));
}

TEST_CASE("a backend on a device that workers would share has one, unless the user says how many", "[hello]") {
    const auto jobs_with = [](const char* more, unsigned asked_for) {
        const std::string text = std::string(R"({"backend":{},"conversions":[])") + more + "}";
        return jobs_of(asked_for, parse_hello(text, "x").info);
    };
    CHECK(jobs_with(R"(,"one_worker":true)", 0) == 1);
    CHECK(jobs_with(R"(,"one_worker":true)", 3) == 3);
    CHECK(jobs_with(R"(,"one_worker":false)", 0) == std::max(1U, std::thread::hardware_concurrency()));
    CHECK(jobs_with("", 0) == std::max(1U, std::thread::hardware_concurrency()));
    CHECK_THROWS_WITH(jobs_with(R"(,"one_worker":1)", 0), Contains("neither true nor false"));
}

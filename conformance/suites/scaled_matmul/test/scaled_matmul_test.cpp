// SPDX-License-Identifier: Apache-2.0
// Products with an epilogue: a right backend passes, and each fault is found and named where it shows.
#include <set>
#include <string>

#include "catch.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/suites/scaled_matmul/faults.hpp"
#include "conformance/suites/scaled_matmul/identify.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;

namespace {

constexpr const char* offered[] = {
    "scaled_matmul-e4m3-e4m3-tensor-nt-bf16-product-bf16-none-none-hopper_fp8_f32",
    "scaled_matmul-e5m2-e4m3-line-nn-fp32-in_turn-fp32-none-none-exact",
    "scaled_matmul-e4m3-e4m3-tensor-nt-none-product-e4m3-fp32-fp32-fp32_multiply_add",
    "scaled_matmul-e2m1-e2m1-nvfp4-nt-none-product-bf16-none-none-blackwell_mxf4nvf4",
};

std::string plugin() { return test::planted_plugin("scaled_multiplier"); }

std::vector<verdict::Row> certified(const std::string& fault, const std::string& filter, Level level = Level::smoke) {
    return test::certify_plugin(plugin().c_str(), fault, "products", filter, 64, level);
}

} // namespace

namespace {

void check_passing(Level level) {
    for (const char* const name : offered) {
        const std::vector<verdict::Row> rows = certified("", std::string(name) + "/*", level);
        CHECK(rows.size() == 3);
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.compared > 300);
        }
    }
}

} // namespace

TEST_CASE("right products with an epilogue pass", "[operation][epilogue][values]") { check_passing(Level::smoke); }
TEST_CASE("right products with an epilogue pass at level quick", "[.][exhaustive]") { check_passing(Level::quick); }

TEST_CASE("special values and scales of an epilogue pass", "[operation][epilogue]") {
    for (const char* const name : {offered[2], offered[3]}) {
        const std::vector<verdict::Row> rows = certified("", std::string(name) + "/special");
        REQUIRE(rows.size() == 1);
        INFO(rows[0].id << ": " << rows[0].reason);
        CHECK(rows[0].status == Status::pass);
    }
}

namespace {

/// Plants every `step`-th fault, in the first operation that shows it.
void check_faults(std::size_t step, Level level) {
    for (std::size_t number = 0; number < scaled_faults().size(); number += step) {
        const ScaledFault& fault = scaled_faults()[number];
        CAPTURE(fault.name);
        std::size_t failed = 0;
        for (const char* const name : offered) {
            if (failed != 0) break;
            for (const verdict::Row& row : certified(std::string(fault.name), std::string(name) + "/*", level)) {
                INFO(row.id << ": " << row.reason);
                CHECK((row.status == Status::pass || row.status == Status::fail));
                if (row.status != Status::fail) continue;
                ++failed;
                CHECK(row.reason.find(fault.name) != std::string::npos);
            }
        }
        CHECK(failed > 0);
    }
}

} // namespace

TEST_CASE("faults of an epilogue fail and are named", "[operation][epilogue][values]") {
    check_faults(9, Level::smoke);
}
TEST_CASE("each fault of an epilogue fails and is named", "[.][exhaustive]") { check_faults(1, Level::quick); }

namespace {

/// Plants every `step`-th fault of the product.
void check_product_faults(std::size_t step) {
    struct Planted {
        const char* fault;
        const char* part;
    };
    const Planted all[] = {{"the scales of A of the next block", "/places"},
                           {"scales read as those of blocks twice as long", "/places"},
                           {"each scale used for two blocks", "/places"},
                           {"scales read as E8M0", "/special"},
                           {"subnormal scales flushed", "/special"},
                           {"scales of NaN ignored", "/special"},
                           {"all scales ignored", "/places"},
                           {"B taken for its transpose", "/places"}};
    for (std::size_t number = 0; number < std::size(all); number += step) {
        const Planted& planted = all[number];
        CAPTURE(planted.fault);
        const std::vector<verdict::Row> rows = certified(planted.fault, std::string(offered[3]) + planted.part);
        test::check_caught(rows, "element", planted.fault);
    }
    test::check_caught(certified("the last product left out", std::string(offered[0]) + "/places"), "element",
                       "the last product left out");
}

} // namespace

// The same faults are planted in products without an epilogue.
TEST_CASE("faults of the product under an epilogue are named", "[operation][epilogue][values]") {
    check_product_faults(3);
}
TEST_CASE("each fault of the product under an epilogue is named", "[.][exhaustive]") { check_product_faults(1); }

TEST_CASE("what only long sums show is found", "[operation][epilogue][values]") {
    for (const char* const fault :
         {"the scales of A begin again after 1024 products", "products after the first 1024 left out"}) {
        CAPTURE(fault);
        const std::vector<verdict::Row> rows = certified(fault, std::string(offered[3]) + "/places", Level::quick);
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().status == Status::fail);
    }
}

TEST_CASE("one wrong element, and a wrong amax, are found", "[operation][epilogue][values]") {
    const std::string last = std::string(offered[2]) + "/places";
    for (const char* const fault : {"one element of one product", "the amax of all but the last value"}) {
        const std::vector<verdict::Row> rows = certified(fault, last);
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().status == Status::fail);
        CHECK(rows.front().known_as.empty());
    }
}

TEST_CASE("vectors of D that have one kind of value are asked, behind an epilogue too",
          "[operation][epilogue][values]") {
    for (const char* const fault : {"vectors of zeros in D", "vectors of -0 in D", "vectors of NaN in D",
                                    "vectors of Inf in D", "vectors of the largest in D", "vectors of subnormals in D"})
        test::check_caught(certified(fault, std::string(offered[0]) + "/special"), "D of nothing but ", "");
    for (const std::string operation : {offered[1], offered[2], offered[3]})
        for (const char* const kind : {"zeros", "NaN", "subnormals"})
            test::check_caught(certified(std::string("beside ") + kind + " in D", operation + "/special"), "element",
                               "");
}

TEST_CASE("identify finds the epilogue and what is wrong with it", "[operation][epilogue][values]") {
    const auto found = [](const std::string& fault, const char* name) {
        const auto subject = test::open_plugin(plugin().c_str(), fault);
        return identify_scaled_matmul(*subject, parse_operation(name));
    };
    for (const char* const name : offered) {
        const FoundCases right = found("", name);
        CHECK(right.status == Status::pass);
        CHECK(right.explained == right.asked);
        CHECK(right.asked > 40);
        CHECK(right.parameters.front().name == "epilogue");
        CHECK(std::string(name).find("-" + right.parameters.front().value + "-") != std::string::npos);
    }
    const FoundCases other = found("the epilogue in_turn_fma", offered[1]);
    CHECK(other.explained == other.asked);
    CHECK(other.parameters.front().value == "in_turn_fma");
    const FoundCases inverted = found("the scale of D inverted", offered[2]);
    CHECK(inverted.explained == inverted.asked);
    const auto says = [&](std::string_view name, std::string_view value) {
        for (const auto& parameter : inverted.parameters)
            if (parameter.name == name && parameter.value == value) return true;
        return false;
    };
    CHECK(says("scale of D", "a divisor"));
}

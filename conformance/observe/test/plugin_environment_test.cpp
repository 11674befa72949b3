// SPDX-License-Identifier: Apache-2.0
// The worker's own floating-point environment, seen from inside of it: nothing that it sends shows it.
#include <cfenv>
#include <cfloat>

#include "catch.hpp"
#include "conformance/worker/load.hpp"
#include "conformance/worker/plugin.hpp"

using namespace mxcert;

namespace {

int mode_at_call = -1;

std::int32_t open_upward(const char*) {
    std::fesetround(FE_UPWARD);
    return MXCERT_OK;
}

std::int32_t leave_everything(const mxcert_convert_args*) {
    mode_at_call = std::fegetround();
    std::fesetround(FE_TOWARDZERO);
#ifdef __SSE2__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U); // flush results and operands that are subnormal
#endif
    return MXCERT_OK;
}

bool has_subnormals() {
    volatile double smallest = DBL_MIN;
    return smallest / 2 != 0;
}

} // namespace

/// In place of what loads a file.
const mxcert_api* mxcert::worker::load_api(const std::string&) {
    static const mxcert_conversion conversion = [] {
        mxcert_conversion offered{};
        offered.struct_size = sizeof(offered);
        offered.source = "fp32";
        offered.target = "e4m3";
        offered.rounding = "nearest_even";
        offered.overflow = "sat";
        return offered;
    }();
    static const mxcert_api api = [] {
        mxcert_api filled{};
        filled.struct_size = sizeof(filled);
        filled.abi_major = MXCERT_ABI_MAJOR;
        filled.name = "environment";
        filled.version = "1";
        filled.description = "changes the floating-point environment";
        filled.conversions = &conversion;
        filled.conversion_count = 1;
        filled.open = open_upward;
        filled.convert = leave_everything;
        return filled;
    }();
    return &api;
}

TEST_CASE("the worker's floating-point environment is its own after open() and after a call, and the plugin's in one") {
    worker::Plugin plugin("inside");
    REQUIRE(std::fegetround() == FE_TONEAREST);
    REQUIRE(has_subnormals());
    REQUIRE(plugin.open("").status == MXCERT_OK);
    const int after_open = std::fegetround();
    REQUIRE(plugin.convert({}).status == MXCERT_OK);
    const int after_call = std::fegetround();
    const bool subnormals_after_call = has_subnormals();
    std::fesetenv(FE_DFL_ENV); // whatever comes next must not depend on this
    CHECK(after_open == FE_TONEAREST);
    CHECK(mode_at_call == FE_UPWARD);
    CHECK(after_call == FE_TONEAREST);
    CHECK(subnormals_after_call);
}

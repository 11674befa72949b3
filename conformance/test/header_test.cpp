// SPDX-License-Identifier: Apache-2.0
// The interface as C++20 sees it; header_c11.c has the same in C. It comes first here: it must need nothing before it.
#include "conformance/backend.h"

#include <type_traits>

#include "catch.hpp"

#if UINTPTR_MAX == UINT64_MAX
static_assert(sizeof(mxcert_conversion) == 40);
static_assert(sizeof(mxcert_convert_args) == 40);
static_assert(sizeof(mxcert_api) == 80);
static_assert(offsetof(mxcert_convert_args, output) == 32);
static_assert(offsetof(mxcert_conversion, overflow) == 32);
static_assert(offsetof(mxcert_api, convert) == 56);
static_assert(offsetof(mxcert_api, close) == 72);
#endif

TEST_CASE("the structs of backend.h can be copied byte by byte and start with their size") {
    STATIC_REQUIRE(std::is_standard_layout_v<mxcert_api> && std::is_trivial_v<mxcert_api>);
    STATIC_REQUIRE(std::is_standard_layout_v<mxcert_conversion> && std::is_trivial_v<mxcert_conversion>);
    STATIC_REQUIRE(std::is_standard_layout_v<mxcert_convert_args> && std::is_trivial_v<mxcert_convert_args>);
    STATIC_REQUIRE(offsetof(mxcert_api, struct_size) == 0);
    STATIC_REQUIRE(offsetof(mxcert_conversion, struct_size) == 0);
    STATIC_REQUIRE(offsetof(mxcert_convert_args, struct_size) == 0);
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/columns.hpp"

#include <catch.hpp>

using namespace mxcert;

TEST_CASE("columns are aligned and lines end without spaces", "[columns]") {
    CHECK(print::columns({{"a", "bbb", "c"}, {"aaaa", "b"}, {"", "", "c"}, {""}}) ==
          "a     bbb  c\naaaa  b\n           c\n\n");
    CHECK(print::columns({}).empty());
}

// SPDX-License-Identifier: Apache-2.0
// Arrays that say the same again and again, and where one differs from them.
#include <vector>

#include "catch.hpp"
#include "conformance/frames/repeated_run.hpp"

using namespace mxcert;
using namespace mxcert::frames;

namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

} // namespace

TEST_CASE("an array repeats its periods to the ends of their parts", "[repeated]") {
    const RepeatedArray array{7, 1, 7, {bytes({1, 2, 3})}};
    std::vector<std::byte> memory(array.bytes());
    fill(array, memory);
    CHECK(memory == bytes({1, 2, 3, 1, 2, 3, 1}));
    const RepeatedArray two{6, 2, 3, {bytes({1, 0, 2, 0}), bytes({8, 0})}};
    memory.resize(two.bytes());
    fill(two, memory);
    CHECK(memory == bytes({1, 0, 2, 0, 1, 0, 8, 0, 8, 0, 8, 0}));
    CHECK_FALSE(mismatch(two, memory));
}

TEST_CASE("the values that differ from an array are counted, and the first one is shown", "[repeated]") {
    const RepeatedArray array{6, 2, 3, {bytes({1, 0, 2, 0}), bytes({8, 0})}};
    for (std::size_t at = 0; at < array.bytes(); ++at) {
        std::vector<std::byte> memory(array.bytes());
        fill(array, memory);
        memory[at] ^= std::byte{0x40};
        const auto found = mismatch(array, memory);
        REQUIRE(found);
        CHECK(found->values == 1);
        CHECK(found->first == at / 2);
        CHECK((found->got ^ found->wanted) == Code{0x40} << at % 2 * 8);
        memory[memory.size() - 1] = std::byte{0x77};
        CHECK(mismatch(array, memory)->values == (at / 2 == 5 ? 1 : 2));
        CHECK(mismatch(array, memory)->first == at / 2);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/progress.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <unistd.h>

#include "catch.hpp"

using mxcert::print::Progress;

namespace {

/// The first lines that a program is told from the last call on.
template <class Before, class Last> std::string told(std::uint64_t total, const Before& before, const Last& last) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    {
        Progress progress(stderr, Progress::Mode::none, total);
        before(progress);
        progress.tell(ends[1]);
        last(progress);
    }
    close(ends[1]);
    std::array<char, 256> text{};
    const auto size = read(ends[0], text.data(), text.size());
    close(ends[0]);
    return {text.data(), static_cast<std::size_t>(std::max<decltype(size)>(size, 0))};
}

} // namespace

TEST_CASE("A program is told how many inputs of the whole run are done", "[print]") {
    const auto first_of_two = [](Progress& progress) {
        progress.start("one", 600);
        progress.finish();
        progress.start("two", 400);
    };
    CHECK(told(1000, first_of_two, [](Progress& progress) { progress.update(300); }) == "900 1000\n");
    // A total that turns out too small is never exceeded.
    CHECK(told(700, first_of_two, [](Progress& progress) { progress.update(300); }) == "700 700\n");
}

TEST_CASE("Of work without a number of inputs a program is told thousandths", "[print]") {
    CHECK(told(
              0,
              [](Progress& progress) {
                  progress.expect_work({"quantize", 1});
              },
              [](Progress& progress) { progress.start_work("quantize"); })
              .ends_with(" 1000\n"));
}

TEST_CASE("A part that takes longer than was expected is not told as nearly done", "[print]") {
    const auto half_an_eternity = [](Progress& progress) {
        progress.expect_work({"quantize", 1e-9});
        progress.start_work("quantize");
        progress.update_part(1, std::uint64_t{1} << 60);
    };
    CHECK(told(0, half_an_eternity, [](Progress& progress) {
              progress.update_part(2, std::uint64_t{1} << 60);
          }).starts_with("0 1000\n"));
}

// SPDX-License-Identifier: Apache-2.0
// The example of docs/writing-a-backend.md, compiled as that page says and run by the worker.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;

namespace {

/// The first block of C of a Markdown page.
std::string c_block(const std::string& path) {
    std::ifstream file(path);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::size_t fence = page.find("```c\n");
    const std::size_t end = page.find("\n```\n", fence);
    REQUIRE(end != std::string::npos);
    return page.substr(fence + 5, end + 1 - fence - 5);
}

} // namespace

TEST_CASE("the documented plugin compiles and does what the page says") {
    const auto folder = std::filesystem::temp_directory_path() / ("mxcert-example-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const std::string source = folder / "truncate.c";
    const std::string plugin = folder / "truncate.so";
    std::ofstream(source) << c_block(MXCERT_TEST_SOURCE "/docs/writing-a-backend.md");
    const std::string command = "cc -std=c11 -O2 -Wall -Wextra -pedantic -Werror -shared -fPIC -I '" MXCERT_TEST_SOURCE
                                "' '" +
                                source + "' -o '" + plugin + "'";
    REQUIRE(std::system(command.c_str()) == 0);

    WorkerProcess worker({MXCERT_TEST_WORKER, plugin});
    static_cast<void>(worker.receive());
    worker.start();
    const auto code = [&](std::uint32_t input) {
        frames::ConvertRequest request;
        request.first = input;
        request.count = 1;
        worker.convert(1, request);
        return std::to_integer<int>(worker.receive().payload.at(frames::result_bytes));
    };
    CHECK(code(0x3F8FFFFF) == 0x38);
    CHECK(code(0xBF800000) == 0xB8);
    CHECK(code(0x43DFFFFF) == 0x7D);
    CHECK(code(0x7F800000) == 0x7E);
    CHECK(code(0xFFC00000) == 0x7F);
    CHECK(code(0x3C800000) == 0x08);
    CHECK(code(0x3C7FFFFF) == 0x00); // the mistake: 0x07 is right
    std::filesystem::remove_all(folder);
}

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

/// The first block of a language of a Markdown page.
std::string block_of(const std::string& page_name, const std::string& language) {
    std::ifstream file(MXCERT_TEST_SOURCE "/docs/" + page_name);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::string fence = "```" + language + "\n";
    const std::size_t begin = page.find(fence);
    const std::size_t end = page.find("\n```\n", begin);
    REQUIRE(end != std::string::npos);
    return page.substr(begin + fence.size(), end + 1 - begin - fence.size());
}

} // namespace

TEST_CASE("the documented plugins compile and do what the page says") {
    const auto folder = std::filesystem::temp_directory_path() / ("mxcert-example-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const std::pair<std::string, std::string> languages[] = {{"c", "cc -std=c11"}, {"cpp", "c++ -std=c++17"}};
    for (const auto& [language, compiler] : languages) {
        CAPTURE(language);
        const std::string source = folder / ("truncate." + language);
        const std::string plugin = folder / (language + ".so");
        std::ofstream(source) << block_of("writing-a-backend.md", language);
        const std::string command = compiler +
                                    " -O2 -Wall -Wextra -pedantic -Werror -shared -fPIC -I '" MXCERT_TEST_SOURCE "' '" +
                                    source + "' -o '" + plugin + "'";
        REQUIRE(std::system(command.c_str()) == 0);

        WorkerProcess worker({MXCERT_TEST_WORKER, plugin});
        static_cast<void>(worker.receive());
        worker.start();
        const auto code = [&](std::uint32_t input, std::uint32_t conversion = 0) {
            frames::ConvertRequest request;
            request.conversion = conversion;
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
        if (language == "cpp") CHECK(code(0xBF8F, 1) == 0xB8);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("the documented program answers lines") {
    const auto folder = std::filesystem::temp_directory_path() / ("mxcert-lines-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "lines.c") << "static unsigned to_e4m3(unsigned x) { return x >> 24; }\n"
                                      << block_of("pipe.md", "c");
    const std::string program = folder / "lines";
    REQUIRE(std::system(("cc -O2 -Wall -Wextra -pedantic -Werror '" + program + ".c' -o '" + program + "'").c_str()) ==
            0);
    WorkerProcess worker({MXCERT_TEST_WORKER, "--pipe", "lines", program, "fp32-e4m3-nearest_even-sat:0"});
    static_cast<void>(worker.receive());
    worker.start();
    frames::ConvertRequest request;
    request.first = 0xBF800000;
    request.count = 1;
    worker.convert(1, request);
    CHECK(std::to_integer<int>(worker.receive().payload.at(frames::result_bytes)) == 0xBF);
    std::filesystem::remove_all(folder);
}

// SPDX-License-Identifier: Apache-2.0
// Workers and plugins of different versions of backend.h meet. The next versions are made from it by CMake.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

const std::string here =
    std::filesystem::path(MXCERT_TEST_WORKER).parent_path().parent_path().string() + "/lib/mxcert-test/";

/// The error of HELLO, or what the second conversion, bf16 to e4m3, makes of 0x12AB.
std::string meet(const std::string& host, const std::string& plugin) {
    WorkerProcess worker({host, plugin});
    const auto hello = nlohmann::json::parse(text(worker.receive()));
    if (hello.contains("error")) return hello["error"];
    if (hello["conversions"].size() != 2 || hello["conversions"][1]["source"] != "bf16") return "other conversions";
    worker.start();
    frames::ConvertRequest request;
    request.conversion = 1;
    request.first = 0x12AB;
    request.count = 1;
    worker.convert(1, request);
    const auto frame = worker.receive();
    if (frame.header.type != frames::Type::result) return text(frame);
    worker.end();
    static_cast<void>(worker.receive());
    if (const std::string how = worker.finish(); how != "exit 0") return how;
    return std::to_string(std::to_integer<int>(frame.payload.at(frames::result_bytes)));
}

} // namespace

TEST_CASE("versions of the interface negotiate") {
    const std::string now = MXCERT_TEST_WORKER;
    const std::string works = std::to_string(0xAB);
    struct {
        std::string host;
        const char* plugin;
        std::string says;
    } const table[] = {
        {now, "plain.so", works},
        {now, "next_minor.so", works},                        // a plugin with fields that this worker does not know
        {here + "test_worker_next_minor", "plain.so", works}, // a worker with fields that the plugin does not have
        {here + "test_worker_next_minor", "next_minor.so", works},
        {here + "test_worker_next_minor", "short_but_enough.so", works},
        {now, "next_major.so", "was built for version 2 of the interface, this program speaks version 1"},
        {here + "test_worker_next_major", "plain.so",
         "was built for version 1 of the interface, this program speaks version 2"},
        {here + "test_worker_next_major", "../mxcert/portable.so", "it does not speak version 2"},
    };
    for (const auto& row : table) {
        CAPTURE(row.host, row.plugin);
        CHECK_THAT(meet(row.host, here + row.plugin), Contains(row.says));
    }
}

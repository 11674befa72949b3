// SPDX-License-Identifier: Apache-2.0
// Workers and plugins of different versions of backend.h meet. The next versions are made from it by CMake.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/backend.h"
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

/// Why the worker says that a request failed.
std::string failure(const WorkerProcess& worker) {
    const auto frame = worker.receive();
    CAPTURE(text(frame));
    REQUIRE(frame.header.type == frames::Type::failed);
    return nlohmann::json::parse(text(frame))["message"];
}

/// Bytes that the next minor version appends to each struct.
constexpr std::size_t appended = sizeof(std::uint64_t);

} // namespace

TEST_CASE("versions of the interface negotiate") {
    const std::string now = MXCERT_TEST_WORKER;
    const std::string works = std::to_string(0xAB);
    struct {
        std::string host;
        const char* plugin;
        std::string says;
    } const table[] = {
        {now, "variant.so", works},
        {now, "variant_next_minor.so", works},                  // a plugin with fields that this worker does not know
        {here + "test_worker_next_minor", "variant.so", works}, // a worker with fields that the plugin does not have
        {here + "test_worker_next_minor", "variant_next_minor.so", works},
        {now, "variant_next_major.so", "was built for version 3 of the interface, this program speaks version 2"},
        {here + "test_worker_next_major", "variant.so",
         "was built for version 2 of the interface, this program speaks version 3"},
        {here + "test_worker_next_major", "../mxcert/portable.so", "it does not speak version 3"},
    };
    for (const auto& row : table) {
        CAPTURE(row.host, row.plugin);
        CHECK_THAT(meet(row.host, here + row.plugin), Contains(row.says));
    }
}

TEST_CASE("the next minor version has longer structs, and either side tells the sizes of its own") {
    struct {
        std::string host;
        const char* plugin;
        std::size_t more_given; // to the calls, by the worker
        std::size_t more_had;   // by the structs of the plugin
    } const table[] = {
        {MXCERT_TEST_WORKER, "sizes.so", 0, 0},
        {MXCERT_TEST_WORKER, "sizes_next_minor.so", 0, appended},
        {here + "test_worker_next_minor", "sizes.so", appended, 0},
        {here + "test_worker_next_minor", "sizes_next_minor.so", appended, appended},
    };
    for (const auto& row : table) {
        CAPTURE(row.host, row.plugin);
        WorkerProcess worker({row.host, here + row.plugin});
        const auto hello = nlohmann::json::parse(text(worker.receive()));
        REQUIRE(!hello.contains("error"));
        CHECK(hello["backend"]["version"] ==
              std::to_string(MXCERT_ABI_MAJOR) + "." + std::to_string(MXCERT_ABI_MINOR + (row.more_had != 0 ? 1 : 0)));
        CHECK(hello["backend"]["description"] ==
              "api " + std::to_string(sizeof(mxcert_api) + row.more_had) + ", conversion " +
                  std::to_string(sizeof(mxcert_conversion) + row.more_had) + ", operation " +
                  std::to_string(sizeof(mxcert_operation) + row.more_had));
        // The second of an array lies behind the longer first one.
        REQUIRE(hello["conversions"].size() == 2);
        CHECK(hello["conversions"][1]["source"] == "bf16");
        REQUIRE(hello["operations"].size() == 2);
        CHECK(hello["operations"][1]["name"] == "dequantize");

        worker.start();
        const auto given = [&](std::size_t size) {
            return "given " + std::to_string(size + row.more_given) + " bytes";
        };
        frames::ConvertRequest convert;
        convert.count = 1;
        worker.convert(1, convert);
        CHECK_THAT(failure(worker), Contains(given(sizeof(mxcert_convert_args))));
        frames::RangeRequest range;
        range.most_steps = 1;
        range.count = 1;
        worker.send(frames::Type::range, 2, encode(range));
        CHECK_THAT(failure(worker), Contains(given(sizeof(mxcert_range_args))));
        frames::RunRequest run;
        run.inputs = run.outputs = {{1, 1}};
        std::vector<std::byte> payload = encode(run);
        payload.push_back({});
        worker.send(frames::Type::run, 3, payload);
        CHECK_THAT(failure(worker), Contains(given(sizeof(mxcert_run_args))));
    }
}

// SPDX-License-Identifier: Apache-2.0
// mxcert measure as a user runs it.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/program.hpp"
#include "conformance/test/tensor_files.hpp"

using namespace mxcert;
using mxcert::test::contains;
using mxcert::test::npy_dictionary;
using mxcert::test::npy_file;
using mxcert::test::Result;
using mxcert::test::safetensors_file;
using mxcert::test::shell;
using mxcert::test::write_file;

namespace {

/// 1, 2, 3 and 1000 as FP32.
const std::string data = mxcert::test::values_text(formats::fp32, {0x3F800000, 0x40000000, 0x40400000, 0x447A0000});

void write_files(const TemporaryFolder& folder) {
    const std::string good = npy_file(npy_dictionary("<f4", "(2, 2)"), data);
    write_file(folder, "good.npy", good);
    write_file(folder, "good.safetensors",
               safetensors_file(R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", data));
    write_file(folder, "good.bin", data);
    write_file(folder, "zeros.bin", std::string(std::size_t{4} * 65, '\0'));
    write_file(folder, "cut.npy", good.substr(0, good.size() - 1));
    write_file(folder, "long.npy", good + "x");
    write_file(folder, "f8.npy", npy_file(npy_dictionary("<f8", "(2,)"), data));
    write_file(folder, "big.npy", npy_file(npy_dictionary(">f4", "(2, 2)"), data));
    write_file(folder, "odd.safetensors", safetensors_file("{", ""));
}

} // namespace

TEST_CASE("exit codes of mxcert measure", "[measure][programs]") {
    const TemporaryFolder folder;
    write_files(folder);
    const struct {
        int code;
        const char* arguments;
        const char* says;
    } table[] = {
        {0, "--help", "Examples"},
        {0, "good.npy", "good.npy: fp32 [2, 2], 4 values, magnitudes 1 to 1000"},
        {0, "good.npy --dtype fp32 --element e5m2 --rule rceil --block 16", "e5m2     rceil  16"},
        {0, "good.safetensors", "fp32 [4], 4 values"},
        {0, "good.safetensors --tensor w", "good.safetensors w: fp32 [4]"},
        {0, "good.bin --dtype bf16 --shape 2,4", "bf16 [2, 4], 8 values"},
        {0, "--shape 1000000000", "1,031,250,000"},
        {0, "--shape 31250,32000 --json -", "\"scales\": 31250000"},
        {0, "good.safetensors --all", "1 tensor, SQNR in dB"},
        {0, "good.npy --rule te_nvfp4", "e2m1     te_nvfp4  16"},
        {0, "good.npy --rule tile --block 16", "e4m3     tile   16x16"},
        {0, "good.npy --rule element_percentile_9999", "e4m3     element_percentile_9999  -"},
        {0, "good.npy --element int8 --element e3m2 --rule tile --rule row", "FP32, tile 32x32, 6 bits"},
        {0, "good.npy --rule ocp_floor --element e4m3 --each", "0x7E x 2           896"},
        {2, "--shape 4 --each", "--each lists the values of one tensor"},
        {2, "good.safetensors --all --each", "--each lists the values of one tensor"},
        {2, "zeros.bin --dtype fp32 --shape 65 --each", "at most 64 values; this one has 65"},
        {2, "good.npy --rule element_percentile_99_maximum_4", "unknown scale rule"},
        {2, "--all", "--all needs FILE"},
        {2, "good.safetensors --all --tensor w", "no --dtype, --shape or --tensor"},
        {2, "good.npy --all", "--all needs a .safetensors file"},
        {2, "", "FILE is missing"},
        {2, "--dtype fp32 --shape 4", "need FILE"},
        {2, "--shape 4 --plot x.svg", "need FILE"},
        {2, "none.npy", "cannot open 'none.npy'"},
        {2, "good.bin", "need --dtype and --shape"},
        {2, "good.bin --dtype fp32 --shape 3", "takes 12 bytes, the file has 16"},
        {2, "good.bin --dtype fp64 --shape 2", "fp64"},
        {2, "good.bin --dtype fp32 --shape 2x2", "--shape '2x2'"},
        {2, "good.bin --dtype fp32 --shape 4294967296,4294967296", "more than 2^50"},
        {2, "cut.npy", "cut off"},
        {2, "long.npy", "more than the values"},
        {2, "f8.npy", "'<f4', '<f2'"},
        {2, "big.npy", "big-endian"},
        {2, "odd.safetensors", "no valid JSON"},
        {2, "good.safetensors --tensor v", "no tensor 'v': did you mean w"},
        {2, "good.npy --element e4m4", "e4m3"},
        {2, "good.npy --rule rcel", "rceil"},
        {2, "good.npy --block 0", "--block 0"},
        {2, "good.npy --block x", "block"},
        {2, "good.npy --json none/figures.json", "none/figures.json"},
        {2, "good.npy --plot .", "cannot write '.'"},
        {2, "good.npy --json /dev/full", "/dev/full"},
        {2, "good.npy > /dev/full", "standard output"},
    };
    for (const auto& row : table) {
        const Result result = shell(folder.path(), "mxcert measure " + std::string(row.arguments));
        INFO("mxcert measure " << row.arguments << "\nstdout: " << result.out << "\nstderr: " << result.err);
        CHECK(result.code == row.code);
        CHECK((contains(result.out, row.says) || contains(result.err, row.says)));
        if (row.code == 2) CHECK(contains(result.err, "mxcert: "));
    }
}

TEST_CASE("figures by hand, in the table, as JSON and as a plot", "[measure]") {
    const TemporaryFolder folder;
    write_files(folder);
    // By the scale 2 of ocp_floor 1000 is 500, which saturates to 448, 896 in all: 104 away.
    const Result result = shell(folder.path(), "mxcert measure good.bin --dtype fp32 --shape 4 --element e4m3 "
                                               "--rule ocp_floor --json figures.json --plot figures.svg");
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    CHECK(contains(result.out, "e4m3     ocp_floor  32     0.104           0.026            2704"));
    CHECK(contains(result.out, "25.00 %  0\n"));
    CHECK(contains(content(folder.path() / "figures.svg"), "<title>Relative error of good.bin</title>"));
    const nlohmann::json json = nlohmann::json::parse(content(folder.path() / "figures.json"));
    const nlohmann::json& quality = json["methods"][0]["quality"];
    CHECK(quality["max_relative_error"] == 0.104);
    CHECK(quality["sum_squared_errors"] == 104 * 104);
    CHECK(quality["mse"] == 2704);
    CHECK(quality["clipped"] == 1);
    CHECK(quality["flushed"] == 0);
    CHECK(quality["binades"].size() == 3);
    CHECK(json["methods"][0]["bytes"]["scales"] == 1);
    CHECK(json["fp32_bytes"] == 16);
}

TEST_CASE("a file larger than memory is measured in pieces", "[measure][values]") {
    const TemporaryFolder folder;
    // A hole takes no room on the disk. The program may take less address space than the file has bytes.
    const Result result = shell(folder.path(), "truncate -s 128M big.bin && ulimit -v 122880 && mxcert measure big.bin "
                                               "--dtype fp32 --shape 4096,8192 --element e4m3 --rule plain");
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "33,554,432 zero"));
}

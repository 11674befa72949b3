// SPDX-License-Identifier: Apache-2.0
// Files of tensors: what is read, and what is refused with which words.
#include "conformance/tensors/tensor_file.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "conformance/test/program.hpp"
#include "conformance/test/tensor_files.hpp"

using namespace mxcert;
using namespace mxcert::tensors;
using mxcert::test::contains;
using mxcert::test::little_endian;
using mxcert::test::npy_dictionary;
using mxcert::test::npy_file;
using mxcert::test::safetensors_file;
using mxcert::test::write_file;

namespace {

using Shape = std::vector<std::uint64_t>;

const std::string six_floats(24, 'x');

TensorInfo read_npy(const std::string& file, const Format* dtype = nullptr) {
    return parse_npy(file, file.size(), dtype);
}

std::string npy_error(const std::string& file, const Format* dtype = nullptr) try {
    (void)read_npy(file, dtype);
    return "none";
} catch (const std::runtime_error& error) {
    return error.what();
}

std::string with_key(const std::string& from, const std::string& to) {
    std::string dictionary = npy_dictionary("<f4", "(2, 3)");
    return npy_file(dictionary.replace(dictionary.find(from), from.size(), to), six_floats);
}

std::string entry(const std::string& name, const std::string& rest) { return "\"" + name + "\":{" + rest + "}"; }

const std::string a_to_24 = entry("a", R"("dtype":"F32","shape":[2,3],"data_offsets":[0,24])");

std::string safetensors_error(const std::string& header, std::uint64_t data_bytes = 24) try {
    (void)parse_safetensors(header, data_bytes);
    return "none";
} catch (const std::runtime_error& error) {
    return error.what();
}

std::string open_error(const std::filesystem::path& path, const TensorChoice& choice) try {
    const TensorFile file(path, choice);
    return "none";
} catch (const std::runtime_error& error) {
    return error.what();
}

} // namespace

TEST_CASE("npy headers that are taken", "[tensors]") {
    for (const int version : {1, 2, 3}) {
        const std::string file = npy_file(npy_dictionary("<f4", "(2, 3)"), six_floats, version);
        const TensorInfo info = read_npy(file);
        CHECK(info.format == &formats::fp32);
        CHECK(info.shape == Shape{2, 3});
        CHECK(info.values == 6);
        CHECK(info.offset == file.size() - 24);
    }
    CHECK(read_npy(npy_file("{\"shape\":(6,),'fortran_order':False,'descr':'<f4'}   ", six_floats)).shape == Shape{6});
    CHECK(read_npy(npy_file(npy_dictionary("<f4", "()"), "wxyz")).values == 1);
    CHECK(read_npy(npy_file(npy_dictionary("<f2", "(12,)"), six_floats)).format == &formats::fp16);
    for (const char* descr : {"<u2", "<V2", "|V2"})
        CHECK(read_npy(npy_file(npy_dictionary(descr, "(12,)"), six_floats), &formats::bf16).format == &formats::bf16);
    CHECK(read_npy(npy_file(npy_dictionary("<f4", "(6,)"), six_floats), &formats::fp32).values == 6);
}

TEST_CASE("npy headers that are refused, and why", "[tensors]") {
    const std::string good = npy_file(npy_dictionary("<f4", "(2, 3)"), six_floats);
    REQUIRE(npy_error(good) == "none");
    const std::string long_header = "\x93NUMPY" + std::string("\x02\0", 2) + little_endian(0xFFFFFFFF, 4) + "{}";
    std::string many = "(";
    for (int i = 0; i < 65; ++i) many += "1,";
    const struct {
        std::string file;
        const char* says;
    } table[] = {
        {"", "does not begin"},
        {"\x93NUMPX" + good.substr(6), "does not begin"},
        {good.substr(0, 7), "ends within its header"},
        {good.substr(0, 9), "ends within its header"},
        {good.substr(0, 40), "ends within its header"},
        {good.substr(0, 6) + '\x04' + good.substr(7), "version 4.0"},
        {good.substr(0, 6) + '\0' + good.substr(7), "version 0.0"},
        {good.substr(0, 7) + '\x01' + good.substr(8), "version 1.1"},
        {long_header, "4294967295 bytes: no more than 65536"},
        {npy_file("", six_floats), "no dictionary"},
        {npy_file("[1, 2]", six_floats), "no dictionary"},
        {npy_file("{", six_floats), "a key is no text"},
        {npy_file("{'descr'", six_floats), "no ':' behind the key 'descr'"},
        {npy_file("{'descr': '<f4", six_floats), "'descr' is no text"},
        {npy_file("{'descr': '<f4' 'x'}", six_floats), "neither ',' nor '}'"},
        {npy_file(npy_dictionary("<f4", "(2, 3)") + "x", six_floats), "something follows the dictionary"},
        {npy_file("{}", six_floats), "the key 'descr' is missing"},
        {npy_file("{'descr': '<f4'}", six_floats), "the key 'fortran_order' is missing"},
        {npy_file("{'descr': '<f4', 'fortran_order': False}", six_floats), "the key 'shape' is missing"},
        {npy_file("{'descr': '<f4', 'descr': '<f4'}", six_floats), "stands twice"},
        {with_key("descr", "desc\x1b"), "unknown key 'desc\\x1B'"},
        {with_key("'<f4'", "[('a', '<f4')]"), "'descr' is a list"},
        {with_key("False", "0"), "neither True nor False"},
        {with_key("False", "True"), "ascontiguousarray"},
        {with_key("<f4", ">f4"), "big-endian"},
        {with_key("<f4", "<f8"), "'<f8' is not taken: '<f4', '<f2'"},
        {with_key("<f4", "=f4"), "not taken"},
        {with_key("<f4", "<u2"), "with --dtype bf16"},
        {with_key("(2, 3)", "6"), "no tuple"},
        {with_key("(2, 3)", "(6)"), "no tuple: (n) is a number"},
        {with_key("(2, 3)", "(2, -3)"), "no whole number"},
        {with_key("(2, 3)", "(2, 3"), "no whole number"},
        {with_key("(2, 3)", "(2, 3 4)"), "neither ',' nor ')'"},
        {with_key("(2, 3)", "(2, 18446744073709551616)"), "does not fit 64 bits"},
        {with_key("(2, 3)", "(4294967296, 4294967296)"), "more than 2^50 values"},
        {with_key("(2, 3)", "(18446744073709551615, 18446744073709551615)"), "more than 2^50 values"},
        {with_key("(2, 3)", "(2, 0)"), "has no values"},
        {with_key("(2, 3)", many + ")"), "more than 64 axes"},
        {good.substr(0, good.size() - 1), "cut off: the shape [2, 3] of fp32 takes 24 bytes, and 23 follow"},
        {good + "y", "more than the values"},
    };
    for (const auto& row : table) {
        INFO(row.file);
        const std::string error = npy_error(row.file);
        CAPTURE(error, row.says);
        CHECK(contains(error, "npy: "));
        CHECK(contains(error, row.says));
    }
    CHECK(contains(npy_error(good, &formats::bf16), "not that of --dtype"));
    CHECK(contains(npy_error(npy_file(npy_dictionary("<u2", "(12,)"), six_floats), &formats::fp16), "not that of"));
}

TEST_CASE("safetensors headers", "[tensors]") {
    const std::string b = entry("b", R"("dtype":"BF16","shape":[],"data_offsets":[24,26])");
    const std::string meta = R"("__metadata__":{"a:\\\"b":"c\\\\","format":"pt"})";
    const std::vector<SafeTensor> tensors = parse_safetensors("{" + meta + "," + b + "," + a_to_24 + "}  ", 26);
    REQUIRE(tensors.size() == 2);
    CHECK((tensors[0].name == "a" && tensors[0].shape == Shape{2, 3} && tensors[0].end == 24));
    CHECK((tensors[1].name == "b" && tensors[1].dtype == "BF16" && tensors[1].begin == 24));
    const auto with = [](const std::string& rest) { return "{" + entry("a", rest) + "}"; };
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    const struct {
        std::string header;
        const char* says;
    } table[] = {
        {"", "does not begin with '{'"},
        {"[]", "does not begin with '{'"},
        {"{", "no valid JSON"},
        {"{} x", "no valid JSON"},
        {"{\"a\":" + deep + "}", "nested deeper"},
        {"{" + a_to_24 + "," + a_to_24 + "}", "stands twice"},
        {with(R"("dtype":"F32","dtype":"F32","shape":[6],"data_offsets":[0,24])"), "stands twice"},
        {R"({"a":1})", "tensor 'a' is no object"},
        {with(R"("shape":[6],"data_offsets":[0,24])"), "'dtype' is missing"},
        {with(R"("dtype":4,"shape":[6],"data_offsets":[0,24])"), "'dtype' is no text"},
        {with(R"("dtype":"F32","data_offsets":[0,24])"), "'shape' is missing"},
        {with(R"("dtype":"F32","shape":6,"data_offsets":[0,24])"), "'shape' is no list"},
        {with(R"("dtype":"F32","shape":[-6],"data_offsets":[0,24])"), "a size of 'shape' is no whole number"},
        {with(R"("dtype":"F32","shape":[6.0],"data_offsets":[0,24])"), "a size of 'shape' is no whole number"},
        {with(R"("dtype":"F32","shape":[6])"), "'data_offsets' is missing"},
        {with(R"("dtype":"F32","shape":[6],"data_offsets":[24])"), "no list of two"},
        {with(R"("dtype":"F32","shape":[6],"data_offsets":[24,0])"), "run backwards"},
        {with(R"("dtype":"F32","shape":[5],"data_offsets":[0,24])"), "takes 20 bytes, its data_offsets 24"},
        {with(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,24])"), "overflows 64 bits"},
        {with(R"("dtype":"F32","shape":[7],"data_offsets":[0,28])"), "cut off: tensor 'a' ends at byte 28"},
        {with(R"("dtype":"F32","shape":[5],"data_offsets":[0,20])"), "more than the tensors"},
        {with(R"("dtype":"F32","shape":[5],"data_offsets":[4,24])"), "a hole"},
        {"{" + a_to_24 + "," + entry("b", R"("dtype":"F32","shape":[1],"data_offsets":[20,24])") + "}", "overlap"},
        {"{}", "more than the tensors"},
    };
    for (const auto& row : table) {
        const std::string error = safetensors_error(row.header);
        CAPTURE(row.header, error, row.says);
        CHECK(contains(error, "safetensors: "));
        CHECK(contains(error, row.says));
    }
}

TEST_CASE("the length of a safetensors header is believed only as far as the file goes", "[tensors]") {
    CHECK(safetensors_header_bytes(little_endian(16, 8), 24) == 16);
    CHECK_THROWS_WITH(safetensors_header_bytes("1234567", 7), Catch::Contains("shorter than the eight bytes"));
    CHECK_THROWS_WITH(safetensors_header_bytes(little_endian(17, 8), 24), Catch::Contains("the file has 16"));
    CHECK_THROWS_WITH(safetensors_header_bytes(little_endian(~std::uint64_t{0}, 8), 24), Catch::Contains("has 16"));
    CHECK_THROWS_WITH(safetensors_header_bytes(little_endian(max_safetensors_header + 1, 8), 1U << 30),
                      Catch::Contains("no more than"));
}

TEST_CASE("values are read where they lie, whatever the file", "[tensors]") {
    const TemporaryFolder folder;
    const std::vector<Code> codes{0x3F80, 0xC000, 0x7F80, 0x0001, 0x1234, 0xFFFF};
    const std::string data = mxcert::test::values_text(formats::bf16, codes);
    const std::string header = R"({"z":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"w":{"dtype":"BF16",)"
                               R"("shape":[2,3],"data_offsets":[3,15]}})";
    write_file(folder, "a.npy", npy_file(npy_dictionary("<u2", "(2, 3)"), data));
    write_file(folder, "a.safetensors", safetensors_file(header, "abc" + data));
    write_file(folder, "a.bin", data);
    const struct {
        const char* name;
        TensorChoice choice;
    } table[] = {{"a.npy", {"bf16", {}, ""}}, {"a.safetensors", {"", {}, "w"}}, {"a.bin", {"bf16", Shape{2, 3}, ""}}};
    for (const auto& row : table) {
        CAPTURE(row.name);
        const TensorFile file(folder.path() / row.name, row.choice);
        CHECK(file.info().format == &formats::bf16);
        CHECK(file.info().shape == Shape{2, 3});
        std::uint16_t read[3];
        file.read(2, 3, read);
        CHECK((read[0] == codes[2] && read[1] == codes[3] && read[2] == codes[4]));
        CHECK_THROWS_WITH(file.read(1U << 30, 1, read), Catch::Contains("became shorter"));
    }
}

TEST_CASE("files that are refused, and why", "[tensors]") {
    const TemporaryFolder folder;
    const std::string npy = npy_file(npy_dictionary("<f4", "(6,)"), six_floats);
    write_file(folder, "a.npy", npy);
    write_file(folder, "npy.bin", npy);
    write_file(folder, "no.npy", "nothing");
    write_file(folder, "a.bin", six_floats);
    write_file(folder, "none.safetensors", safetensors_file("{}", ""));
    write_file(folder, "odd.safetensors",
               safetensors_file(R"({"a":{"dtype":"F64","shape":[3],"data_offsets":[0,24]}})", six_floats));
    write_file(folder, "empty.safetensors",
               safetensors_file(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})", ""));
    write_file(folder, "two.safetensors",
               safetensors_file(R"({"layer.weight":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                                R"("layer.bias":{"dtype":"F32","shape":[3],"data_offsets":[12,24]}})",
                                six_floats));
    const struct {
        const char* name;
        TensorChoice choice;
        const char* says;
    } table[] = {
        {"absent.npy", {}, "cannot open"},
        {".", {}, "no regular file"},
        {"no.npy", {}, "does not begin"},
        {"a.npy", {"", Shape{6}, ""}, "--shape is for values alone"},
        {"npy.bin", {"fp32", Shape{6}, ""}, "--shape is for values alone"},
        {"a.npy", {"", {}, "x"}, "--tensor is for"},
        {"a.npy", {"fp16", {}, ""}, "not that of --dtype"},
        {"a.npy", {"fp64", {}, ""}, "(taken: fp32, fp16, bf16)"},
        {"a.bin", {}, "need --dtype and --shape"},
        {"a.bin", {"fp32", {}, ""}, "need --dtype and --shape"},
        {"a.bin", {"", Shape{6}, ""}, "need --dtype and --shape"},
        {"a.bin", {"fp32", Shape{5}, ""}, "takes 20 bytes, the file has 24"},
        {"a.bin", {"bf16", Shape{6}, ""}, "takes 12 bytes, the file has 24"},
        {"none.safetensors", {}, "no tensor in it"},
        {"odd.safetensors", {}, "is of F64: F32, F16, BF16 are taken"},
        {"empty.safetensors", {}, "has no values"},
        {"two.safetensors", {}, "--tensor must say which: layer.weight, layer.bias"},
        {"two.safetensors", {"", {}, "layer.weigth"}, "did you mean layer.weight"},
        {"two.safetensors", {"", {}, "embedding"}, "there are layer.weight, layer.bias"},
        {"two.safetensors", {"bf16", {}, "layer.bias"}, "not of --dtype bf16"},
    };
    for (const auto& row : table) {
        const std::string error = open_error(folder.path() / row.name, row.choice);
        CAPTURE(row.name, error, row.says);
        CHECK(contains(error, row.name));
        CHECK(contains(error, row.says));
    }
    CHECK(parse_shape("2,3") == Shape{2, 3});
    for (const char* text : {"", "2,", ",2", "2x3", "-2", "2, 3", "0", "18446744073709551616", "4294967296,4294967296"})
        CHECK_THROWS_AS(parse_shape(text), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
// The commands on tensors as a user runs them.
#include "catch.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "conformance/test/program.hpp"
#include "conformance/test/tensor_files.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/tensor_scaling.hpp"
#include "reference/recipe/tensor_recipe.hpp"

using namespace mxcert;
using mxcert::test::contains;
using mxcert::test::npy_dictionary;
using mxcert::test::npy_file;
using mxcert::test::Result;
using mxcert::test::safetensors_file;
using mxcert::test::shell;
using mxcert::test::values_text;
using mxcert::test::write_file;

namespace {

/// 500, -1, 3, 0.4, 0, 1, 2 and 6 as FP32.
const std::vector<Code> codes{0x43FA0000, 0xBF800000, 0x40400000, 0x3ECCCCCD, 0, 0x3F800000, 0x40000000, 0x40C00000};

void write_files(const TemporaryFolder& folder) {
    const std::string data = values_text(formats::fp32, codes);
    write_file(folder, "v.npy", npy_file(npy_dictionary("<f4", "(2, 4)"), data));
    write_file(folder, "v.safetensors",
               safetensors_file(R"({"w":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]}})", data));
    write_file(folder, "v.bin", data);
    const std::vector<Code> amaxes{0x43FA0000, 0x3F800000, 0x40400000};
    write_file(folder, "amax.npy", npy_file(npy_dictionary("<f4", "(3,)"), values_text(formats::fp32, amaxes)));
    write_file(folder, "codes.npy", npy_file(npy_dictionary("|u1", "(4,)"), std::string("\x01\x07\x08\x0F", 4)));
    write_file(folder, "wide.npy", npy_file(npy_dictionary("|u1", "(4,)"), std::string("\x01\x07\x08\x1F", 4)));
}

} // namespace

TEST_CASE("exit codes of the commands on tensors", "[tensors][programs]") {
    const TemporaryFolder folder;
    write_files(folder);
    const struct {
        int code;
        const char* command;
        const char* says;
    } table[] = {
        {0, "quantize --help", "Examples"},
        {0, "quantize v.npy -o q --format mxfp8_e4m3", "q: elements [2, 4], scales [2, 1], 8.25 bits a value"},
        {0, "quantize v.npy -o q --format mxfp4 --packing low_first --block 4",
         "elements [2, 2], scales [2, 1], 6 bits"},
        {0, "quantize v.npy -o q --format mxfp8_e4m3 --axis column", "elements [2, 4], scales [1, 4]"},
        {0, "quantize v.npy -o q --format mxfp8_e4m3 --layout swizzle_128x4", "scales [512]"},
        {0, "quantize v.npy -o q --format mxfp8_e5m2 --profile nvidia-te", "q: elements"},
        {0, "quantize v.safetensors --tensor w -o q.safetensors --format mxfp6_e3m2", "q.safetensors: elements [2, 4]"},
        {0, "quantize v.bin --dtype fp32 --shape 2,4 -o q --format mxfp6_e2m3 --rule ceil", "elements [2, 4]"},
        {0, "convert v.npy -o c.npy --to e4m3", "c.npy: [2, 4] of e4m3"},
        {0, "convert v.npy -o c.bin --to e2m1 --rounding toward_zero --choice nan=zero", "of e2m1"},
        {0, "convert v.npy -o c.npy --to e5m2 --profile nvidia-cuda-host --overflow nosat", "of e5m2"},
        {0, "convert codes.npy --dtype e2m1 -o c.npy --to bf16", "c.npy: [4] of bf16"},
        {0, "quantize v.npy -o q --format nvfp4 --recipe te_nvfp4", "scales [2, 1], 8.5 bits a value"},
        {0, "quantize v.npy -o q --format nvfp4 --recipe modelopt_nvfp4 --tensor-amax 500", "q: elements"},
        {0, "dequantize codes.npy --scales codes.npy --format nvfp4 --block 1 --shape 4 --tensor-scale 0.5 -o b.npy",
         "b.npy: [4] of fp32"},
        {2, "quantize v.npy -o q --format nvfp4", "whose quantizer: te_nvfp4, te_nvfp4_4over6, "},
        {2, "quantize v.npy -o q --format nvfp4 --recipe te", "unknown recipe 'te'"},
        {2, "quantize v.npy -o q --format nvfp4 --recipe te_nvfp4 --rule rceil", "nvfp4 has a --recipe, and no"},
        {2, "quantize v.npy -o q --format nvfp4 --recipe te_nvfp4 --tensor-amax=-1", "an amax has no sign"},
        {2, "quantize v.npy -o q --format mxfp4 --recipe te_nvfp4", "are of nvfp4"},
        {2, "quantize v.npy -o q", "--format is required"},
        {2, "quantize v.npy -o q --format mxfp5", "did you mean mxfp4"},
        {2, "quantize v.npy -o q.npy --format mxfp4", "holds one tensor, and there are 2"},
        {2, "quantize none.npy -o q --format mxfp4", "cannot open 'none.npy'"},
        {2, "quantize v.npy -o q --format mxfp4 --packing nibbles", "unknown packing 'nibbles'"},
        {2, "quantize v.npy -o q --format mxfp8_e4m3 --packing low_first", "for codes of fewer than 8 bits"},
        {2, "quantize v.npy -o q --format mxfp4 --packing halves", "takes whole blocks"},
        {2, "quantize v.npy -o q --format mxfp4 --profile nvidia-te", "does not judge"},
        {2, "quantize v.npy -o q --format mxfp4 --rule rceel", "rceil"},
        {2, "quantize v.npy -o q --format mxfp4 --rounding stochastic_a", "needs random bits"},
        {2, "quantize v.npy -o q --format mxfp4 --amax-nan never", "unknown --amax-nan 'never'"},
        {2, "quantize v.npy -o q --format mxfp4 --block 2000", "a block has 1 to 1024 elements"},
        {2, "quantize v.npy -o q --format mxfp4 --scale-choice zero", "--scale-choice 'zero': expected name=value"},
        {2, "quantize v.bin -o q --format mxfp4", "need --dtype and --shape"},
        {2, "quantize v.npy -o v.bin/q --format mxfp4", "cannot make the folder 'v.bin/q'"},
        {2, "dequantize none -o back.npy", "none/MXCERT.json"},
        {2, "dequantize codes.npy --scales codes.npy -o back.npy", "need --format and --shape"},
        {2, "dequantize codes.npy --scales codes.npy --format mxfp4 --shape 5 -o back.npy",
         "the elements have the shape [4], and [5] is that of the quantization"},
        {2, "dequantize wide.npy --scales codes.npy --format mxfp4 --block 1 --shape 4 -o back.npy",
         "element 3 is 0x1F: no code of e2m1"},
        {2, "dequantize wide.npy --scales codes.npy --format nvfp4 --block 1 --shape 4 -o back.npy",
         "of the elements from 0 on, element 3 is 0x1F: no code of e2m1"},
        {2, "dequantize codes.npy --scales codes.npy --format mxfp4 --block 1 --shape 4 --to e4m3 -o back.npy",
         "there are fp64, fp32, fp16 and bf16"},
        {0, "convert v.npy -o e.npy --to e4m3 && mxcert matmul e.npy e.npy --a-dtype e4m3 --b-dtype e4m3 -o d.npy",
         "d.npy: [2, 2] of fp32, sums of 4 products by exact"},
        {0, "quantize v.npy -o q --format mxfp4 && mxcert matmul q q -o d.bin --to bf16", "[2, 2] of bf16"},
        {0, "matmul q q -o d.npy --accumulator fp32_multiply_add", "products by fp32_multiply_add"},
        {0, "matmul q q -o c.npy && mxcert matmul q q -o d.npy --c c.npy --accumulator fp32_fma",
         "products by fp32_fma"},
        {2, "matmul q q -o d.npy --c v.npy", "C is 2 x 4, D is 2 x 2"},
        {0, "linear v.npy v.npy -o d.npy --recipe ocp_mxfp8", "fprop [2, 2] of fp32, e4m3 x e4m3 by ocp_mxfp8"},
        {0, "linear v.npy v.npy -o d.npy --recipe absmax --product wgrad --to bf16 --accumulator fp32_fma",
         "wgrad [4, 4] of bf16"},
        {2, "linear v.npy v.npy -o d.npy --recipe te_mxfp8", "te_mxfp8 refuses activations of 2x4"},
        {2, "linear v.npy v.npy -o d.npy --recipe te_mxfp", "did you mean te_mxfp8"},
        {2, "linear v.npy v.npy -o d.npy --recipe te_nvfp4", "te_nvfp4 refuses activations of 2x4"},
        {0, "linear v.npy v.npy -o d.npy --recipe torchao_nvfp4", "fprop [2, 2] of fp32, e2m1 x e2m1 by torchao_nvfp4"},
        {2, "linear v.npy v.npy -o d.npy --recipe torchao_nvfp4 --scale e8m0", "has ue4m3"},
        {2, "linear v.npy v.npy -o d.npy --recipe given", "mxcert scaling"},
        {2, "linear q q -o d.npy --recipe ocp_mxfp8", "and quantizes them itself"},
        {2, "linear v.npy v.npy -o d.npy --recipe absmax --left-element e2m1",
         "the recipe absmax has no such elements"},
        {0, "linear v.npy v.npy -o d.npy --recipe ocp_mxfp8 --accumulator fp16_fma", "fprop [2, 2] of fp16"},
        {2, "matmul q q -o d.npy --c q", "not quantized"},
        {2, "linear v.npy v.npy -o d.npy --recipe ocp_mxfp8 --product dgrad", "the sums have 4 and 2 products"},
        {2, "linear v.npy v.npy -o d.npy --recipe ocp_mxfp8 --to fp64 --accumulator fp32_fma", "or rounded to fp16"},
        {0, "scaling amax.npy -o s --recipe te_delayed_4", "scales and inverse_scales [3] of fp32, by te_delayed_4"},
        {2, "scaling v.npy -o s --recipe te_delayed_4", "step 1 has an amax with a sign"},
        {2, "scaling amax.npy -o s.npy --recipe te_delayed_4", "s.npy"},
        {2, "scaling v.npy -o s --recipe te_delayd_4", "did you mean te_delayed_4"},
        {2, "matmul q q -o d.npy --accumulator hopper_fp8_f32", "does not take e2m1 and e2m1"},
        {2, "matmul q q -o d.npy --transpose nn", "a sum of 4 products in A, 2 in B"},
        {0, "quantize v.npy -o nv --format nvfp4 --recipe te_nvfp4 && mxcert matmul nv nv -o d.npy --to fp64",
         "[2, 2] of fp64, sums of 4 products by exact"},
        {0, "matmul nv nv -o d.npy --accumulator blackwell_mxf4nvf4 --epilogue te_nvfp4 --to bf16",
         "[2, 2] of bf16, sums of 4 products by blackwell_mxf4nvf4, epilogue te_nvfp4"},
        {2, "matmul nv nv -o d.npy --accumulator blackwell_mxf4nvf4", "--epilogue says how"},
        {2, "matmul nv q -o d.npy", "one operand is NVFP4"},
        {2, "matmul q q -o d.npy --epilogue product", "for operands with scales of their tensors"},
        {2, "matmul nv nv -o d.npy --epilogue produkt", "did you mean product"},
        {2, "matmul q q -o d.npy --to e4m3", "there are fp64, fp32, fp16 and bf16"},
        {2, "matmul q none -o d.npy", "none/MXCERT.json"},
        {2, "matmul q v.npy -o d.npy", "one operand has scales"},
        {2, "convert v.npy -o c --to e4m3x", "unknown dtype 'e4m3x'"},
        {2, "convert wide.npy --dtype e2m1 -o c.npy --to fp32", "value 3 is 0x1F: no code of e2m1"},
        {2, "convert v.npy -o c.npy --to e4m3 --profile nvidia-te", "does not judge"},
    };
    for (const auto& row : table) {
        const Result result = shell(folder.path(), "mxcert " + std::string(row.command));
        CAPTURE(row.command, result.out, result.err);
        CHECK(result.code == row.code);
        CHECK(contains(row.code == 0 ? result.out : result.err, row.says));
    }
}

TEST_CASE("a tensor goes to a file and back", "[tensors]") {
    const TemporaryFolder folder;
    write_files(folder);
    // 500 by 2^(8 - 2) is 7.8, clamped to 6: 384; 1 by 64 is nothing. The second row has the scale 1.
    Result result =
        shell(folder.path(), "mxcert quantize v.npy -o q --format mxfp4 --packing low_first && "
                             "mxcert dequantize q -o back.bin && od -An -tf4 back.bin && od -An -tx1 -j 128 "
                             "q/elements.npy && od -An -tx1 -j 128 q/scales.npy");
    CAPTURE(result.out, result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "384"));
    CHECK(contains(result.out, " 87 00 20 74\n"));
    CHECK(contains(result.out, " 85 7f\n"));
    // A folder that was written before is replaced; what cannot be made leaves nothing.
    result =
        shell(folder.path(), "mxcert quantize v.npy -o q --format mxfp8_e4m3 && grep -c mxfp8_e4m3 q/MXCERT.json && "
                             "! mxcert quantize v.npy -o q2 --format mxfp4 --packing halves 2> /dev/null && ls");
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.out, "q2"));
    // What is beside the tensors may be anything.
    result = shell(folder.path(), "sed -i 's/row/diagonal/' q/MXCERT.json; mxcert dequantize q -o back.npy");
    CHECK(result.code == 2);
    CHECK(contains(result.err, "'axis' is neither row nor column"));
    result = shell(folder.path(), "echo '{\"format\": 1}' > q/MXCERT.json; mxcert dequantize q -o back.npy");
    CHECK(result.code == 2);
    CHECK(contains(result.err, "'format' is no text"));
}

TEST_CASE("one element of a tensor is explained", "[tensors]") {
    const TemporaryFolder folder;
    write_files(folder);
    Result result = shell(folder.path(), "mxcert explain --block v.npy:0,2 --to e4m3 --rule rceil");
    CAPTURE(result.out, result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "place     v.npy, row 0, column 2: lane 2 of block 0 of its row"));
    CHECK(contains(result.out, "amax      0x43FA0000  500, of lane 0"));
    CHECK(contains(result.out, "3 / 2"));
    result = shell(folder.path(), "mxcert explain --block v.npy:1,0 --axis column --json -");
    CHECK(result.code == 0);
    CHECK(contains(result.out, "\"lane\": 1"));
    result = shell(folder.path(), "mxcert explain --block v.npy:2,0");
    CHECK(result.code == 2);
    CHECK(contains(result.err, "v.npy has 2 rows of 4 columns, counted from 0"));
}

TEST_CASE("mxcert scaling gives what the exact model gives, step by step", "[tensors]") {
    const TemporaryFolder folder;
    std::vector<Code> amaxes;
    for (std::uint64_t step = 0; step < 40; ++step) amaxes.push_back(0x3F800000 + SplitMix64::at(5, step) % 0x2000000);
    write_file(folder, "amax.npy", npy_file(npy_dictionary("<f4", "(40,)"), values_text(formats::fp32, amaxes)));
    REQUIRE(shell(folder.path(), "mxcert scaling amax.npy -o s.safetensors --recipe factor_maximum_4").code == 0);
    const tensors::TensorFile scales(folder.path() / "s.safetensors", {"", std::nullopt, "scales"});
    const tensors::TensorFile inverses(folder.path() / "s.safetensors", {"", std::nullopt, "inverse_scales"});
    const recipe::TensorScaling& choices = recipe::tensor_recipe("factor_maximum_4").choices;
    recipe::State state = exact::start(choices);
    for (std::uint64_t step = 0; step < amaxes.size(); ++step) {
        std::uint32_t scale = 0;
        std::uint32_t inverse = 0;
        scales.read(step, 1, &scale);
        inverses.read(step, 1, &inverse);
        const recipe::Scales wanted = exact::step(choices, state, amaxes[step]);
        CHECK(scale == wanted.scale);
        CHECK(inverse == wanted.inverse);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Tensors from files to files against the exact model, value by value, whatever pieces they go in.
#include "conformance/tensors/quantize_tensor.hpp"

#include "catch.hpp"
#include "conformance/tensors/convert_tensor.hpp"
#include "conformance/tensors/dequantize_tensor.hpp"
#include "conformance/tensors/multiply_tensors.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "conformance/tensors/pieces.hpp"
#include "conformance/test/tensor_files.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/arithmetic.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::tensors;
using mxcert::test::values_text;

namespace {

using Shape = std::vector<std::uint64_t>;

std::vector<Code> random_codes(const Format& format, std::uint64_t count, SplitMix64& random) {
    std::vector<Code> codes(count);
    const Code fields = Code{1} << static_cast<unsigned>(format.exponent_bits);
    for (Code& code : codes) {
        code = (fields / 2 + random.below(12)) % fields << static_cast<unsigned>(format.fraction_bits);
        code |= random() & (format.fraction_mask() | format.sign_bit());
        if (random.below(50) == 0) code = format.inf_code() | random.below(2);
        if (random.below(50) == 0) code = 0;
    }
    return codes;
}

/// The codes of a file of quantized or other values.
std::vector<Code> read_all(const TensorFile& file) {
    std::vector<unsigned char> bytes(file.info().values * static_cast<std::size_t>(file.info().format->bytes()));
    file.read(0, file.info().values, bytes.data());
    std::vector<Code> codes(file.info().values);
    const auto width = static_cast<std::size_t>(file.info().format->bytes());
    for (std::size_t i = 0; i < codes.size(); ++i) std::memcpy(&codes[i], bytes.data() + i * width, width);
    return codes;
}

/// The scales and elements that the exact model gives, row by row.
struct Expected {
    std::vector<Code> elements;
    std::vector<Code> scales;
};

Expected expected_of(const Quantization& how, const std::vector<Code>& values) {
    const Matrices matrices = matrices_of(how.shape);
    const Extent scales = scales_of_matrix(how);
    Expected expected{std::vector<Code>(values.size()),
                      std::vector<Code>(matrices.count * scales.rows * scales.columns)};
    for (std::uint64_t m = 0; m < matrices.count; ++m)
        for (std::uint64_t row = 0; row < scales.rows; ++row)
            for (std::uint64_t column = 0; column < scales.columns; ++column) {
                std::vector<std::size_t> places;
                for (std::uint64_t i = 0; i < how.block; ++i) {
                    const Place place =
                        how.axis == Axis::row ? Place{row, column * how.block + i} : Place{row * how.block + i, column};
                    if (place.row < matrices.matrix.rows && place.column < matrices.matrix.columns)
                        places.push_back((m * matrices.matrix.rows + place.row) * matrices.matrix.columns +
                                         place.column);
                }
                std::vector<Code> block;
                for (const std::size_t place : places) block.push_back(values[place]);
                const QuantizedBlock quantized = exact::quantize(how.block_format(), how.choices, block);
                expected.scales[(m * scales.rows + row) * scales.columns + column] = quantized.scale;
                for (std::size_t i = 0; i < places.size(); ++i) expected.elements[places[i]] = quantized.elements[i];
            }
    return expected;
}

TensorFile open_values(const TemporaryFolder& folder, const Format& format, const Shape& shape,
                       const std::vector<Code>& codes) {
    return TensorFile(folder.file("values.bin", values_text(format, codes)),
                      TensorChoice{std::string(format.name), shape, ""});
}

} // namespace

TEST_CASE("a tensor is quantized and dequantized as the exact model has it, in any pieces", "[tensors]") {
    SplitMix64 random(1);
    const TemporaryFolder folder;
    const Shape shapes[] = {{}, {7}, {96}, {3, 64}, {5, 40}, {64, 96}, {2, 3, 33, 48}, {1, 200}};
    int checked = 0;
    for (const ScaledFormat& format : mx_formats())
        for (const Shape& shape : shapes)
            for (const Axis axis : {Axis::row, Axis::column}) {
                if (axis == Axis::column && shape.size() < 2) continue;
                Quantization how;
                how.format = &format;
                how.source = value_formats[random.below(3)];
                how.shape = shape;
                how.axis = axis;
                how.block = random.below(2) == 0 ? 32 : 16;
                how.packing = &find_packing("bytes");
                const bool packs = !shape.empty() && shape.back() % 32 == 0 && format.element->width() < 8;
                if (packs) how.packing = &all_packings()[random.below(3)];
                if (random.below(2) == 0) how.layout = &find_layout("swizzle_128x4");
                if (random.below(3) == 0) how.choices.scale.rule = ScaleRule::rceil;
                if (random.below(3) == 0) how.choices.element.rounding = Rounding::nearest_away;
                if (random.below(4) == 0) how.choices.element.zero_sign = ZeroSign::dropped; // not of the fast model
                how.choices.amax_nan = static_cast<AmaxNan>(random.below(3));
                const std::vector<Code> codes = random_codes(*how.source, values_of(shape), random);
                const TensorFile tensor(folder.file("values.bin", values_text(*how.source, codes)),
                                        TensorChoice{std::string(how.source->name), shape, ""});
                const bool safetensors = random.below(2) == 0;
                const auto path = folder.path() / (safetensors ? "q.safetensors" : "q");
                CAPTURE(format.name, shape_text(shape), int(axis), how.block, how.packing->name, safetensors,
                        how.source->name, describe(how.choices.element));
                const TensorRun run{2, nullptr, random.below(2) == 0 ? 64U : 1U << 20};
                quantize_tensor(tensor, how, path, {{"of", "a test"}}, run);

                const auto metadata = read_metadata(path);
                CHECK(metadata.at("of") == "a test");
                const Quantization read = read_quantization(metadata);
                CHECK((read.format == how.format && read.source == how.source && read.shape == how.shape &&
                       read.axis == how.axis && read.block == how.block && read.packing == how.packing &&
                       read.layout == how.layout));
                const QuantizedFiles files = files_of(path);
                const TensorFile elements(files.elements, elements_choice(files, read));
                const TensorFile scales(files.scales, scales_choice(files, read));
                const Expected expected = expected_of(how, codes);
                std::vector<Code> found = read_all(elements);
                if (how.packing->order != PackingOrder::byte) {
                    const std::vector<std::uint8_t> bytes(found.begin(), found.end());
                    const std::vector<std::uint8_t> unpacked =
                        unpack(*how.packing, *format.element, bytes, codes.size(), how.block);
                    found.assign(unpacked.begin(), unpacked.end());
                }
                CHECK(found == expected.elements);
                std::vector<Code> found_scales = read_all(scales);
                if (how.layout == nullptr) CHECK(found_scales == expected.scales);

                Choices choices;
                choices.overflow = Overflow::nosat;
                dequantize_tensor(elements, scales, read, formats::fp32, choices, folder.path() / "back.npy", run);
                const TensorFile back(folder.path() / "back.npy", {});
                CHECK(back.info().shape == shape);
                const std::vector<Code> values = read_all(back);
                const Matrices matrices = matrices_of(shape);
                const Extent places = scales_of_matrix(how);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const std::uint64_t column = i % matrices.matrix.columns;
                    const std::uint64_t row = i / matrices.matrix.columns % matrices.matrix.rows;
                    const std::uint64_t m = i / (matrices.matrix.rows * matrices.matrix.columns);
                    const std::uint64_t scale = axis == Axis::row
                                                    ? (m * places.rows + row) * places.columns + column / how.block
                                                    : (m * places.rows + row / how.block) * places.columns + column;
                    const QuantizedBlock block{expected.scales[scale], {expected.elements[i]}};
                    const Code wanted = exact::dequantize(*format.element, formats::fp32, choices, block).front();
                    if (values[i] != wanted) FAIL("value " << i << ": " << values[i] << ", not " << wanted);
                    ++checked;
                }
            }
    CHECK(checked > 50'000);
}

TEST_CASE("pieces cover a tensor once", "[tensors]") {
    SplitMix64 random(2);
    for (int i = 0; i < 300; ++i) {
        Quantization how;
        how.format = &scaled_format("mxfp4");
        how.packing = &find_packing("bytes");
        how.shape = {1 + random.below(3), 1 + random.below(70), 1 + random.below(300)};
        how.axis = random.below(2) == 0 ? Axis::row : Axis::column;
        how.block = static_cast<unsigned>(1 + random.below(40));
        const Pieces pieces(how, 1 + random.below(2000));
        std::vector<int> seen(values_of(how.shape));
        for (std::uint64_t p = 0; p < pieces.count(); ++p) {
            const Piece piece = pieces.piece(p);
            const std::uint64_t start = how.axis == Axis::row ? piece.first.column : piece.first.row;
            CHECK(start % how.block == 0);
            for_each_run(matrices_of(how.shape), piece, [&](std::uint64_t first, std::uint64_t, std::uint64_t n) {
                for (std::uint64_t v = 0; v < n; ++v) ++seen[first + v];
            });
        }
        CAPTURE(shape_text(how.shape), int(how.axis), how.block);
        CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    }
}

TEST_CASE("a profile's choices quantize", "[tensors]") {
    const BlockFormat fp8{&formats::fp32, &formats::e4m3};
    const BlockChoices te = choices_of(find_profile("nvidia-te"), fp8);
    CHECK(te.scale.rule == ScaleRule::rceil);
    CHECK(te.scale.arithmetic == Arithmetic::fp32_multiply);
    CHECK(te.scale.overflow == Overflow::sat);
    CHECK(te.amax_nan == AmaxNan::ignored);
    const BlockChoices torchao = choices_of(find_profile("torchao-floor"), fp8);
    CHECK(torchao.scale.inf_amax == InfAmax::next_power);
    CHECK(torchao.element.smallest_scale == SmallestScale::second);
    CHECK(torchao.amax_nan == AmaxNan::propagated);
    const BlockChoices ocp = choices_of(find_profile("ocp"), BlockFormat{&formats::bf16, &formats::e2m1});
    CHECK(ocp.element.nan == NanRule::max);
    CHECK_THROWS_WITH(choices_of(find_profile("nvidia-te"), BlockFormat{&formats::fp32, &formats::e2m1}),
                      Catch::Contains("does not judge amax_fp32-e8m0_for_e2m1-rceil-sat"));
    CHECK_THROWS_WITH(choices_of(find_profile("llvm"), fp8), Catch::Contains("judges no blocks"));
}

TEST_CASE("a tensor is converted value by value", "[tensors]") {
    SplitMix64 random(3);
    const TemporaryFolder folder;
    struct {
        const Format& from;
        const Format& to;
        const char* choice;
    } const table[] = {{formats::fp32, formats::e4m3, "overflow=nosat"},
                       {formats::bf16, formats::e2m1, "nan=max"},
                       {formats::fp16, formats::e5m2, "via=fp16_nearest_even"}, // not of the fast model
                       {formats::fp64, formats::fp16, "rounding=up"},
                       {formats::e4m3, formats::bf16, "rounding=nearest_even"}};
    for (const auto& [from, to, text] : table) {
        CAPTURE(from.name, to.name);
        std::vector<Code> codes = random_codes(from.bytes() == 1 ? formats::e5m2 : from, 1000, random);
        Choices choices;
        const std::string_view choice = text;
        set(choices, choice.substr(0, choice.find('=')), choice.substr(choice.find('=') + 1));
        TensorChoice file_choice{std::string(from.name), Shape{10, 100}, "", file_formats};
        const TensorFile tensor(folder.file("in.bin", values_text(from, codes)), file_choice);
        convert_tensor(tensor, to, choices, folder.path() / "out.safetensors", {2, nullptr, 300});
        TensorChoice out_choice{std::string(to.name), {}, "values", file_formats};
        const TensorFile out(folder.path() / "out.safetensors", out_choice);
        CHECK(out.info().shape == Shape{10, 100});
        const std::vector<Code> found = read_all(out);
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (found[i] != exact::convert(from, to, choices, codes[i]).code) FAIL("value " << i);
    }
    Choices stochastic;
    stochastic.rounding = Rounding::stochastic_a;
    const TensorFile values = open_values(folder, formats::fp32, {1}, {0});
    CHECK_THROWS_WITH(convert_tensor(values, formats::e4m3, stochastic, folder.path() / "x.npy", {}),
                      "a stochastic rounding needs random bits");
    CHECK_THROWS_WITH(convert_tensor(values, formats::e8m0_for_e4m3, {}, folder.path() / "x.npy", {}),
                      Catch::Contains("use quantize"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "x.npy"));
    const TensorFile wide(folder.file("wide.bin", std::string("\x07\x08", 2)),
                          TensorChoice{"e2m1", Shape{2}, "", file_formats});
    convert_tensor(wide, formats::fp32, {}, folder.path() / "x.npy", {});
    const TensorFile wrong(folder.file("wrong.bin", std::string("\x07\x18", 2)),
                           TensorChoice{"e2m1", Shape{2}, "", file_formats});
    CHECK_THROWS_WITH(convert_tensor(wrong, formats::fp32, {}, folder.path() / "y.npy", {}),
                      "value 1 is 0x18: no code of e2m1");
}

TEST_CASE("a tensor is quantized to NVFP4 as its recipe has it, and dequantized with one rounding", "[tensors]") {
    SplitMix64 random(5);
    const TemporaryFolder folder;
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
        for (const Axis axis : {Axis::row, Axis::column}) {
            Quantization how;
            how.format = &scaled_format("nvfp4");
            how.recipe = &preset;
            how.source = value_formats[random.below(3)];
            how.shape = {37, 64};
            how.axis = axis;
            how.block = how.format->block;
            how.packing = &find_packing("low_first");
            recipe::CodeMatrix matrix{37, 64, random_codes(*how.source, 37 * 64, random)};
            for (Code& code : matrix.codes) // the amax of the tensor is to be a number
                if (!how.source->is_finite(code)) code = how.source->one_code();
            const TensorFile tensor = open_values(folder, *how.source, how.shape, matrix.codes);
            const TensorRun run{2, nullptr, random.below(2) == 0 ? 256U : 1U << 20};
            CAPTURE(preset.name, int(axis), how.source->name);
            const Code amax = exact::tensor_amax_of(preset.choices, *how.source, matrix);
            CHECK(tensor_amax_of(tensor, how, run) == amax);
            how.tensor = exact::tensor_scales_of(preset.choices, amax);
            quantize_tensor(tensor, how, folder.path() / "q.safetensors", {}, run);

            const Quantization read = read_quantization(read_metadata(folder.path() / "q.safetensors"));
            CHECK((read.recipe == &preset && read.tensor.decode == how.tensor.decode));
            const QuantizedFiles files = files_of(folder.path() / "q.safetensors");
            const TensorFile elements(files.elements, elements_choice(files, read));
            const TensorFile scales(files.scales, scales_choice(files, read));
            const recipe::Nvfp4Quantized expected = exact::quantize(
                preset.choices, *how.source, axis == Axis::row ? BlockShape{1, 16} : BlockShape{16, 1}, matrix, amax);
            const std::vector<Code> packed = read_all(elements);
            const std::vector<std::uint8_t> bytes(packed.begin(), packed.end());
            const std::vector<std::uint8_t> unpacked =
                unpack(*how.packing, formats::e2m1, bytes, matrix.codes.size(), how.block);
            CHECK(std::vector<Code>(unpacked.begin(), unpacked.end()) == expected.elements.codes);
            CHECK(read_all(scales) == expected.scales);
            const TensorFile tensor_scale(folder.path() / "q.safetensors", TensorChoice{"", {}, tensor_scale_name});
            CHECK(read_all(tensor_scale) == std::vector<Code>{how.tensor.decode});

            for (const Format* to : {&formats::fp32, &formats::bf16}) {
                dequantize_tensor(elements, scales, read, *to, {}, folder.path() / "back.bin", run);
                const TensorFile back(folder.path() / "back.bin", TensorChoice{std::string(to->name), how.shape, ""});
                const std::vector<Code> values = read_all(back);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const std::size_t scale = axis == Axis::row ? i / 64 * 4 + i % 64 / 16 : i / 64 / 16 * 64 + i % 64;
                    const exact::Value element = exact::decode(formats::e2m1, expected.elements.codes[i]);
                    const exact::Rational product =
                        element.magnitude * exact::decode(*preset.choices.scale, expected.scales[scale]).magnitude *
                        exact::decode(formats::fp32, how.tensor.decode).magnitude;
                    if (values[i] != exact::nearest(*to, element.negative, product)) FAIL("value " << i);
                }
            }
        }
}

TEST_CASE("products of quantized matrices are those of the exact model, and of an accumulator", "[tensors]") {
    SplitMix64 random(8);
    const TemporaryFolder folder;
    const auto quantized = [&](const char* name, const char* format, const Shape& shape, Axis axis) {
        Quantization how;
        how.format = &scaled_format(format);
        how.source = &formats::bf16;
        how.shape = shape;
        how.axis = axis;
        how.packing = &find_packing("bytes");
        const TensorFile tensor =
            open_values(folder, formats::bf16, shape, random_codes(formats::bf16, values_of(shape), random));
        quantize_tensor(tensor, how, folder.path() / name, {}, {});
        return read_operand(folder.path() / name, {});
    };
    for (const char* transpose : {"nt", "nn", "tn", "tt"}) {
        Product product;
        product.a_transposed = transpose[0] == 't';
        product.b_transposed = transpose[1] == 't';
        product.a = product.a_transposed ? quantized("a", "mxfp8_e4m3", {70, 5}, Axis::column)
                                         : quantized("a", "mxfp8_e4m3", {5, 70}, Axis::row);
        product.b = product.b_transposed ? quantized("b", "mxfp4", {3, 70}, Axis::row)
                                         : quantized("b", "mxfp4", {70, 3}, Axis::column);
        for (const char* name : {"exact", "fp32_multiply_add"}) {
            CAPTURE(transpose, name);
            product.accumulator = &accumulator(name);
            product.to = &formats::fp32;
            const MatmulShape shape = shape_of(product);
            CHECK((shape.m == 5 && shape.n == 3 && shape.k == 70));
            const std::vector<unsigned char> d = multiply(product, {2});
            const bool is_definition = is_exact(*product.accumulator);
            const Format* c = is_definition ? nullptr : &formats::fp32;
            const DotFormat format{product.a.format, product.b.format, &formats::e8m0, &formats::e8m0, c,
                                   &formats::fp32};
            const std::vector<Code> a(product.a.elements.begin(), product.a.elements.end());
            const std::vector<Code> b(product.b.elements.begin(), product.b.elements.end());
            const std::vector<Code> scales_a(product.a.scales.begin(), product.a.scales.end());
            const std::vector<Code> scales_b(product.b.scales.begin(), product.b.scales.end());
            for (std::size_t row = 0; row < 5; ++row)
                for (std::size_t column = 0; column < 3; ++column) {
                    DotLine line;
                    gather(shape, {a, b, scales_a, scales_b, {}}, row, column, line);
                    std::uint32_t code = 0;
                    std::memcpy(&code, d.data() + (row * 3 + column) * 4, 4);
                    CHECK(code == (is_definition
                                       ? exact::dot(format, dot_choices(), line.operands(shape, 0))
                                       : exact::accumulate(*product.accumulator, format, line.operands(shape, 0))));
                }
        }
    }
    Product wrong;
    wrong.accumulator = &accumulator("exact");
    wrong.to = &formats::fp32;
    wrong.a = quantized("a", "mxfp8_e4m3", {5, 64}, Axis::row);
    wrong.b = quantized("b", "mxfp8_e4m3", {64, 3}, Axis::column);
    CHECK_NOTHROW(shape_of(wrong));
    wrong.b_transposed = true;
    CHECK_THROWS_WITH(shape_of(wrong), Catch::Contains("a sum of 64 products in A, 3 in B"));
    wrong.b = quantized("b", "mxfp8_e4m3", {64, 64}, Axis::column);
    CHECK_THROWS_WITH(shape_of(wrong), "the blocks of B lie along its columns, and the sum along its rows");
    wrong.b.scales.clear();
    CHECK_THROWS_WITH(shape_of(wrong), "one operand has scales and the other has none");
}

// SPDX-License-Identifier: Apache-2.0
// Whole products by accumulators: every element has the bits of its own dot product, by every instruction set.
#include "reference/fast/matmul/accumulate_matmul.hpp"

#include <atomic>
#include <cfenv>

#include "catch.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

/// The codes of a matrix, of as many lines and columns as a product needs.
struct CodeBuffer {
    std::vector<Code> codes;
    std::vector<unsigned char> bytes;

    CodeBuffer() = default;
    CodeBuffer(const Format& format, std::size_t n, const std::function<Code(const Format&)>& draw) {
        const auto size = static_cast<std::size_t>(format.bytes());
        bytes.resize(n * size + 1);
        for (std::size_t i = 0; i < n; ++i) {
            codes.push_back(draw(format));
            fast::store(bytes.data() + i * size, format.bytes(), codes.back());
        }
    }
    [[nodiscard]] const void* data() const { return bytes.empty() ? nullptr : bytes.data(); }
};

struct AccumulatedProduct {
    const Accumulator& model;
    DotFormat format;
    MatmulShape shape;
    CodeBuffer a, b, scales_a, scales_b, c;

    [[nodiscard]] std::vector<Code> by_elements() const {
        std::vector<Code> d;
        DotLine line;
        for (std::size_t i = 0; i < shape.m; ++i)
            for (std::size_t j = 0; j < shape.n; ++j) {
                gather(shape, {a.codes, b.codes, scales_a.codes, scales_b.codes, c.codes}, i, j, line);
                d.push_back(fast::accumulate(model, format, line.operands(shape, c.codes[i * shape.n + j])));
            }
        return d;
    }
    [[nodiscard]] std::vector<Code> at_once(unsigned threads, fast::Isa isa) const {
        const auto size = static_cast<std::size_t>(format.to->bytes());
        std::vector<unsigned char> d(shape.m * shape.n * size + 1, 0xA5);
        std::atomic<std::uint64_t> done = 0;
        fast::matmul(model, format, shape, {a.data(), b.data(), scales_a.data(), scales_b.data(), c.data()}, d.data(),
                     threads, isa, [&](std::uint64_t elements) { done += elements; });
        CHECK(d.back() == 0xA5);
        CHECK(done == shape.m * shape.n);
        std::vector<Code> codes;
        for (std::size_t i = 0; i < shape.m * shape.n; ++i)
            codes.push_back(fast::load(d.data() + i * size, format.to->bytes()));
        return codes;
    }
    void compare(unsigned threads = 1) const {
        const std::vector<Code> expected = by_elements();
        for (const fast::Isa isa : fast::all_isas) {
            if (!fast::runs(isa)) continue;
            CAPTURE(static_cast<int>(isa));
            REQUIRE(at_once(threads, isa) == expected);
        }
    }
};

AccumulatedProduct make_product(const Accumulator& model, const DotFormat& format, const MatmulShape& shape,
                                test::Kind kind, SplitMix64& random) {
    AccumulatedProduct product{model, format, shape, {}, {}, {}, {}, {}};
    const auto element = [&](const Format& of) {
        // A few specials among others: most lanes of a panel stay finite.
        const bool rare = kind == test::Kind::specials && random.below(200) != 0;
        return test::code_of(of, rare ? test::Kind::narrow : kind, random);
    };
    const std::uint64_t spread = random.below(3) == 0 ? 200 : 5;
    const auto scale = [&](const Format& of) -> Code {
        if (of.name != "e8m0") return test::code_of(of, test::Kind::narrow, random);
        return random.below(500) == 0 ? Code{0xFF} : 127 - spread / 2 + random.below(spread);
    };
    product.a = CodeBuffer(*format.a, shape.m * shape.k, element);
    product.b = CodeBuffer(*format.b, shape.k * shape.n, element);
    if (format.scale_a != nullptr) product.scales_a = CodeBuffer(*format.scale_a, shape.a_scales(), scale);
    if (format.scale_b != nullptr) product.scales_b = CodeBuffer(*format.scale_b, shape.b_scales(), scale);
    product.c = CodeBuffer(*format.c, shape.m * shape.n,
                           [&](const Format& of) { return random.below(3) == 0 ? Code{0} : element(of); });
    return product;
}

/// Pairs of formats that an accumulator takes: of the forms of software, which take nearly all, two.
std::vector<DotFormat> formats_to_multiply(const Accumulator& model) {
    std::vector<const Format*> scales(model.scales.begin(), model.scales.end());
    if (model.scale_use == ScaleUse::factors || scales.empty()) scales.push_back(nullptr);
    const bool many = model.operands.size() > 4;
    std::vector<DotFormat> all;
    for (const Format* a : model.operands)
        for (const Format* b : model.operands)
            for (const Format* scale : scales) {
                const bool named = (a->name == "e4m3" && b->name == "fp32") || (a->name == "e5m2" && b == a);
                const bool other_scale = scale != nullptr && scale->name != "e8m0" && model.scales.size() > 1;
                if (many && (!named || other_scale)) continue;
                const DotFormat format = dot_format(model, *a, *b, scale);
                if (takes(model, format)) all.push_back(format);
            }
    return all;
}

} // namespace

TEST_CASE("a product by an accumulator has the bits of its dot products", "[values][accumulator][matmul]") {
    SplitMix64 random(71);
    for (const Accumulator& model : accumulators()) {
        CAPTURE(model.name);
        const std::vector<DotFormat> all = formats_to_multiply(model);
        REQUIRE_FALSE(all.empty());
        for (const DotFormat& format : all)
            for (const test::Kind kind : test::all_kinds) {
                MatmulShape shape{1 + random.below(3), 1 + random.below(36), 1 + random.below(300)};
                shape.a_transposed = random.below(2) == 0;
                shape.b_transposed = random.below(2) == 0;
                const std::size_t block = std::max<std::size_t>(32, least_block(model));
                if (format.scale_a != nullptr) shape.a_scale = shape.b_scale = {block, 1};
                CAPTURE(format.a->name, format.b->name, shape.m, shape.n, shape.k, static_cast<int>(kind));
                make_product(model, format, shape, kind, random).compare();
            }
    }
}

TEST_CASE("a product by an accumulator is the same on several threads and in any rounding mode",
          "[accumulator][matmul]") {
    SplitMix64 random(72);
    for (const char* name : {"hopper_fp8_f32", "blackwell_mxf8f6f4", "fp32_fma", "fp32_blocks_32", "fp64_fma"}) {
        const Accumulator& model = accumulator(name);
        const Format* scale = model.scale_use == ScaleUse::exponents ? &e8m0 : nullptr;
        const DotFormat format = dot_format(model, e4m3, e4m3, scale);
        MatmulShape shape{70, 67, 64};
        if (scale != nullptr) shape.a_scale = shape.b_scale = {32, 1};
        const AccumulatedProduct product = make_product(model, format, shape, test::Kind::narrow, random);
        const std::vector<Code> expected = product.by_elements();
        for (const int mode : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
            REQUIRE(std::fesetround(mode) == 0);
            const std::vector<Code> codes = product.at_once(3, fast::best_isa());
            const int left = std::fegetround();
            std::fesetround(FE_TONEAREST);
            CAPTURE(name, mode);
            CHECK(left == mode);
            REQUIRE(codes == expected);
        }
    }
}

TEST_CASE("a product by an accumulator refuses what it cannot be", "[accumulator][matmul]") {
    const Accumulator& model = accumulator("hopper_fp8_f32");
    const DotFormat format = dot_format(model, e4m3, e4m3);
    const std::vector<unsigned char> a(4, 0x38);
    const std::vector<unsigned char> c(16, 0);
    std::vector<unsigned char> d(16);
    const fast::MatmulBuffers buffers{a.data(), a.data(), nullptr, nullptr, c.data()};
    const MatmulShape shape{2, 2, 2};
    using Catch::Contains;
    CHECK_THROWS_WITH(fast::matmul(model, dot_format(model, fp16, fp16), shape, buffers, d.data()),
                      Contains("does not take these formats"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, buffers, d.data(), 0), Contains("one thread at least"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, buffers, nullptr), Contains("the matrix D is missing"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, {a.data(), a.data(), nullptr, nullptr, nullptr}, d.data()),
                      Contains("the matrix C is missing"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, {a.data(), a.data(), nullptr, nullptr, d.data()}, d.data()),
                      Contains("D lies over C"));
    const Accumulator& scaled = accumulator("deepgemm_hopper_fp8");
    MatmulShape of_blocks = shape;
    of_blocks.a_scale = of_blocks.b_scale = {32, 1};
    const std::vector<unsigned char> scales(16, 0);
    CHECK_THROWS_WITH(fast::matmul(scaled, dot_format(scaled, e4m3, e4m3, &fp32), of_blocks,
                                   {a.data(), a.data(), scales.data(), scales.data(), c.data()}, d.data()),
                      Contains("multiples of 128"));
    // A sum of nothing is C.
    std::vector<unsigned char> one{0x00, 0x00, 0x80, 0x3F};
    fast::matmul(model, format, {1, 1, 0}, {nullptr, nullptr, nullptr, nullptr, one.data()}, d.data());
    CHECK(std::equal(one.begin(), one.end(), d.begin()));
}

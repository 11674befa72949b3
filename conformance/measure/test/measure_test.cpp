// SPDX-License-Identifier: Apache-2.0
// The figures of a tensor against the exact model in rational numbers, and that pieces do not change them.
#include "conformance/measure/measure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include <pugixml.hpp>

#include "catch.hpp"
#include "conformance/measure/measure_errors.hpp"
#include "conformance/measure/measure_percentile.hpp"
#include "conformance/test/tensor_files.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/exact/recipe/percentile.hpp"
#include "reference/scale_rule.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::measure;
using exact::Rational;

namespace {

/// A tensor of rows and columns.
struct Tensor {
    const Format& format;
    std::size_t rows;
    std::size_t columns;
    std::vector<Code> codes;

    Tensor(const Format& f, std::size_t r, std::size_t c) : format(f), rows(r), columns(c), codes(r * c) {}
    [[nodiscard]] tensors::TensorChoice choice() const { return {std::string(format.name), {{rows, columns}}, ""}; }
    [[nodiscard]] std::filesystem::path write(const TemporaryFolder& folder) const {
        return folder.file("tensor", test::values_text(format, codes));
    }
};

/// Values of some binades around `field`, and now and then something special.
Tensor random_tensor(const Format& format, std::size_t rows, std::size_t columns, Code field, SplitMix64& random) {
    Tensor tensor(format, rows, columns);
    const Code fields = Code{1} << static_cast<unsigned>(format.exponent_bits);
    for (Code& code : tensor.codes) {
        code = (field + random.below(20)) % fields << static_cast<unsigned>(format.fraction_bits);
        code |= random() & (format.fraction_mask() | format.sign_bit());
        switch (random.below(40)) {
        case 0: code &= format.sign_bit(); break;
        case 1: code = (code & format.sign_bit()) | format.inf_code(); break;
        case 2: code |= format.inf_code() | 1; break;
        case 3: code &= format.sign_bit() | format.fraction_mask(); break;
        default: break;
        }
    }
    return tensor;
}

/// A quantized value, in real numbers.
struct Quantized {
    Rational y;
    bool clipped = false;
    bool lost = false;
};

Rational real(const Format& format, Code code) {
    const exact::Value value = exact::decode(format, code);
    return exact::number(value);
}

Rational fp32_of(const Rational& magnitude) {
    if (magnitude == 0) return 0;
    return exact::round(formats::fp32, magnitude, false, Rounding::nearest_even).value;
}

Rational max_of(const Format& format) { return real(format, format.max_code()); }

/// The values of a row that lie from `first` on, by the exact model.
std::vector<Quantized> slow_block(const Tensor& tensor, const Method& method, std::span<const Code> codes) {
    BlockChoices choices;
    choices.scale.rule = method.rule;
    const exact::Value value = exact::decode(formats::e8m0, 127);
    REQUIRE(value.magnitude == 1);
    const QuantizedBlock block = exact::quantize({&tensor.format, method.element}, choices, codes);
    const Format& scaled = by_scale(tensor.format);
    const Format& times = times_scale(*method.element);
    std::vector<Quantized> values;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const Code scale = scaled.code_of(block.scale, codes[i]);
        const exact::Result result = exact::convert(scaled, *method.element, choices.element, scale);
        REQUIRE(result.code == block.elements[i]);
        const Code code = times.code_of(block.scale, result.code);
        values.push_back({times.is_finite(code) ? real(times, code) : Rational(0), result.overflow});
    }
    return values;
}

Quantized slow_value(const Tensor& tensor, const Method& method, Code code, const Rational& inverse) {
    if (!tensor.format.is_finite(code)) return {};
    if (method.kind == ScaleKind::plain) {
        const exact::Result result = exact::convert(tensor.format, *method.element, {}, code);
        return {real(*method.element, result.code), result.overflow};
    }
    const Rational x = real(tensor.format, code);
    const Rational magnitude = fp32_of(abs(x) * inverse);
    const Code scaled = magnitude == 0 ? 0 : exact::encode(formats::fp32, magnitude);
    const exact::Result result = exact::convert(formats::fp32, *method.element, {}, scaled);
    const Rational y = real(*method.element, result.code) * fp32_of(1 / inverse);
    return {x < 0 ? -y : y, result.overflow};
}

/// The inverse scale of an amax in binary32.
Rational inverse_of(const Method& method, const Rational& amax) {
    if (amax == 0) return 1;
    return std::min(fp32_of(max_of(*method.element) / amax), max_of(formats::fp32));
}

Rational amax_of(const Tensor& tensor, std::span<const Code> codes) {
    Rational amax = 0;
    for (const Code code : codes)
        if (tensor.format.is_finite(code)) amax = std::max(amax, exact::decode(tensor.format, code).magnitude);
    return amax;
}

/// Of the finite magnitudes; 0 where there are none.
Rational percentile_of(const Tensor& tensor, const Method& method) {
    std::vector<Code> finite;
    std::copy_if(tensor.codes.begin(), tensor.codes.end(), std::back_inserter(finite),
                 [&](Code code) { return tensor.format.is_finite(code); });
    if (finite.empty()) return 0;
    return real(formats::fp32, exact::percentile_of(method.of_elements->percentile, tensor.format, finite));
}

std::vector<Quantized> slow_nvfp4(const Tensor& tensor, const Method& method) {
    recipe::Nvfp4 choices = method.recipe->choices;
    choices.amax_nan = AmaxNan::ignored;
    const Rational amax = amax_of(tensor, tensor.codes);
    const recipe::Nvfp4Quantized quantized =
        exact::quantize(choices, tensor.format, shapes::rowwise(16), {tensor.rows, tensor.columns, tensor.codes},
                        amax == 0 ? 0 : exact::encode(formats::fp32, amax));
    const Code code = quantized.tensor.decode;
    const Rational decode = formats::fp32.is_finite(code) ? real(formats::fp32, code) : Rational(0);
    const std::size_t across = (tensor.columns + 15) / 16;
    std::vector<Quantized> values;
    for (std::size_t i = 0; i < tensor.codes.size(); ++i) {
        const Code scale = quantized.scales[i / tensor.columns * across + i % tensor.columns / 16];
        if (choices.scale->is_nan(scale) || !formats::fp32.is_finite(quantized.tensor.decode)) {
            values.push_back({0, false, true});
            continue;
        }
        const Rational unit = real(*choices.scale, scale) * decode;
        const Rational x = tensor.format.is_finite(tensor.codes[i]) ? real(tensor.format, tensor.codes[i]) : 0;
        // Beyond 6 comes 8: 7 is a tie, and goes to 8.
        values.push_back({real(formats::e2m1, quantized.elements.codes[i]) * unit, unit != 0 && abs(x) >= 7 * unit});
    }
    return values;
}

std::vector<Quantized> slow(const Tensor& tensor, const Method& method) {
    std::vector<Quantized> values;
    const std::span<const Code> codes = tensor.codes;
    if (method.kind == ScaleKind::nvfp4) return slow_nvfp4(tensor, method);
    if (method.kind == ScaleKind::block) {
        for (std::size_t row = 0; row < tensor.rows; ++row)
            for (std::size_t at = 0; at < tensor.columns; at += method.block) {
                const std::size_t size = std::min<std::size_t>(method.block, tensor.columns - at);
                for (Quantized& value : slow_block(tensor, method, codes.subspan(row * tensor.columns + at, size)))
                    values.push_back(std::move(value));
            }
        return values;
    }
    // A float scale is one of the amax of all values that have the same place among the scales, or of a percentile.
    const Extent matrix{tensor.rows, tensor.columns};
    std::vector<Place> places;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Code>> sharing;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        places.push_back(scale_place(matrix, method.shape(), {i / tensor.columns, i % tensor.columns}));
        sharing[{places.back().row, places.back().column}].push_back(codes[i]);
    }
    std::map<std::pair<std::uint64_t, std::uint64_t>, Rational> inverses;
    for (const auto& [place, shared] : sharing)
        inverses[place] = inverse_of(method, method.kind == ScaleKind::percentile ? percentile_of(tensor, method)
                                                                                  : amax_of(tensor, shared));
    for (std::size_t i = 0; i < codes.size(); ++i)
        values.push_back(slow_value(tensor, method, codes[i], inverses.at({places[i].row, places[i].column})));
    return values;
}

bool near(double actual, const Rational& wanted) {
    const auto nearest = static_cast<double>(wanted);
    return std::abs(actual - nearest) <= 1e-12 * std::abs(nearest);
}

/// Compares all figures of a method with the slow ones.
void check(const Tensor& tensor, const Method& method, const Quality& quality) {
    CAPTURE(tensor.format.name, method.element->name, method.scale(), method.block);
    const std::vector<Quantized> quantized = slow(tensor, method);
    std::uint64_t compared = 0;
    std::uint64_t lost = 0;
    std::uint64_t clipped = 0;
    std::uint64_t flushed = 0;
    Rational signal = 0;
    Rational noise = 0;
    Rational power = 0;
    Rational product = 0;
    struct Errors {
        std::uint64_t values = 0;
        Rational largest = 0;
        Rational sum = 0;
    } all;
    std::map<int, Errors> binades;
    for (std::size_t i = 0; i < quantized.size(); ++i) {
        if (!tensor.format.is_finite(tensor.codes[i])) continue;
        const Rational x = real(tensor.format, tensor.codes[i]);
        const Rational& y = quantized[i].y;
        lost += quantized[i].lost ? 1 : 0;
        if (quantized[i].lost) continue;
        ++compared;
        clipped += quantized[i].clipped ? 1 : 0;
        flushed += x != 0 && y == 0 ? 1 : 0;
        signal += x * x;
        noise += (y - x) * (y - x);
        power += y * y;
        product += x * y;
        if (x == 0) continue;
        const Rational error = abs((y - x) / x);
        for (Errors* errors : {&all, &binades[exact::floor_log2(abs(x))]}) {
            ++errors->values;
            errors->largest = std::max(errors->largest, error);
            errors->sum += error;
        }
    }
    CHECK(quality.compared == compared);
    CHECK(quality.lost == lost);
    CHECK(quality.relative == all.values);
    CHECK(quality.clipped == clipped);
    CHECK(quality.flushed == flushed);
    CHECK(near(quality.signal, signal));
    CHECK(near(quality.noise, noise));
    CHECK(near(quality.power, power));
    CHECK(near(quality.product, product));
    CHECK(near(quality.largest_relative, all.largest));
    if (all.values != 0) CHECK(near(quality.mean_relative, all.sum / all.values));
    REQUIRE(quality.binades.size() == binades.size());
    for (const auto& [exponent, errors] : binades) {
        const BinadeErrors& binade = quality.binades.at(exponent);
        CHECK(binade.values == errors.values);
        CHECK(near(binade.largest, errors.largest));
        CHECK(near(binade.mean, errors.sum / errors.values));
    }
}

void check_all(const Tensor& tensor, const std::vector<Method>& methods) {
    const TemporaryFolder folder;
    const TensorFile file(tensor.write(folder), tensor.choice());
    const Measurement measurement = measure::measure(file, methods);
    for (std::size_t i = 0; i < methods.size(); ++i) check(tensor, methods[i], measurement.qualities[i]);
}

std::vector<std::string> every_scale() {
    std::vector<std::string> names;
    for (const std::string_view name : scale_names()) names.emplace_back(name);
    return names;
}

bool same(const Quality& a, const Quality& b) {
    const auto same_binade = [](const auto& p, const auto& q) {
        return p.first == q.first && p.second.values == q.second.values && p.second.largest == q.second.largest &&
               p.second.mean == q.second.mean;
    };
    return a.clipped == b.clipped && a.flushed == b.flushed && a.compared == b.compared && a.relative == b.relative &&
           a.largest_relative == b.largest_relative && a.mean_relative == b.mean_relative && a.signal == b.signal &&
           a.noise == b.noise && a.power == b.power && a.product == b.product &&
           std::equal(a.binades.begin(), a.binades.end(), b.binades.begin(), b.binades.end(), same_binade);
}

} // namespace

TEST_CASE("figures agree with the exact model: every element, scale and block", "[measure][values]") {
    SplitMix64 random(11);
    // Each of the recipes with percentiles, but for the one that remembers earlier tensors.
    const std::size_t percentiles = recipe::element_recipes().size() - 1;
    for (const std::vector<std::string>& elements :
         {std::vector<std::string>{"e4m3", "e5m2", "e3m2"}, {"e2m3", "e2m1"}}) {
        const std::vector<Method> methods = methods_of(elements, every_scale(), {1, 5, 32});
        REQUIRE(methods.size() == elements.size() * ((all_scale_rules().size() + 2) * 3 + 3 + percentiles) +
                                      recipe::nvfp4_presets().size());
        check_all(random_tensor(formats::fp32, 3, 45, 110, random), methods);
    }
}

TEST_CASE("figures agree with the exact model: every format, over the whole range", "[measure][values]") {
    SplitMix64 random(12);
    const std::vector<Method> methods = methods_of({"e4m3", "e5m2", "e2m3", "e2m1"},
                                                   {"ocp_floor", "rceil", "absmax", "tile", "row", "tensor",
                                                    "element_percentile_9999", "plain", "te_nvfp4", "modelopt_nvfp4"},
                                                   {32});
    for (const Format* format : {&formats::fp32, &formats::fp16, &formats::bf16})
        for (Code field = 0; field < Code{1} << static_cast<unsigned>(format->exponent_bits);
             field += format->exponent_bits == 8 ? 60 : 9)
            check_all(random_tensor(*format, 3, 40, field, random), methods);
}

TEST_CASE("tensors of zeros, without a number, and so small that the inverse scale would overflow", "[measure]") {
    const std::vector<Method> methods = methods_of({"e4m3", "e5m2"}, every_scale(), {32});
    for (const Code code : {Code{0}, Code{0x80000000}, Code{0x7F800000}, Code{0xFFC00000}, Code{1}, Code{0x7F7FFFFF}}) {
        Tensor tensor(formats::fp32, 1, 33);
        for (Code& one : tensor.codes) one = code;
        check_all(tensor, methods);
    }
}

TEST_CASE("what counts as clipped begins beyond half an ulp above the largest", "[measure]") {
    Tensor tensor(formats::fp32, 1, 6);
    tensor.codes = {0x43E00001, 0x43E80000, 0x43E80001, 0xC76FFFFF, 0xC7700000, 0x7F800000}; // 448+, 464, 61440-, Inf
    const TemporaryFolder folder;
    const TensorFile file(tensor.write(folder), tensor.choice());
    const Measurement measurement = measure::measure(file, methods_of({"e4m3", "e5m2"}, {"plain"}, {32}));
    CHECK(measurement.qualities[0].clipped == 3);
    CHECK(measurement.qualities[1].clipped == 1);
    CHECK(measurement.tensor.infs == 1);
}

TEST_CASE("the figures are the same whatever the piece", "[measure]") {
    SplitMix64 random(13);
    const std::vector<Method> methods =
        methods_of({"e4m3", "e5m2"},
                   {"ocp_floor", "rceil", "absmax", "tensor", "plain", "te_nvfp4", "element_percentile_99"}, {8, 12});
    for (const std::size_t columns : {std::size_t{7}, std::size_t{333}}) {
        const Tensor tensor = random_tensor(formats::bf16, 9, columns, 120, random);
        const TemporaryFolder folder;
        const TensorFile file(tensor.write(folder), tensor.choice());
        const Measurement whole = measure::measure(file, methods);
        for (const std::size_t piece : {std::size_t{48}, std::size_t{50}, std::size_t{334}, std::size_t{2000}}) {
            CAPTURE(columns, piece);
            const Measurement cut = measure::measure(file, methods, piece);
            CHECK(cut.tensor.amax == whole.tensor.amax);
            CHECK(cut.tensor.least == whole.tensor.least);
            CHECK(cut.tensor.nans == whole.tensor.nans);
            CHECK(cut.tensor.zeros == whole.tensor.zeros);
            for (std::size_t i = 0; i < methods.size(); ++i) CHECK(same(cut.qualities[i], whole.qualities[i]));
        }
        if (columns > 47) CHECK_THROWS_AS(measure::measure(file, methods, 47), std::invalid_argument);
    }
}

TEST_CASE("each value of a small tensor is listed with what it becomes", "[measure]") {
    Tensor tensor(formats::fp32, 3, 2);
    tensor.codes = {0x3F800000, 0x40400000, 0x447A0000, 0xBF800000, 0, 0x42C80000}; // 1, 3, 1000, -1, 0, 100
    const TemporaryFolder folder;
    const TensorFile file(tensor.write(folder), tensor.choice());
    const std::vector<Method> methods = methods_of({"e4m3"}, {"plain", "ocp_floor", "tile", "tensor"}, {2});
    const Measurement measurement = measure::measure(file, methods);
    REQUIRE(measurement.each.size() == methods.size());
    const auto values_of = [&](std::size_t method) {
        std::vector<double> values;
        for (const EachValue& each : measurement.each[method]) values.push_back(each.quantized);
        return values;
    };
    CHECK(values_of(0) == std::vector<double>{1, 3, 448, -1, 0, 96});
    CHECK(values_of(1) == std::vector<double>{1, 3, 896, -1, 0, 96});
    CHECK(measurement.each[1][2].element == 0x7E);
    CHECK(measurement.each[1][2].scale == 2);
    CHECK(measurement.each[2][0].scale == measurement.each[2][3].scale); // one tile
    CHECK(measurement.each[2][4].scale != measurement.each[2][0].scale);
    CHECK_THAT(each_text(methods, measurement), Catch::Contains("0x7E x 2"));
    Tensor large(formats::fp32, 1, most_listed + 1);
    const TensorFile not_listed(large.write(folder), large.choice());
    CHECK(measure::measure(not_listed, methods).each.empty());
}

TEST_CASE("tiles are measured whole, whatever the piece", "[measure]") {
    SplitMix64 random(15);
    const std::vector<Method> methods = methods_of({"e4m3"}, {"tile", "rceil", "row"}, {4, 7});
    const Tensor tensor = random_tensor(formats::bf16, 15, 23, 120, random);
    const TemporaryFolder folder;
    const TensorFile file(tensor.write(folder), tensor.choice());
    const Measurement whole = measure::measure(file, methods);
    for (std::size_t i = 0; i < methods.size(); ++i) check(tensor, methods[i], whole.qualities[i]);
    // Bands of rows, parts of bands, and single tiles of 7 x 7.
    for (const std::size_t piece : {std::size_t{330}, std::size_t{165}, std::size_t{100}, std::size_t{49}}) {
        CAPTURE(piece);
        const Measurement cut = measure::measure(file, methods, piece);
        for (std::size_t i = 0; i < methods.size(); ++i) CHECK(same(cut.qualities[i], whole.qualities[i]));
    }
    CHECK_THROWS_AS(measure::measure(file, methods, 48), std::invalid_argument);
}

TEST_CASE("percentiles of a file are those of its values in memory", "[measure][percentile]") {
    SplitMix64 random(16);
    for (const Format* format : {&formats::fp32, &formats::fp16, &formats::bf16})
        for (const std::size_t columns : {std::size_t{1}, std::size_t{2}, std::size_t{101}, std::size_t{5000}}) {
            Tensor tensor = random_tensor(*format, 1, columns, static_cast<Code>(format->bias), random);
            std::vector<Code> finite;
            for (const Code code : tensor.codes)
                if (format->is_finite(code)) finite.push_back(code);
            if (finite.empty()) continue;
            const TemporaryFolder folder;
            const TensorFile file(tensor.write(folder), tensor.choice());
            std::vector<recipe::Percentile> percentiles;
            for (const unsigned numerator : {0U, 1U, 4999U, 9999U, 10000U})
                for (const recipe::Position position : {recipe::Position::exact, recipe::Position::fp32})
                    percentiles.push_back({{numerator, 10000}, position, recipe::Between::from_below});
            const std::vector<float> found = percentiles_of(file, percentiles, finite.size(), 100);
            REQUIRE(found.size() == percentiles.size());
            for (std::size_t i = 0; i < percentiles.size(); ++i) {
                CAPTURE(format->name, columns, i);
                CHECK(std::bit_cast<std::uint32_t>(found[i]) == exact::percentile_of(percentiles[i], *format, finite));
            }
            const recipe::Percentile& torch = recipe::element_recipe("element_percentile_9999").percentile;
            CHECK_THROWS_WITH(percentiles_of(file, {torch}, recipe::most_elements + 1, 100),
                              Catch::Contains("at most 16777216"));
            CHECK(percentiles_of(file, {torch}, 0, 100) == std::vector<float>{0});
        }
}

TEST_CASE("the plot is XML, has a curve for each method and says what it shows", "[measure]") {
    SplitMix64 random(14);
    const std::vector<Method> methods = methods_of({"e4m3", "e5m2"}, {"rceil", "plain"}, {32});
    const Tensor tensor = random_tensor(formats::fp32, 4, 64, 118, random);
    const TemporaryFolder folder;
    const TensorFile file(tensor.write(folder), tensor.choice());
    const Measurement measurement = measure::measure(file, methods);
    const std::string svg = measure_plot("a<b>&c", methods, measurement);
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    const pugi::xml_node root = document.child("svg");
    CHECK(std::string(root.child_value("title")) == "Relative error of a<b>&c");
    std::size_t curves = 0;
    for (const pugi::xml_node path : root.children("path")) curves += path.attribute("fill") ? 1 : 0;
    CHECK(curves == 2 * methods.size());
    for (const char* text : {"e4m3 rceil 32", "e5m2 plain", "log2 of the magnitude"})
        CHECK(svg.find(text) != std::string::npos);
    // Nothing to draw is no reason to fail.
    const Measurement nothing{{}, std::vector<Quality>(methods.size()), {}};
    CHECK(document.load_string(measure_plot("", methods, nothing).c_str()));
}

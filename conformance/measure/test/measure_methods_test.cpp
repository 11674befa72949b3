// SPDX-License-Identifier: Apache-2.0
// Methods by name, the bytes that they take, and figures that follow from others.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "conformance/measure/measure.hpp"

using namespace mxcert;
using namespace mxcert::measure;

TEST_CASE("the figures that are derived", "[measure]") {
    Quality quality;
    quality.compared = 4;
    quality.signal = 400;
    quality.noise = 4;
    quality.power = 100;
    quality.product = 100;
    CHECK(quality.mse() == 1);
    CHECK(quality.sqnr() == Approx(20));
    CHECK(quality.cosine() == Approx(0.5));
    quality.noise = 0;
    CHECK(quality.sqnr() == std::numeric_limits<double>::infinity());
    CHECK(std::isnan(Quality().mse()));
    CHECK(std::isnan(Quality().sqnr()));
    CHECK(std::isnan(Quality().cosine()));
}

TEST_CASE("bytes of a tensor, with padding and both orientations", "[measure]") {
    const Method block{&formats::e4m3, ScaleKind::block, ScaleRule::rceil, 32};
    const TensorBytes bytes = bytes_of_tensor({5, 26, 100}, block); // 130 rows of 100
    CHECK(bytes.codes == 13000);
    CHECK(bytes.scales == 130 * 4);
    CHECK(bytes.padded_scales == 256 * 4);
    CHECK(bytes.both_codes == 26000);
    CHECK(bytes.both_scales == 130 * 4 + 5 * 100);
    CHECK(bytes.both_padded_scales == 256 * 4 + 8 * 128);
    CHECK(bytes_of_tensor({}, block).scales == 1);
    const TensorBytes tensor = bytes_of_tensor({100}, {&formats::e4m3, ScaleKind::tensor, ScaleRule::none, 0});
    CHECK((tensor.codes == 100 && tensor.scales == 4 && tensor.both_codes == 200 && tensor.both_scales == 4));
    const TensorBytes fp4 = bytes_of_tensor({3, 33}, {&formats::e2m1, ScaleKind::block, ScaleRule::ocp_floor, 32});
    CHECK((fp4.codes == 50 && fp4.both_codes == 100 && fp4.scales == 6)); // 49.5 bytes
    const Method row{&formats::e4m3, ScaleKind::row, ScaleRule::none, 0};
    CHECK(bytes_of_tensor({3, 33}, row).scales == 12);
    CHECK(bytes_of_tensor({3, 33}, row).both_scales == 4 * (3 + 33));
    CHECK(bytes_of_tensor({3, 33}, {&formats::e4m3, ScaleKind::absmax, ScaleRule::none, 32}).scales == 3 * 2 * 4);
    const TensorBytes tile = bytes_of_tensor({33, 65}, {&formats::e4m3, ScaleKind::tile, ScaleRule::none, 32});
    CHECK((tile.scales == 2 * 3 * 4 && tile.both_scales == 2 * 3 * 4)); // a tile is one of both orientations
    const Method percentile = methods_of({"e2m1"}, {"element_percentile_9999"}, {32}).at(0);
    CHECK(
        (bytes_of_tensor({33, 65}, percentile).scales == 4 && to_string(percentile) == "e2m1 element_percentile_9999"));
    const Method nvfp4{&formats::e2m1, ScaleKind::nvfp4, ScaleRule::none, 16, &recipe::nvfp4_preset("te_nvfp4")};
    CHECK(bytes_of_tensor({4, 64}, nvfp4).codes == 128);
    CHECK(bytes_of_tensor({4, 64}, nvfp4).scales == 4 * 4 + 4);
    CHECK(to_string(nvfp4) == "e2m1 te_nvfp4");
    CHECK(bytes_of_tensor({8}, {&formats::e3m2, ScaleKind::plain, ScaleRule::none, 0}).codes == 6);
    CHECK(bytes_of_tensor({100}, {&formats::e5m2, ScaleKind::plain, ScaleRule::none, 0}).scales == 0);
    const TensorBytes most =
        bytes_of_tensor({tensors::max_tensor_values}, {&formats::e4m3, ScaleKind::block, ScaleRule::rceil, 1});
    CHECK(most.both_padded_scales == 128 * tensors::max_tensor_values + 4 * tensors::max_tensor_values);
    CHECK_THROWS_AS(bytes_of_tensor({tensors::max_tensor_values, 2}, block), std::invalid_argument);
    CHECK_THROWS_AS(bytes_of_tensor({3, 0}, block), std::invalid_argument);
}

TEST_CASE("methods by name", "[measure]") {
    CHECK(methods_of({"e4m3"}, {"ocp_floor", "plain"}, {16, 32}).size() == 3);
    CHECK_THROWS_WITH(methods_of({"e4m4"}, {"plain"}, {32}), Catch::Contains("e4m3"));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"rcel"}, {32}), Catch::Contains("rceil"));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"none"}, {32}), Catch::Contains("unknown scale rule"));
    // It needs what earlier tensors were.
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"element_percentile_99_maximum_4"}, {32}), Catch::Contains("unknown"));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"rceil"}, {0}), Catch::Contains("--block 0"));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"rceil"}, {1025}), Catch::Contains("--block 1025"));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"rceil", "rceil"}, {32}), Catch::Contains("twice"));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"rceil"}, {32, 32}), Catch::Contains("twice"));
    std::vector<std::uint32_t> many;
    while (many.size() <= max_methods) many.push_back(static_cast<std::uint32_t>(many.size() + 1));
    CHECK_THROWS_WITH(methods_of({"e4m3"}, {"rceil"}, many), Catch::Contains("no more than 256"));
}

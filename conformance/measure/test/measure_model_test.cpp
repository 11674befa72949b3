// SPDX-License-Identifier: Apache-2.0
// Every tensor of a safetensors file, side by side.
#include "conformance/measure/measure_model.hpp"

#include <pugixml.hpp>

#include "catch.hpp"
#include "conformance/test/tensor_files.hpp"

using namespace mxcert;
using namespace mxcert::measure;
using Catch::Contains;

namespace {

/// Four FP32 values, two BF16 ones, and two integers.
std::filesystem::path write_model(const TemporaryFolder& folder) {
    const std::string header = R"({"a.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                               R"("b<&>":{"dtype":"BF16","shape":[2],"data_offsets":[16,20]},)"
                               R"("ids":{"dtype":"I64","shape":[1],"data_offsets":[20,28]}})";
    const std::string data = test::values_text(formats::fp32, {0x3F800000, 0x3F8CCCCD, 0x42C80000, 0xC0490FDB}) +
                             test::values_text(formats::bf16, {0x3F80, 0x4000}) + std::string(8, '\1');
    return folder.file("model.safetensors", test::safetensors_file(header, data));
}

} // namespace

TEST_CASE("every tensor of a model is measured as it is alone", "[measure][model]") {
    const TemporaryFolder folder;
    const std::filesystem::path path = write_model(folder);
    const std::vector<Method> methods = methods_of({"e4m3", "e2m1"}, {"rceil", "te_nvfp4"}, {32});
    std::vector<std::string> begun;
    const Model model = measure_model(path, methods, true, [&](const std::string& name) { begun.push_back(name); });
    CHECK(begun == std::vector<std::string>{"a.weight", "b<&>"});
    CHECK(model.left_out == std::vector<std::string>{"ids (I64)"});
    REQUIRE(model.tensors.size() == 2);
    for (const MeasuredTensor& tensor : model.tensors) {
        const Measurement alone = measure::measure(TensorFile(path, {"", std::nullopt, tensor.name}), methods);
        for (std::size_t i = 0; i < methods.size(); ++i)
            CHECK(tensor.measurement.qualities[i].noise == alone.qualities[i].noise);
    }
    // 1 and 2 are elements of each; the first of equal methods is named.
    CHECK(model.tensors[1].best() == 0);
    const std::vector<Quality>& qualities = model.tensors[0].measurement.qualities;
    const std::size_t best = model.tensors[0].best().value();
    for (const Quality& quality : qualities) CHECK(quality.sqnr() <= qualities[best].sqnr());
    const std::string text = model_text("model", methods, model);
    CHECK_THAT(text, Contains("a.weight  [2, 2]") && Contains("exact") && Contains("ids (I64)") &&
                         Contains("best of") && Contains("2 tensors"));
    CHECK(!model.tensors[0].measurement.qualities[0].binades.empty());
    const auto json = model_json("model", methods, model);
    CHECK(json["tensors"][0]["best"] == to_string(methods[best]));
    CHECK(json["tensors"][1]["methods"].size() == methods.size());
    CHECK(json["left_out"][0] == "ids (I64)");
}

TEST_CASE("the plot of a model has a dot for each tensor and method", "[measure][model]") {
    const TemporaryFolder folder;
    const std::vector<Method> methods = methods_of({"e4m3", "e2m1"}, {"rceil", "te_nvfp4"}, {32});
    const Model model = measure_model(write_model(folder), methods, false, [](const std::string&) {});
    pugi::xml_document svg;
    REQUIRE(svg.load_string(model_plot("a <model>", methods, model).c_str()));
    std::size_t dots = 0;
    std::vector<std::string> ringed;
    for (const auto& circle : svg.child("svg").children("circle")) {
        dots += circle.child("title") ? 1 : 0;
        if (circle.attribute("stroke")) ringed.emplace_back(circle.child_value("title"));
    }
    // The SQNR of an exact tensor is infinite: it has no dot.
    std::size_t numbers = 0;
    for (const MeasuredTensor& tensor : model.tensors)
        for (const Quality& quality : tensor.measurement.qualities) numbers += std::isfinite(quality.sqnr()) ? 1 : 0;
    CHECK(dots == numbers);
    CHECK(numbers != 0);
    REQUIRE(ringed.size() == 1);
    CHECK_THAT(ringed[0], Contains(to_string(methods[model.tensors[0].best().value()])) && Contains("dB, best"));
    CHECK_THAT(svg.child("svg").child("title").child_value(), Contains("a <model>"));
}

TEST_CASE("a file without tensors of values is refused", "[measure][model]") {
    const TemporaryFolder folder;
    const std::string header = R"({"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})";
    const auto path = folder.file("ids.safetensors", test::safetensors_file(header, std::string(8, '\1')));
    CHECK_THROWS_WITH(measure_model(path, methods_of({"e4m3"}, {"plain"}, {32}), false, [](const std::string&) {}),
                      Contains("no tensor of F32, F16 or BF16"));
}

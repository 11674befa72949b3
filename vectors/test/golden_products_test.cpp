// SPDX-License-Identifier: Apache-2.0
// Golden products: the committed files are what both models give, and tell an accumulator from all others.
#include "vectors/cases/golden_products.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "vectors/cases/golden_epilogues.hpp"
#include "vectors/tables/csv.hpp"

using namespace mxcert;

namespace {

const std::filesystem::path folder = std::filesystem::path(MXCERT_TEST_SOURCE) / "vectors" / "products";

GoldenProducts committed(const ProductFile& file) {
    return parse_products(csv::read_text(folder / file.name()), file.name(), file);
}

/// Rows that another accumulator answers otherwise.
std::size_t told(const GoldenProducts& golden, const Accumulator& other_accumulator) {
    const std::vector<Code> answers = answers_of(other_accumulator, golden.asked);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) differing += answers[i] != golden.answers[i] ? 1 : 0;
    return differing;
}

/// Computes every `step`-th file.
void check_products(std::size_t step) {
    std::set<std::string> files;
    std::size_t number = 0;
    for (const ProductFile& file : product_files()) {
        CAPTURE(file.name());
        files.insert(file.name());
        if (number++ % step == 0) CHECK(csv::read_text(folder / file.name()) == write_products(golden_products(file)));
    }
    CHECK(files.size() == accumulators().size() + 1);
    CHECK(files.contains("blackwell_mxf4nvf4-ue4m3.csv"));
    for (const Epilogue& epilogue : epilogues()) files.insert(epilogue_file(epilogue));
    std::set<std::string> there;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) there.insert(entry.path().filename());
    CHECK(there == files);
}

} // namespace

TEST_CASE("committed products are what the models give, and no others", "[values][dot]") { check_products(3); }
TEST_CASE("committed products of one accumulator with scales are what the models give", "[dot]") {
    const ProductFile file{&accumulator("blackwell_mxf4nvf4"), &formats::ue4m3};
    CHECK(csv::read_text(folder / file.name()) == write_products(golden_products(file)));
}
TEST_CASE("all committed products are what the models give", "[.][exhaustive]") { check_products(1); }

// How the files come about: vectors_test "[write_products]".
TEST_CASE("the products are written", "[.][write_products]") {
    for (const ProductFile& file : product_files()) {
        std::ofstream stream(folder / file.name(), std::ios::binary);
        REQUIRE((stream << write_products(golden_products(file))).flush().good());
    }
}

TEST_CASE("golden products are read, and both models have each answer", "[dot]") {
    for (const ProductFile& file : product_files()) {
        CAPTURE(file.name());
        const Accumulator& accumulator = *file.accumulator;
        const GoldenProducts golden = committed(file);
        CHECK(golden.answers.size() > 40);
        CHECK(told(golden, accumulator) == 0);
        for (std::size_t i = 0; i < golden.answers.size(); i += 16)
            CHECK(exact::accumulate(accumulator, golden.asked.format, golden.asked.operands(golden.asked.cases[i])) ==
                  golden.answers[i]);
    }
}

TEST_CASE("golden products tell an accumulator from all others of the same formats", "[dot]") {
    std::set<std::pair<std::string, std::string>> alike;
    for (const ProductFile& file : product_files()) {
        const Accumulator& accumulator = *file.accumulator;
        const GoldenProducts golden = committed(file);
        for (const Accumulator& other_accumulator : accumulators())
            if (other_accumulator.name != accumulator.name && takes(other_accumulator, golden.asked.format) &&
                told(golden, other_accumulator) == 0)
                alike.emplace(accumulator.name, other_accumulator.name);
    }
    CHECK(alike == std::set<std::pair<std::string, std::string>>{});
}

TEST_CASE("an accumulator is told from those that take blocks of its size", "[dot]") {
    const Accumulator& own = accumulator("fp32_fma");
    const DotFormat format = dot_format(own, formats::e4m3, formats::e4m3, &formats::fp32);
    const auto has = [&](std::size_t block, std::string_view name) {
        const std::vector<Accumulator> all = rivals(own, format, block);
        return std::any_of(all.begin(), all.end(), [&](const Accumulator& rival) { return rival.name == name; });
    };
    CHECK(has(32, "fp32_multiply_add"));
    CHECK_FALSE(has(32, "fp32_scaled_128"));
    CHECK(has(128, "fp32_multiply_add"));
    CHECK(has(128, "fp32_scaled_128"));
}

TEST_CASE("golden products are read as they were written, and nothing else is read", "[dot]") {
    const ProductFile model{&accumulator("blackwell_mxf8f6f4"), &formats::e8m0};
    const GoldenProducts golden = committed(model);
    const std::string text = write_products(golden);
    CHECK(text == csv::read_text(folder / model.name()));
    const auto reason = [&](const std::string& wrong) -> std::string {
        try {
            static_cast<void>(parse_products(wrong, "t", model));
        } catch (const csv::Error& error) {
            return error.what();
        }
        return "";
    };
    const std::string header = text.substr(0, text.find('\n') + 1);
    const auto row = [&](const std::string& rest) { return reason(header + "x," + rest + "\n"); };
    CHECK(reason(header) == "t: no rows");
    CHECK(row("e4m3,e5m2,e8m0,32,64,38,3C,7F7F,7F7F,00000000,3F800000") == "");
    CHECK(row("e4m3,e4m3,e8m0,32,64,38,3C,7F7F,7F7F,00000000,3F800000") == "t:2: 'e4m3', not e5m2");
    CHECK(row("e4m3,e5m2,none,32,64,38,3C,7F7F,7F7F,00000000,3F800000") == "t:2: 'none', not e8m0");
    CHECK(row("e4m3,e5m2,e8m0,0,64,38,3C,7F7F,7F7F,00000000,3F800000") == "t:2: '0' is not a count from 1 to 64");
    CHECK(row("e4m3,e5m2,e8m0,32,64,383,3C,7F7F,7F7F,00000000,3F800000") ==
          "t:2: '383' does not hold whole codes of 2 digits");
    CHECK(row("e4m3,e5m2,e8m0,32,64,3838,3C,7F7F,7F7F,00000000,3F800000") ==
          "t:2: a and b are not as long as each other");
    CHECK(row("e4m3,e5m2,e8m0,32,64,3800,3C00,7F7F,7F7F,00000000,3F800000") == "t:2: a product of zeros at the end");
    CHECK(row("e4m3,e5m2,e8m0,32,64,38,3C,7F,7F7F,00000000,3F800000") == "t:2: there are 2 scales");
    CHECK(row("e4m3,e5m2,e8m0,32,64,38,3C,7F7F7F,7F7F,00000000,3F800000") == "t:2: there are 2 scales");
    CHECK(row("e4m3,e5m2,e8m0,32,64,38,3C,7F7F,7F7F7F,00000000,3F800000") == "t:2: there are 2 scales");
    CHECK(row("e4m3,e5m2,e8m0,32,64,38,3c,7F7F,7F7F,00000000,3F800000") == "t:2: lower-case digits in '3c'");
    CHECK(row("e4m3,e5m2,e8m0,32,64,38,3C,7F7F,7F7F,00000000") == "t:2: fewer than 12 columns");
}

TEST_CASE("rows of products that cannot be are refused, with scales and without", "[dot]") {
    const auto refusal = [](const ProductFile& file, const std::vector<std::pair<std::size_t, std::string>>& edits) {
        const std::string text = write_products(committed(file));
        const std::size_t begin = text.find('\n') + 1;
        std::vector<std::string> fields;
        std::istringstream row(text.substr(begin, text.find('\n', begin) - begin));
        for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
        for (const auto& [field, value] : edits) fields.at(field) = value;
        std::string wrong = text.substr(0, begin);
        for (std::size_t i = 0; i < fields.size(); ++i) wrong += (i == 0 ? "" : ",") + fields[i];
        try {
            static_cast<void>(parse_products(wrong + "\n", "t", file));
        } catch (const csv::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const ProductFile scaled{&accumulator("blackwell_mxf8f6f4"), &formats::e8m0};
    const ProductFile plain{&accumulator("hopper_fp8_f32"), nullptr};
    CHECK(refusal(scaled, {}).empty());
    CHECK(refusal(plain, {}).empty());
    CHECK(refusal(scaled, {{4, "1"}, {5, "1"}, {6, "3838"}, {7, "3838"}, {8, "7F"}, {9, "7F"}}) ==
          "t:2: a and b are not as long as each other");
    CHECK(refusal(scaled, {{4, "32"}, {5, "64"}, {6, "38"}, {7, "38"}, {8, "7F7F"}, {9, "7F"}}) ==
          "t:2: there are 2 scales");
    CHECK(refusal(plain, {{4, "32"}, {5, "64"}}) == "t:2: without scales the block is the whole sum");
    CHECK(refusal(plain, {{8, "7F"}}) == "t:2: there are 0 scales");
    CHECK(refusal(plain, {{9, "7F"}}) == "t:2: there are 0 scales");
}

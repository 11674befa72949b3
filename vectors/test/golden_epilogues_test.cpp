// SPDX-License-Identifier: Apache-2.0
// Golden products with an epilogue: the committed files are what both models give, for sums of every accumulator.
#include "vectors/cases/golden_epilogues.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "vectors/cases/golden_products.hpp"
#include "vectors/tables/csv.hpp"

using namespace mxcert;

namespace {

std::filesystem::path path_of(const Epilogue& epilogue) {
    return std::filesystem::path(MXCERT_TEST_SOURCE) / "vectors" / "products" / epilogue_file(epilogue);
}

std::string text_of(const Epilogue& epilogue) { return csv::read_text(path_of(epilogue)); }

constexpr std::size_t columns_of_sum = 12; ///< those that golden products without an epilogue have

/// The columns of the sum alone.
std::string sums_of(const std::string& text) {
    std::istringstream lines(text);
    std::string sums;
    for (std::string line; std::getline(lines, line);) {
        std::size_t end = 0;
        for (std::size_t column = 0; column < columns_of_sum; ++column) end = line.find(',', end + 1);
        sums += line.substr(0, end) + "\n";
    }
    return sums;
}

} // namespace

TEST_CASE("committed products with an epilogue are what the models give", "[values][dot]") {
    for (const Epilogue& epilogue : epilogues()) {
        CAPTURE(epilogue.name);
        CHECK(text_of(epilogue) == golden_epilogue(epilogue));
    }
}

// How the files come about: vectors_test "[write_products]".
TEST_CASE("the products with an epilogue are written", "[.][write_products]") {
    for (const Epilogue& epilogue : epilogues()) {
        std::ofstream stream(path_of(epilogue), std::ios::binary);
        REQUIRE((stream << golden_epilogue(epilogue)).flush().good());
    }
}

TEST_CASE("every accumulator to FP32 has the sums that an epilogue takes", "[dot]") {
    for (const Epilogue& epilogue : epilogues()) {
        const bool nvfp4 = epilogue.factor != 0;
        std::size_t accumulators_tried = 0;
        for (const Accumulator& model : accumulators()) {
            const Format& element = nvfp4 ? formats::e2m1 : formats::e4m3;
            const Format* const scale = nvfp4 ? &formats::ue4m3 : nullptr;
            if (model.result != &formats::fp32 || !takes(model, dot_format(model, element, element, scale)) ||
                !takes_blocks(model, 16, 16))
                continue;
            CAPTURE(epilogue.name, model.name);
            // The file is read as one of another accumulator.
            Accumulator one_pair = model;
            const std::array both{&element, &element};
            one_pair.operands = both;
            const GoldenProducts golden =
                parse_products(sums_of(text_of(epilogue)), epilogue_file(epilogue), {&one_pair, scale});
            CHECK(golden.answers.size() > 20);
            CHECK(answers_of(model, golden.asked) == golden.answers);
            ++accumulators_tried;
        }
        CHECK(accumulators_tried >= 7);
    }
}

// SPDX-License-Identifier: Apache-2.0
// The order of a sum is found from its answers: that of any tree, that of accumulators, and none where there is none.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/suites/matmul/ask_sums.hpp"
#include "conformance/suites/matmul/order.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/program.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using mxcert::test::contains;

namespace {

SumNode leaf(std::size_t product) { return {product, {}}; }

std::size_t smallest(const SumNode& node) {
    if (node.parts.empty()) return node.product;
    std::size_t all = smallest(node.parts.front());
    for (const SumNode& part : node.parts) all = std::min(all, smallest(part));
    return all;
}
/// With the parts of each node in the order of their first products, as find_tree() gives them.
SumNode sorted(SumNode node) {
    for (SumNode& part : node.parts) part = sorted(std::move(part));
    std::sort(node.parts.begin(), node.parts.end(),
              [](const SumNode& a, const SumNode& b) { return smallest(a) < smallest(b); });
    return node;
}

/// Joins random parts, two or more at once, until one is left.
SumNode random_tree(std::size_t terms, SplitMix64& random) {
    std::vector<SumNode> parts;
    for (std::size_t i = 0; i < terms; ++i) parts.push_back(leaf(i));
    while (parts.size() > 1) {
        const std::size_t wanted = random.below(3) == 0 ? 2 + random.below(4) : 2;
        SumNode node;
        for (std::size_t i = 0; i < wanted && !parts.empty(); ++i) {
            const auto taken = parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size()));
            node.parts.push_back(std::move(*taken));
            parts.erase(taken);
        }
        if (node.parts.size() == 1)
            parts.push_back(std::move(node.parts.front()));
        else
            parts.push_back(std::move(node));
    }
    return sorted(std::move(parts.front()));
}

constexpr float large = 0x1p40F;

/// Two parts are added in FP32; more are aligned, so that beside a large one nothing is left of small ones.
float sum_of(const SumNode& node, const std::vector<float>& terms) {
    if (node.parts.empty()) return terms[node.product];
    std::vector<float> parts;
    for (const SumNode& part : node.parts) parts.push_back(sum_of(part, terms));
    if (parts.size() == 2) return parts[0] + parts[1];
    const bool has_large = std::any_of(parts.begin(), parts.end(), [](float x) { return std::fabs(x) >= large / 2; });
    float sum = 0;
    for (const float part : parts)
        if (!has_large || std::fabs(part) >= large / 2) sum += part;
    return sum;
}

AskPairs answers_by(const SumNode& tree, std::size_t terms) {
    return [&tree, terms](const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
        std::vector<std::optional<std::size_t>> units;
        for (const auto& [plus, minus] : pairs) {
            std::vector<float> values(terms, 1.0F);
            values[plus] = large;
            values[minus] = -large;
            units.emplace_back(static_cast<std::size_t>(sum_of(tree, values)));
        }
        return units;
    };
}

SumOrder order_of(const std::string& fault, const std::string& name, std::size_t products) {
    const auto subject = test::open_plugin(MXCERT_TEST_MULTIPLIER, fault);
    for (const Operation& operation : subject->info().operations)
        if (contains(to_string(operation), name)) return find_order(*subject, operation, products);
    FAIL("no operation " << name);
    return {};
}
std::string order_text(const SumOrder& order) { return order.tree ? text(*order.tree, order.products) : order.reason; }

} // namespace

TEST_CASE("the tree of a sum is found, whatever it is", "[identify][matmul]") {
    SplitMix64 random(7);
    for (std::size_t terms = 1; terms < 60; ++terms) {
        const SumNode tree = random_tree(terms, random);
        const std::optional<SumNode> found = find_tree(terms, answers_by(tree, terms));
        REQUIRE(found);
        CHECK(plan(*found, terms) == plan(tree, terms));
    }
}

TEST_CASE("answers of no tree have none", "[identify][matmul]") {
    const auto never = [](const auto& pairs) { return std::vector<std::optional<std::size_t>>(pairs.size()); };
    CHECK_FALSE(find_tree(8, never));
    // Nothing is lost, and more than there is.
    for (const std::size_t units : {std::size_t{6}, std::size_t{9}}) {
        const auto always = [&](const auto& pairs) {
            return std::vector<std::optional<std::size_t>>(pairs.size(), units);
        };
        CHECK_FALSE(find_tree(8, always));
    }
    // One element of D is added from the left, the next from the right.
    SumNode left = leaf(0);
    SumNode right = leaf(7);
    for (std::size_t i = 1; i < 8; ++i) {
        left = {0, {left, leaf(i)}};
        right = {0, {leaf(7 - i), right}};
    }
    std::size_t turn = 0;
    CHECK_FALSE(find_tree(8, [&](const auto& pairs) {
        std::vector<std::optional<std::size_t>> units;
        for (const auto& pair : pairs) units.push_back(answers_by(++turn % 2 == 0 ? left : right, 8)({pair}).front());
        return units;
    }));
}

TEST_CASE("the order of a sum in words and as lists", "[identify][matmul]") {
    const SumNode pairs{0, {{0, {leaf(0), leaf(1)}}, {0, {leaf(2), leaf(3)}}}};
    CHECK(text(pairs, 4) == "0 to 3 in pairs, their sums in pairs, and so on");
    CHECK(plan(pairs, 4) == "[[0,1],[2,3]]");
    const SumNode even_odd{0, {{0, {{0, {leaf(0), leaf(2)}}, leaf(4)}}, {0, {{0, {leaf(1), leaf(3)}}, leaf(5)}}}};
    CHECK(text(even_odd, 6) == "sums added: [0, 2 to 4 one after the other]; [1, 3 to 5 one after the other]");
    // c is the last number.
    const SumNode from_c{0, {{0, {{0, {leaf(0), leaf(3)}}, leaf(1)}}, leaf(2)}};
    CHECK(text(from_c, 3) == "c, 0 to 2 one after the other");
    CHECK(plan(from_c, 3) == "[[[0,\"c\"],1],2]");
    // Slices in an order of their own.
    const auto slice = [](std::size_t first) {
        return SumNode{0, {{0, {{0, {leaf(first), leaf(first + 1)}}, leaf(first + 2)}}, leaf(first + 3)}};
    };
    const SumNode slices{0, {{0, {slice(0), slice(8)}}, slice(4)}};
    CHECK(text(slices, 12) == "sums added one after the other: [0 to 3 one after the other]; [8 to 11 one after the "
                              "other]; [4 to 7 one after the other]");
}

TEST_CASE("the order in which a plugin adds is found, whatever it declares", "[identify][matmul][values]") {
    CHECK(order_text(order_of("", "-hopper_fp8_f32-", 64)) == "0 to 31, c at once, then with the sum so far: 32 to 63");
    CHECK(order_text(order_of("fp32_pairwise", "-e5m2-e4m3-none-", 32)) ==
          "0 to 31 in pairs, their sums in pairs, and so on");
    CHECK(order_text(order_of("k reversed", "-e5m2-e4m3-none-", 32)) == "31 to 0 one after the other");
    // Of long sums not every product is looked at.
    const SumOrder few = order_of("", "-e5m2-e4m3-none-", 2048);
    CHECK(few.every == 8);
    CHECK(order_text(few) == "0, 8 to 2040 one after the other");
    // Sums that are not rounded, and formats without the range.
    CHECK_THAT(order_text(order_of("", "-bf16-exact-", 32)), Catch::Contains("no product is lost beside a large one"));
    CHECK_THAT(order_text(order_of("", "-blackwell_mxf4nvf4-", 32)), Catch::Contains("too few binades"));
    CHECK_THAT(order_text(order_of("subnormal elements flushed", "-hopper_fp8_f32-", 32)),
               Catch::Contains("the smallest numbers are lost"));
}

TEST_CASE("no sums are asked for without a run", "[identify][matmul]") {
    const auto subject = test::open_plugin(MXCERT_TEST_MULTIPLIER, "crash");
    const Operation& operation = subject->info().operations.front();
    const Matmul matmul = as_matmul(operation);
    const AskedSums asked = ask_sums(*subject, operation, matmul, {matmul.format, 0, 0, {}});
    CHECK(asked.failed.status == Status::pass);
    CHECK(asked.answers.empty());
}

TEST_CASE("mxcert identify --order writes the plan of a sum", "[identify][cli][values]") {
    const TemporaryFolder folder;
    const std::string command = std::string("mxcert identify '") + MXCERT_TEST_MULTIPLIER + "' --matmul --order 4 ";
    const test::Result found = test::shell(folder.path(), command + "--filter '*hopper*' --json out.json");
    INFO(found.out << found.err);
    CHECK(found.code == 0);
    CHECK(contains(found.out, "  order of 4 products: 0 to 3, c at once\n"));
    const auto json = nlohmann::json::parse(content(folder.path() / "out.json"));
    CHECK(json.at(0).at("order").at("plan").dump() == R"([0,1,2,3,"c"])");
    const test::Result none = test::shell(folder.path(), command + "--filter '*-bf16-exact-*'");
    CHECK(none.code == 1);
    CHECK(contains(none.out, "  order of 4 products: not found: no product is lost beside a large one"));
    CHECK(test::shell(folder.path(), "mxcert identify portable --order 4").code == 2);
}

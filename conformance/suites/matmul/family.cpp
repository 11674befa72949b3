// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/family.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/suites/matmul/answers.hpp"
#include "reference/dot/accumulator_change.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t most_remaining = 4096; ///< more say nothing
constexpr std::uint64_t seed = 0x70726F6265;

/// Those that stay as they are in the model: the code of a NaN says nothing, and each of the others would multiply the
/// family by twenty.
constexpr std::array<std::string_view, 5> fixed{"NaN", "fraction bits of the sum", "fraction bits of c",
                                                "c left out when further below", "fraction bits of the result"};

bool is_varied(const AccumulatorParameter& parameter, const Accumulator& model) {
    return parameter.says(model) && std::find(fixed.begin(), fixed.end(), parameter.name) == fixed.end();
}

/// Calls see(accumulator) for each combination of the parameters from `at` on.
template <class See> void for_each_of(const Accumulator& model, std::size_t at, const See& see) {
    const auto parameters = accumulator_parameters();
    if (at == parameters.size()) return see(model);
    const AccumulatorParameter& parameter = parameters[at];
    bool has_own = false;
    if (is_varied(parameter, model))
        for (const Accumulator& other : parameter.values(model)) {
            has_own = has_own || parameter.text(other) == parameter.text(model);
            for_each_of(other, at + 1, see);
        }
    if (!has_own) for_each_of(model, at + 1, see);
}

/// Gives up at the first product that an accumulator answers otherwise, and asks the next for that one first: most
/// fail at once.
class Sieve {
  public:
    explicit Sieve(const Answers& answers) : answers_(answers), order_(answers.count()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    [[nodiscard]] bool lets_through(const Accumulator& model) {
        if (!answers_.fits(model)) return false;
        std::size_t right = 0;
        answers_.for_each(
            model, [&](std::size_t i, Code code) { return answers_.is(i, code) && ++right != order_.size(); }, order_);
        if (right == order_.size()) return true;
        const auto here = order_.begin() + static_cast<std::ptrdiff_t>(right);
        std::rotate(order_.begin(), here, here + 1);
        return false;
    }

  private:
    const Answers& answers_;
    std::vector<std::size_t> order_;
};

} // namespace

Family family_of(const Accumulator& model, const Answers& answers) {
    Family family;
    Sieve sieve(answers);
    const auto take = [&](const Accumulator& accumulator) {
        ++family.tried;
        family.has_more = family.remain.size() == most_remaining;
        if (!family.has_more && sieve.lets_through(accumulator)) family.remain.push_back(accumulator);
    };
    for_each_of(model, 0, take);
    if (is_aligned(model)) return family;
    const auto known = accumulators();
    const auto aligned = std::find_if(known.begin(), known.end(), [&](const Accumulator& accumulator) {
        return accumulator.sum == GroupSum::aligned && answers.fits(accumulator);
    });
    if (aligned != known.end()) for_each_of(*aligned, 0, take);
    return family;
}

DotCases parting_products(Family& family, const Answers& answers) {
    const DotCases& asked = answers.cases();
    DotCases products =
        drawn_products(asked.format, asked.block_a, asked.block_b, asked.cases.front().a.size(), answers.has_c(), seed);
    family.drawn = products.cases.size();
    std::vector<bool> parts(products.cases.size());
    std::vector<Code> first;
    const std::vector<Code> none(products.cases.size());
    const Answers drawn(products, answers.output(), answers.has_c(), none);
    for (const Accumulator& accumulator : family.remain) {
        const bool is_first = first.empty();
        drawn.for_each(accumulator, [&](std::size_t i, Code code) {
            if (is_first)
                first.push_back(code);
            else if (!same(answers.output(), first[i], code))
                parts[i] = true;
            return true;
        });
    }
    std::vector<DotCase> kept;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i]) kept.push_back(std::move(products.cases[i]));
    products.cases = std::move(kept);
    family.probes = products.cases.size();
    return products;
}

void keep_those_that_give(Family& family, const Answers& answers) {
    Sieve sieve(answers);
    std::erase_if(family.remain, [&](const Accumulator& accumulator) { return !sieve.lets_through(accumulator); });
}

std::vector<std::string> open_parameters(const Family& family) {
    std::vector<std::string> open;
    for (const AccumulatorParameter& parameter : accumulator_parameters()) {
        std::vector<std::string> values;
        for (const Accumulator& accumulator : family.remain) {
            const std::string text = parameter.says(accumulator) ? parameter.text(accumulator) : "none";
            if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
        }
        if (values.size() > 1) open.push_back(fmt::format("{}: {}", parameter.name, fmt::join(values, " or ")));
    }
    return open;
}

} // namespace mxcert::suites

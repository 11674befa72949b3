// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_generate.hpp"

#include <algorithm>
#include <array>

#include "conformance/inputs/draw.hpp"

namespace mxcert::fuzz {
namespace {

std::uint32_t random_word(SplitMix64& random, unsigned bits) {
    if (bits == 0) return 0;
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    switch (random.below(4)) {
    case 0: return 0;
    case 1: return mask;
    case 2: {
        const std::uint32_t power = std::uint32_t{1} << random.below(bits); // a draw a statement: the order counts
        return power - static_cast<std::uint32_t>(random.below(2));
    }
    default: return static_cast<std::uint32_t>(random()) & mask;
    }
}

std::size_t draw_size(SplitMix64& random) {
    struct Sizes {
        std::size_t first;
        std::size_t last;
    };
    // Around the widths of vector units, their tails, and now and then a call as large as they come.
    constexpr std::array sizes{Sizes{1, 1}, Sizes{2, 16}, Sizes{17, 160}, Sizes{161, 1100}, Sizes{4095, 4096}};
    const Sizes& chosen = sizes[inputs::draw<sizes.size()>(random, {1, 4, 8, 4, 1})];
    return chosen.first + random.below(chosen.last - chosen.first + 1);
}

void order(SplitMix64& random, std::vector<FuzzValue>& values) {
    const auto less = [](const FuzzValue& a, const FuzzValue& b) { return a.input < b.input; };
    switch (inputs::draw<4>(random, {6, 1, 1, 2})) {
    case 1: std::stable_sort(values.begin(), values.end(), less); break;
    case 2: std::stable_sort(values.rbegin(), values.rend(), less); break;
    case 3: // one value everywhere but at one place
        std::fill(values.begin() + 1, values.end(), FuzzValue(values.front()));
        if (values.size() > 1) values[random.below(values.size())].input ^= 1;
        break;
    default: break; // as they came
    }
}

} // namespace

FuzzGenerator::FuzzGenerator(const Conversion& conversion, std::vector<Code> firsts, std::uint64_t seed)
    : conversion_(conversion), firsts_(std::move(firsts)), seed_(seed) {
    if (firsts_.empty()) firsts_.push_back(0);
}

FuzzCase FuzzGenerator::operator()(std::uint64_t number) const {
    const Format& from = *conversion_.from;
    SplitMix64 random(SplitMix64::at(seed_, number));
    FuzzCase fuzz_case;
    fuzz_case.conversion = conversion_;
    const std::size_t size = draw_size(random);
    fuzz_case.values.reserve(size);
    while (fuzz_case.values.size() < size) {
        FuzzValue value;
        const auto earlier = [&] {
            return fuzz_case.values.empty() ? Code{0} : fuzz_case.values[random.below(fuzz_case.values.size())].input;
        };
        switch (inputs::draw<7>(random, {8, 2, 3, 3, 2, 1, 1})) {
        case 0: value.input = inputs::draw_near(random, firsts_[random.below(firsts_.size())], from); break;
        case 1: value.input = inputs::draw_special(random, from); break;
        case 2: value.input = inputs::draw_binade_edge(random, from); break;
        case 3: value.input = random() & from.last_code(); break;
        case 4: value.input = inputs::draw_sparse(random, from); break;
        case 5: value.input = earlier(); break;
        default:
            value.input = earlier();
            value.input ^= Code{1} << random.below(static_cast<std::uint64_t>(from.width()));
            break;
        }
        value.random = random_word(random, conversion_.random_bits);
        fuzz_case.values.push_back(value);
    }
    order(random, fuzz_case.values);
    if (random.below(2) == 0) fuzz_case.batch = 1 + random.below(fuzz_case.values.size());
    if (random.below(2) == 0) fuzz_case.shift = static_cast<unsigned>(random.below(max_case_shift + 1));
    return fuzz_case;
}

} // namespace mxcert::fuzz

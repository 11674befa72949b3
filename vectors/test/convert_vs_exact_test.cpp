// SPDX-License-Identifier: Apache-2.0
// The fast model equals the exact one: at every step boundary and two neighbours either side for everything it offers,
// on every input of the 16-bit sources, and (hidden, it takes a minute) on all 2^32 FP32 inputs.
#include <cstring>
#include <set>
#include <vector>

#include "catch.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/test/convert_pairs.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

std::size_t count_differences(const Format& from, const Format& to, const Choices& c, const std::set<Code>& codes) {
    std::size_t differences = 0;
    for (const Code code : codes) {
        const Code expected = exact::convert(from, to, c, code).code;
        const Code answer = fast::convert(from, to, c, code);
        if (answer == expected) continue;
        if (++differences == 1) {
            UNSCOPED_INFO(from.name << " to " << to.name << ", " << describe(c) << ", code " << code << ": fast "
                                    << answer << ", exact " << expected);
        }
    }
    return differences;
}

/// The first and last code of every step, with two codes either side.
std::set<Code> boundaries(const StepTable& table) {
    std::set<Code> codes;
    for (const Step& step : table.steps) {
        for (const Code end : {step.first, step.last}) {
            for (Code i = 0; i < 5; ++i) codes.insert((end + i - 2) & table.from->last_code());
        }
    }
    return codes;
}

/// The codes where choices other than rounding can matter: the boundaries where the exact model changes the rule it
/// applies, and one code of each range between them.
std::set<Code> rule_boundaries(const Format& from, const Format& to, Rounding rounding) {
    Choices c;
    c.rounding = rounding;
    c.overflow = Overflow::nosat;
    std::set<Code> codes;
    Rule before = Rule::value;
    for (const Code code : boundaries(tabulate(from, to, c))) {
        const Rule rule = exact::convert(from, to, c, code).rule;
        if (rule == before && !codes.empty()) continue;
        before = rule;
        for (Code i = 0; i < 5; ++i) codes.insert((code + i - 2) & from.last_code());
    }
    return codes;
}

/// Runs of equal codes that convert_span gives for inputs in ascending order.
class Observed {
  public:
    void add(Code first, const std::vector<std::uint8_t>& codes, std::size_t count) {
        const bool one_code = std::memcmp(codes.data(), codes.data() + 1, count - 1) == 0;
        if (one_code && !steps_.empty() && steps_.back().code == codes[0]) return;
        for (std::size_t i = 0; i < count; ++i) {
            if (!steps_.empty() && steps_.back().code == codes[i]) continue;
            if (!steps_.empty()) steps_.back().last = first + i - 1;
            steps_.push_back({first + i, 0, codes[i]});
        }
    }
    std::vector<Step> finish(Code last) {
        steps_.back().last = last;
        return std::move(steps_);
    }

  private:
    std::vector<Step> steps_;
};

/// What convert_span does on every input of a source of 16 or 32 bits.
template <class Stored> std::vector<Step> observe(const Format& from, const Format& to, const Choices& c) {
    constexpr std::size_t chunk = 65536;
    std::vector<Stored> in(chunk);
    std::vector<std::uint8_t> out(chunk);
    Observed observed;
    for (Code first = 0; first <= from.last_code(); first += chunk) {
        for (std::size_t i = 0; i < chunk; ++i) in[i] = static_cast<Stored>(first + i);
        fast::convert_span(from, to, c, in.data(), nullptr, out.data(), chunk);
        observed.add(first, out, chunk);
    }
    return observed.finish(from.last_code());
}

} // namespace

TEST_CASE("the fast model equals the exact one at every step boundary and beside it", "[values]") {
    for_each_pair([](const Format& from, const Format& to) {
        if (from.width() <= 8) return; // every input, in the tests of the model itself
        for (unsigned rounding = 0; rounding <= static_cast<unsigned>(Rounding::to_odd); ++rounding) {
            Choices c;
            c.rounding = static_cast<Rounding>(rounding);
            c.overflow = Overflow::nosat;
            REQUIRE(count_differences(from, to, c, boundaries(tabulate(from, to, c))) == 0);
        }
    });
}

TEST_CASE("the fast model equals the exact one for every combination of choices", "[values]") {
    for_each_pair([](const Format& from, const Format& to) {
        if (from.width() <= 8) return;
        std::vector<std::set<Code>> codes;
        for (unsigned rounding = 0; rounding <= static_cast<unsigned>(Rounding::to_odd); ++rounding)
            codes.push_back(rule_boundaries(from, to, static_cast<Rounding>(rounding)));
        for_each_choices(to, true, [&](const Choices& c) {
            REQUIRE(count_differences(from, to, c, codes[static_cast<std::size_t>(c.rounding)]) == 0);
        });
    });
}

TEST_CASE("the fast model equals the step table on every input of 16-bit sources", "[values]") {
    for (const Format* from : {&fp16, &bf16}) {
        for (const Format* to : {&e4m3, &e5m2, &e8m0}) {
            for_each_choices(*to, false, [&](const Choices& c) {
                INFO(from->name << " to " << to->name << ", " << describe(c));
                REQUIRE(observe<std::uint16_t>(*from, *to, c) == tabulate(*from, *to, c).steps);
            });
        }
    }
}

TEST_CASE("the fast model equals the exact one on every input of 16-bit sources", "[.][exhaustive]") {
    for (const Format* from : {&fp16, &bf16}) {
        std::set<Code> codes;
        for (Code code = 0; code <= from->last_code(); ++code) codes.insert(codes.end(), code);
        for (const Format* to : {&e4m3, &e5m2, &e8m0})
            for_each_choices(*to, false,
                             [&](const Choices& c) { REQUIRE(count_differences(*from, *to, c, codes) == 0); });
    }
}

TEST_CASE("the fast model equals the exact one at every boundary, every combination of choices", "[.][exhaustive]") {
    for_each_pair([](const Format& from, const Format& to) {
        if (from.width() <= 8) return;
        std::vector<std::set<Code>> codes;
        for (unsigned rounding = 0; rounding <= static_cast<unsigned>(Rounding::to_odd); ++rounding) {
            Choices c;
            c.rounding = static_cast<Rounding>(rounding);
            c.overflow = Overflow::nosat;
            codes.push_back(boundaries(tabulate(from, to, c)));
        }
        for_each_choices(to, true, [&](const Choices& c) {
            REQUIRE(count_differences(from, to, c, codes[static_cast<std::size_t>(c.rounding)]) == 0);
        });
    });
}

TEST_CASE("the fast model equals the step table on all 2^32 FP32 inputs", "[.][exhaustive]") {
    for (const Format* to : {&e4m3, &e5m2, &e8m0}) {
        for (const Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero}) {
            for (const Overflow overflow : {Overflow::sat, Overflow::nosat}) {
                Choices c;
                c.rounding = rounding;
                c.overflow = overflow;
                INFO(to->name << ", " << describe(c));
                REQUIRE(observe<std::uint32_t>(fp32, *to, c) == tabulate(fp32, *to, c).steps);
            }
        }
    }
}

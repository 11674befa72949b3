// SPDX-License-Identifier: Apache-2.0
// The amaxes of the golden traces.
#include "reference/base/random.hpp"
#include "reference/recipe/tensor_recipe.hpp"
#include "vectors/cases/trace.hpp"

namespace mxcert {
namespace {

constexpr Code largest = 0x7F7FFFFF;
constexpr Code inf = 0x7F800000;
constexpr Code nan = 0x7FC00000;

/// Amaxes for histories of up to eight. The comments say what each part tells apart.
std::vector<Code> amaxes_of_short_histories() {
    std::vector<Code> amaxes{
        0x40400000, 0x3FC00000, 0x41200000, 0x40E9999A, 0x41200000, // 3, 1.5, 10, 7.3, 10: a tie with the maximum
        0x3DCCCCCD, 0x40000000, 0x3FFFFFFF, 0x43E00000, 0x47600000, // 0.1, 2, the one below, 448, 57344
        0x40B00000, 0x40880000, 0x40533333, 0x400CCCCD, 0x3F8CCCCD, // falling: the maximum leaves the history
        0x3F333333, 0x3E99999A, 0x3E4CCCCD, 0x3DCCCCCD, 0x3D4CCCCD, 0, 0x3E99999A, 0, 0,
        0, // zeros, one alone and then more than are remembered
        0, 0, 0, 0, 0, 0x3F666666, 0x3F333333, nan, 0x3FA66666, 0x402CCCCD, // a NaN, then more than are remembered
        nan, nan, nan, nan, nan, nan, nan, nan, nan, 0x3F19999A, inf, 0x3FD9999A, 0x3E4CCCCD, 0x40A33333,
        0x40D33333, // an Inf, until it is
                    // forgotten
        0x40F66666, 0x40600000, 0x40200000, 0x3FE00000, 0x3F000000};
    const auto more = [&](std::initializer_list<Code> codes, int times) {
        for (int i = 0; i < times; ++i) amaxes.insert(amaxes.end(), codes);
    };
    // So small that an inverse scale leaves binary32: all of them, then those with a margin, of E4M3 and of E5M2.
    more({0x00000001, 0x00000003, 0x00400000}, 3);
    more({0x03A80000, 0x03B00000, 0x03DFFFFF, 0x03E00000, 0x03E00001}, 2);
    more({0x07400000, 0x07600000, 0x07600001}, 3);
    more({0x2B0CBCCC, 0x2B8CBCCB, 0x2B8CBCCC}, 3); // around 1e-12
    more({largest, 0x3F800000, 0x7F000000}, 3);    // with a factor beyond binary32
    SplitMix64 random(1);
    for (int i = 0; i < 32; ++i) {
        if (i == 16) {
            amaxes.push_back(inf);
            continue;
        }
        const Code exponent = 119 + random.below(16);
        amaxes.push_back(exponent << 23U | (random() & 0x7FFFFF));
    }
    return amaxes;
}

/// The same, and what is too short there for a history that only takes every second or third step: a NaN that falls on
/// one, zeros and NaNs for longer than the history.
std::vector<Code> amaxes_of_remember_intervals() {
    std::vector<Code> amaxes = amaxes_of_short_histories();
    while (amaxes.size() % 6 != 0) amaxes.push_back(0x3F800000);
    const auto last = [&](Code code, int times) { amaxes.insert(amaxes.end(), static_cast<std::size_t>(times), code); };
    for (const Code code : {Code{0x40A00000}, nan, Code{0x3F800000}, Code{0}, nan, Code{0x40000000}, inf}) {
        last(code, 1);
        last(0x3F000000, 5);
    }
    last(0, 15);
    last(0x40400000, 3);
    last(nan, 15);
    last(0x3FC00000, 3);
    return amaxes;
}

/// Amaxes for a history of 1024: a maximum that is forgotten, then a second one.
std::vector<Code> amaxes_of_a_long_history() {
    SplitMix64 random(2);
    std::vector<Code> amaxes;
    for (int i = 0; i < 1060; ++i) amaxes.push_back(Code{127} << 23U | (random() & 0x7FFFFF));
    amaxes[3] = 0x44610000;  // 900
    amaxes[10] = 0x43960000; // 300
    amaxes[20] = 0;
    amaxes[30] = nan;
    return amaxes;
}

std::vector<TraceCase> make_cases() {
    std::vector<TraceCase> cases;
    for (const recipe::TensorRecipe& tensor_recipe : recipe::tensor_recipes()) {
        const bool long_history = tensor_recipe.choices.length > 16;
        const bool skips = tensor_recipe.choices.remember_interval > 1;
        cases.push_back({tensor_recipe.name, tensor_recipe.choices,
                         long_history ? amaxes_of_a_long_history()
                         : skips      ? amaxes_of_remember_intervals()
                                      : amaxes_of_short_histories()});
    }
    return cases;
}

} // namespace

std::span<const TraceCase> trace_cases() {
    static const std::vector<TraceCase> cases = make_cases();
    return cases;
}

const TraceCase& trace_case(std::string_view name) {
    const auto at = &recipe::tensor_recipe(name) - recipe::tensor_recipes().data();
    return trace_cases()[static_cast<std::size_t>(at)];
}

} // namespace mxcert

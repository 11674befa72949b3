// SPDX-License-Identifier: Apache-2.0
// Hidden: accumulators against what another program made of the same operands, from the file that the environment
// variable MXCERT_ACCUMULATOR_CASES names. A line is a case, its fields apart by blanks: the accumulator, the formats
// of a, of b and of the scales, the elements of a block, a, b, the scales of a and of b, c and the result. Codes are
// hexadecimal, those of a list apart by commas; "-" stands for no scales.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/fast/accumulate.hpp"

using namespace mxcert;

namespace {

std::vector<Code> codes(const std::string& list) {
    std::vector<Code> all;
    std::istringstream in(list == "-" ? "" : list);
    for (std::string code; std::getline(in, code, ',');) all.push_back(std::stoull(code, nullptr, 16));
    return all;
}

struct Tally {
    std::size_t cases = 0;
    std::size_t different = 0;
    std::size_t other_nan = 0;
    double seconds = 0;
};

} // namespace

TEST_CASE("accumulators agree with another program", "[.][peer]") {
    const char* const path = std::getenv("MXCERT_ACCUMULATOR_CASES");
    if (path == nullptr) FAIL("MXCERT_ACCUMULATOR_CASES names no file");
    std::ifstream in(path);
    std::map<std::string, Tally> tallies;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string name, a_format, b_format, scale, a, b, scales_a, scales_b, c, result;
        std::size_t block = 0;
        if (!(fields >> name >> a_format >> b_format >> scale >> block >> a >> b >> scales_a >> scales_b >> c >>
              result))
            FAIL("not a case: " << line);
        const Accumulator& model = accumulator(name);
        const DotFormat format = dot_format(model, mxcert::format(a_format), mxcert::format(b_format),
                                            scale == "-" ? nullptr : &mxcert::format(scale));
        const std::vector<Code> of_a = codes(a), of_b = codes(b), of_sa = codes(scales_a), of_sb = codes(scales_b);
        const DotOperands operands{of_a, of_b, of_sa, of_sb, block, block, std::stoull(c, nullptr, 16)};
        const Code theirs = std::stoull(result, nullptr, 16);
        Tally& tally = tallies[name];
        const auto start = std::chrono::steady_clock::now();
        const Code ours = fast::accumulate(model, format, operands);
        tally.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        ++tally.cases;
        if (tally.cases % 64 == 0) REQUIRE(exact::accumulate(model, format, operands) == ours);
        if (ours == theirs) continue;
        if (model.result->is_nan(ours) && model.result->is_nan(theirs)) {
            ++tally.other_nan;
            continue;
        }
        if (++tally.different <= 3) std::cout << "ours " << std::hex << ours << std::dec << ": " << line << '\n';
    }
    std::size_t different = 0;
    for (const auto& [name, tally] : tallies) {
        std::cout << name << ": " << tally.cases << " cases, " << tally.different << " differ, " << tally.other_nan
                  << " by the code of NaN alone, " << tally.seconds * 1e9 / static_cast<double>(tally.cases)
                  << " ns each\n";
        different += tally.different;
    }
    CHECK_FALSE(tallies.empty());
    CHECK(different == 0);
}

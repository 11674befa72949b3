// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/verdict/exit_code.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

std::vector<verdict::Row> certify_with(const std::string& fault, const std::string& profile = "ocp-sat",
                                       const std::string& filter = "*", Level level = Level::smoke) {
    return test::certify_plugin(MXCERT_TEST_QUANTIZER, fault, profile, filter, 0, level);
}

verdict::Row row_of(const std::vector<verdict::Row>& rows, const std::string& part) {
    const auto at =
        std::find_if(rows.begin(), rows.end(), [&](const verdict::Row& row) { return row.id.ends_with(part); });
    REQUIRE(at != rows.end());
    return *at;
}

} // namespace

TEST_CASE("a quantizer without a fault passes every row", "[operation][values]") {
    const std::vector<verdict::Row> rows = certify_with("", "ocp-sat", "*", Level::quick);
    CHECK(rows.size() == 5); // three of quantize by the rule that the profile judges, two of dequantize
    for (const verdict::Row& row : rows) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
        CHECK(row.compared > 1'000);
        CHECK(row.repeated == row.compared);
        CHECK(row.observed_sha256.size() == 64);
    }
    CHECK(verdict::exit_code(rows) == 0);
}

TEST_CASE("each fault in what joins values to blocks is caught and said", "[operation][values]") {
    struct Planted {
        const char* fault;
        const char* row;
        const char* says; ///< of the first wrong block
        const char* bug_class;
        const char* how;
        Level level = Level::smoke;
    };
    static const Planted planted[] = {
        {"without lane 0", "row-32/blocks", "the largest value in lane 0, block 0: the scale is 0x77, not 0xF6",
         "AMAX_LANES", "the amax without the first lane"},
        {"without last lane", "row-32/blocks", "the largest value in lane 31, block 0: the scale is 0x77, not 0xF6",
         "AMAX_LANES", "the amax without the last lane"},
        {"without abs", "row-32/blocks", "-the largest value in lane 0, block 0: the scale is 0x77, not 0xF6",
         "AMAX_SIGN", "the amax without negative values"},
        {"sign kept", "row-32/blocks", "the largest value in lane 0, block 0: the scale is 0x77, not 0xF6", "AMAX_SIGN",
         "the amax of codes with their sign"},
        {"down the column", "row-32/blocks", "the largest subnormal in lane 1, block 0: the scale is 0xF6, not 0x77",
         "WRONG_AXIS", "the amax across the lines"},
        {"first of line", "row-32/blocks", "blocks that fall in size: line 0, block 1: the scale is 0x7B, not 0x7A",
         "AMAX_LANES", "the amax of the first block of the line", Level::quick},
        {"never reset", "row-32/blocks", "a special value in each lane: -0 in lane 0, block 0: the scale is 0xFE",
         "AMAX_LANES", "the amax of all blocks so far"},
        {"of the block before", "row-32/blocks", "a special value in each lane: NaN in lane 0, block 0: the scale is",
         "OOB_SCALE", "the amax of the block before"},
        {"tail reads back", "row-32/blocks", "a tail of 1: line 1, block 1: the scale is 0x77, not 0x74", "AMAX_LANES",
         "the amax of a tail with values before it"},
        {"tail shares", "row-32/blocks", "a tail of 1: line 0, block 1: the scale is 0x77, not 0x7A", "OOB_SCALE",
         "the previous block's amax in a tail", Level::quick},
        {"scales transposed", "row-32/blocks", "blocks that fall in size: line 0, block 1: the scale is", "WRONG_AXIS",
         "the scale matrix transposed", Level::quick},
        {"another scale inside", "row-32/blocks", "under the scale", "SCALE_USED_IS_NOT_STORED",
         "elements by another scale than the one given out"},
        {"lanes swapped", "row-32/blocks", "the maximum in each lane: lane 0, positive, block 0: lane 0 (",
         "LANES_EXCHANGED", "neighbouring lanes exchanged", Level::quick},
        {"lanes 6 and 7 swapped", "row-32/blocks", "lane 0, positive, block 0: lane 6 (0xBFDB7B66) is 0xD3",
         "LANES_EXCHANGED", "lanes 6 and 7 exchanged", Level::quick},
        {"compared by fewer bits", "row-32/blocks", "", "AMAX_COMPARED",
         "the first of the largest without the highest bit of the exponent as the amax", Level::quick},
        {"tail shares", "fp32-row-32/blocks", "a tail of 1: line 0, block 1: lane 0 (0x33 under the scale", "OOB_SCALE",
         "the previous block's scale in a tail"},
        {"first of line", "fp32-row-32/blocks", "lines of several blocks: line 0, block 1: lane 0", "OOB_SCALE",
         "the scale of the first block of the line", Level::quick},
        {"scales transposed", "fp32-row-32/blocks", "lines of several blocks: line 0, block 1: lane 0", "WRONG_AXIS",
         "the scale matrix transposed", Level::quick},
        {"lanes swapped", "fp32-row-32/blocks", "lines of several blocks: line 0, block 0: lane 0", "LANES_EXCHANGED",
         "neighbouring lanes exchanged", Level::quick},
    };
    for (const Planted& this_planted : planted) {
        INFO(this_planted.fault << " in " << this_planted.row);
        const std::vector<verdict::Row> rows =
            certify_with(this_planted.fault, "ocp-sat",
                         (std::string_view(this_planted.row).starts_with("row") ? "quantize-*" : "*") +
                             std::string(this_planted.row),
                         this_planted.level);
        const verdict::Row row = row_of(rows, this_planted.row);
        CHECK(row.status == Status::fail);
        CHECK(row.differing > 0);
        REQUIRE_FALSE(verdict::wrong_of(row).empty());
        CHECK(verdict::wrong_of(row).size() <= 5);
        CHECK_THAT(verdict::wrong_of(row).front(), Contains(this_planted.says));
        REQUIRE(row.known_as.size() == 1);
        CHECK(row.known_as.front().bug_class->id == this_planted.bug_class);
        CHECK(row.known_as.front().how == this_planted.how);
        CHECK_THAT(row.reason, EndsWith(std::string("; cause: ") + this_planted.how));
        CHECK(verdict::exit_code(rows) == 1);
    }
}

TEST_CASE("what depends on earlier blocks is right where all blocks are equal", "[operation][values]") {
    const verdict::Row row =
        row_of(certify_with("elements by the scale of the step before", "ocp-sat", "*/blocks"), "row-32/blocks");
    CHECK(row.status == Status::fail);
    REQUIRE(row.known_as.size() == 1);
    CHECK(row.known_as.front().bug_class->id == "NEIGHBOUR_MIXED");
    // One that is wrong whatever lies beside it is none.
    const verdict::Row flushed = row_of(certify_with("subnormals flushed", "ocp-sat", "*/blocks"), "row-32/blocks");
    CHECK(flushed.status == Status::fail);
    CHECK(flushed.known_as.empty());
}

TEST_CASE("registers of a pipeline that are read in the wrong step are named", "[operation][values]") {
    const auto [fault, how] = GENERATE(table<std::string, std::string>({
        {"the answer of the next block in the place of some", "the answer of the next block in the place of some"},
        {"the scale of the block before where its own is smaller",
         "the scale of the block before where its own is smaller"},
        {"lane 31 with the value of lane 0 of the block before",
         "lane 31 with the value of lane 0 of the block before"},
        // Its answers change when asked again.
        {"lane 31 with a register that is never cleared", "lane 31 with the value of lane 0 of the block before"},
        {"lane 5 with the value of lane 4 of its block", "lane 5 with the value of lane 4 of its block"},
    }));
    CAPTURE(fault);
    const verdict::Row row = row_of(certify_with(fault, "ocp-sat", "*/blocks"), "row-32/blocks");
    CHECK(row.status == Status::fail);
    REQUIRE(row.known_as.size() == 1);
    CHECK(row.known_as.front().how == how);
}

TEST_CASE("a fault that only an element shows is caught by the elements", "[operation][values]") {
    const verdict::Row row = row_of(certify_with("subnormals flushed", "ocp-sat", "*/elements"), "/elements");
    CHECK(row.status == Status::fail);
    REQUIRE_FALSE(verdict::differences_of(row).empty());
    CHECK(verdict::differences_of(row).front().clause == "MX-ELEMENT");
}

TEST_CASE("what a profile leaves open passes, and what it does not fails", "[operation][values]") {
    // K3 and K4: OCP says nothing of NaN and Inf in a block, Transformer Engine does.
    CHECK(verdict::exit_code(certify_with("NaN propagates", "ocp-sat", "*/blocks")) == 0);
    CHECK(verdict::exit_code(certify_with("Inf ignored", "ocp-sat", "*/blocks")) == 0);
    // Under a NaN scale every value is NaN, whatever its element (MX 5.1).
    CHECK(verdict::exit_code(certify_with("NaN propagates, zeros", "ocp-sat", "*/blocks")) == 0);
    CHECK(verdict::exit_code(certify_with("", "nvidia-te", "*row-32/*")) == 0);
    CHECK(
        row_of(certify_with("NaN propagates", "nvidia-te", "*/scale"), "rceil-nearest_even-sat-row-32/scale").status ==
        Status::pass);
    const std::vector<verdict::Row> nan = certify_with("NaN propagates", "nvidia-te", "*/blocks");
    const verdict::Row blocks = row_of(nan, "rceil-nearest_even-sat-row-32/blocks");
    CHECK(blocks.status == Status::fail);
    CHECK_THAT(verdict::wrong_of(blocks).front(),
               Contains("a special value in each lane: NaN in lane 0, block 0: the scale is 0xFF"));
    REQUIRE(blocks.known_as.size() == 1);
    CHECK(blocks.known_as.front().how == "amax_nan=propagated");
    CHECK(blocks.known_as.front().bug_class->id == "AMAX_NAN_DROPPED");
    const verdict::Row left_out =
        row_of(certify_with("Inf ignored", "nvidia-te", "*/blocks"), "rceil-nearest_even-sat-row-32/blocks");
    REQUIRE(left_out.known_as.size() == 1);
    CHECK(left_out.known_as.front().how == "amax_inf=left_out");
    CHECK(left_out.known_as.front().bug_class->id == "AMAX_INF");
    const std::vector<verdict::Row> inf = certify_with("Inf ignored", "nvidia-te", "*/scale");
    CHECK(row_of(inf, "rceil-nearest_even-sat-row-32/scale").status == Status::fail);
    // Shapes that do not divide may be refused, and the row says which were; others may not.
    const verdict::Row tails = row_of(certify_with("refuses tails", "ocp-sat", "*/blocks"), "sat-row-32/blocks");
    CHECK(tails.status == Status::pass);
    CHECK_THAT(tails.reason, Contains("refused, as it may: a tail of 1; a tail of 16; a tail of 31"));
    const std::vector<verdict::Row> refused = certify_with("refuses all");
    for (const char* part : {"/scale", "/elements", "sat-row-32/blocks"})
        CHECK(row_of(refused, part).status == Status::unsupported);
}

TEST_CASE("a wrong layout is caught and named", "[operation][values]") {
    const verdict::Row right =
        row_of(certify_with("", "nvidia-te", "layout*", Level::quick), "layout-swizzle_128x4-arrange/places");
    CHECK(right.status == Status::pass);
    CHECK(right.compared > 1'000'000);
    struct Planted {
        const char* fault;
        const char* says;
        const char* bug_class;
    };
    for (const Planted& planted : {Planted{"not swizzled", "cause: not_arranged", "ROWMAJOR_VS_SWIZZLED"},
                                   Planted{"swizzled twice", "cause: twice", "LAYOUT_MISMATCH"},
                                   Planted{"padded with 7F", "cause: right, padded with 0x7F", "PADDED_SCALES_GARBAGE"},
                                   Planted{"one byte lost", "bytes in wrong places", ""}}) {
        INFO(planted.fault);
        const verdict::Row row =
            row_of(certify_with(planted.fault, "nvidia-te", "layout*"), "layout-swizzle_128x4-arrange/places");
        CHECK(row.status == Status::fail);
        CHECK(row.differing > 0);
        CHECK_THAT(row.reason, Contains(planted.says));
        REQUIRE_FALSE(verdict::wrong_of(row).empty());
        CHECK((row.known_as.empty() ? "" : row.known_as.front().bug_class->id) == planted.bug_class);
    }
}

TEST_CASE("a quantizer that misbehaves is no success", "[operation]") {
    const std::vector<verdict::Row> rows = certify_with("crash");
    for (const char* part : {"/scale", "/elements", "/blocks", "/values"}) {
        const verdict::Row crashed = row_of(rows, part);
        CHECK(crashed.status == Status::error);
        CHECK_THAT(crashed.reason, Contains("SIGABRT"));
    }
    const verdict::Row beyond = row_of(certify_with("out of bounds", "ocp-sat", "*/scale"), "/scale");
    CHECK(beyond.status == Status::error);
    CHECK_THAT(beyond.reason, Contains("wrote outside its output 0"));
    const verdict::Row unwritten = row_of(certify_with("last not written", "ocp-sat", "*/scale"), "/scale");
    CHECK(unwritten.status == Status::mistrusted);
    CHECK_THAT(unwritten.reason, Contains("value 31 of the ") && Contains(" of output 0 still has the poison 0x"));
}

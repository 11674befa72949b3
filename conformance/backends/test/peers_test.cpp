// SPDX-License-Identifier: Apache-2.0
// Implementations that others wrote, as they are: what agrees with the profiles, and exactly how much does not.
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/backends/backends.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/test/absent.hpp"
#include "vectors/base/sha256.hpp"

using namespace mxcert;

namespace {

struct Peer {
    const char* name;
    std::size_t conversions; ///< that it offers
    std::vector<std::string> filters;
    std::size_t rows; ///< of the run below
    /// Inputs that differ from the first and from the second of its own profiles; every other row passes.
    std::map<std::string, std::vector<std::uint64_t>> differing;
};

const std::vector<Peer> peers = {
    {"apfloat", 96, {"fp16-*", "bf16-*", "e*-*", "fp64-e4m3-nearest_even-nosat"}, 86, {}},
    // The casts from FP64 round to FP32 first; every tie of E8M0 goes up.
    {"ml_dtypes",
     76,
     {"fp16-*", "bf16-*", "e*-*", "fp64-e4m3-nearest_even-nosat"},
     100,
     {{"fp64-e4m3-nearest_even-nosat", {12'215, 12'215}},
      {"fp16-e8m0-nearest_even-nosat", {20, 20}},
      {"bf16-e8m0-nearest_even-nosat", {127, 127}}}},
    // Codes of E8M0 that do not fit, and FP16 that overflows on the way.
    {"gfloat",
     152,
     {"fp16-e?m?-nearest_even-sat", "?f16-e8m0-nearest_even-*", "?p16-e8m0-nearest_even-*", "e4m3-*-nearest_even-*",
      "fp64-e4m3-nearest_even-nosat"},
     26,
     {{"fp16-e8m0-nearest_even-sat", {16'876, 16'876}},
      {"fp16-e8m0-nearest_even-nosat", {16'876, 16'876}},
      {"bf16-e8m0-nearest_even-sat", {16'111, 16'088}},
      {"bf16-e8m0-nearest_even-nosat", {16'111, 16'088}}}},
};

/// Each is a test case of its own, so that one which is not here hides nothing of the others.
/// `filters`: in the place of those of the table, which take long, with so many rows.
void check(const std::string& name, const std::vector<std::string>& filters = {}, std::size_t filtered = 0) {
    const auto peer = std::find_if(peers.begin(), peers.end(), [&](const Peer& p) { return p.name == name; });
    REQUIRE(peer != peers.end());
    const observe::BackendSpec spec = observe::resolve_backend(name);
    if (test::absent(spec.kind == observe::BackendSpec::Kind::missing, name)) return;
    observe::ObserveOptions observing;
    observing.level = Level::quick;
    const auto subject = subjects::open_subject(spec, observing);
    CHECK(subject->info().conversions.size() == peer->conversions);
    CHECK(subject->info().unknown.empty());
    // A script is a few lines; what it calls is part of the build.
    CHECK((subject->info().build_id == sha256_file(spec.path)) == (spec.kind == observe::BackendSpec::Kind::plugin));
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.level = Level::quick;
    options.filters = filters.empty() ? peer->filters : filters;
    const certify::Plan plan = certify::make_plan(*subject, options, golden);
    REQUIRE(plan.profiles.size() == 2);
    CHECK(plan.profiles[0]->name == (name == "apfloat" ? "llvm" : name));
    const std::vector<verdict::Row> rows = certify::certify(*subject, plan, options, {});
    CHECK(rows.size() == (filters.empty() ? peer->rows : filtered));
    std::map<std::string, std::vector<std::uint64_t>> expected;
    std::map<std::string, std::vector<std::uint64_t>> differing;
    for (const verdict::Row& row : rows) {
        CAPTURE(row.id, row.profile, row.reason, row.detail);
        if (const auto known = peer->differing.find(row.id); known != peer->differing.end()) expected.insert(*known);
        if (row.status == Status::fail)
            differing[row.id].push_back(row.differing);
        else
            CHECK(row.status == Status::pass);
        if (verdict::conversion_of(row) != nullptr) CHECK(row.compared > 0);
    }
    CHECK(differing == expected);
    if (filters.empty()) CHECK(expected == peer->differing);
    CHECK(expected.empty() == peer->differing.empty());
}

} // namespace

namespace {

/// One whose operations are known.
struct BlockPeer {
    const char* name;
    const char* remedy;
    std::vector<std::string> profiles; ///< its own
    std::vector<std::string> filters;
    std::size_t operations; ///< that it offers
    std::size_t rows;       ///< of the run below
    /// Inputs or blocks that differ, by the row and the profile; every other row passes.
    std::map<std::string, std::uint64_t> differing;
    std::size_t conversions = 0; ///< that it offers as well
    Level level = Level::quick;
};

void check(const BlockPeer& peer) {
    const observe::BackendSpec spec = observe::resolve_backend(peer.name);
    if (test::absent(spec.kind == observe::BackendSpec::Kind::missing, peer.name, peer.remedy)) return;
    observe::ObserveOptions observing;
    observing.level = peer.level;
    observing.limits.start = std::chrono::minutes(5); // torch is read from the disk, when it was not for a while
    observing.timeout = std::chrono::minutes(3);      // interpreted code on a machine that does other things too
    const auto subject = subjects::open_subject(spec, observing);
    CHECK(subject->info().conversions.size() == peer.conversions);
    CHECK(subject->info().operations.size() == peer.operations);
    CHECK(subject->info().unknown.empty());
    CHECK((subject->info().build_id == sha256_file(spec.path)) == (spec.kind == observe::BackendSpec::Kind::plugin));
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.level = peer.level;
    options.filters = peer.filters;
    options.samples_per_step = 0;
    const certify::Plan plan = certify::make_plan(*subject, options, golden);
    std::vector<std::string> profiles;
    for (const Profile* profile : plan.profiles) profiles.emplace_back(profile->name);
    CHECK(profiles == peer.profiles);
    const std::vector<verdict::Row> rows = certify::certify(*subject, plan, options, {});
    CHECK(rows.size() == peer.rows);
    std::map<std::string, std::uint64_t> differing;
    for (const verdict::Row& row : rows) {
        CAPTURE(row.id, row.profile, row.reason, row.detail);
        CHECK(row.compared > 0);
        if (row.status == Status::fail)
            differing[row.id + ' ' + std::string(row.profile)] = row.differing;
        else
            CHECK(row.status == Status::pass);
    }
    for (const auto& [row, count] : differing) {
        INFO(row);
        CHECK(peer.differing.count(row) == 1);
        if (peer.differing.count(row) == 1) CHECK(count == peer.differing.at(row));
    }
    CHECK(differing.size() == peer.differing.size());
}

} // namespace

// It does what its profiles say, but for the scales of RCEIL in eager mode: torchao-rceil is the instruction. FP16
// values, made with scales in FP16, are judged by none of them.
TEST_CASE("torchao does what is known of it", "[peers][values]") {
    check({"torchao",
           "./dev setup --torch",
           {"torchao-floor", "torchao-ceil", "torchao-even", "torchao-rceil", "torchao-rceil-eager", "torchao-nvfp4"},
           {"quantize-fp32-e4m3-*", "dequantize-e4m3-*/values", "quantize_nvfp4-bf16-*", "dequantize_nvfp4-*-bf16-*"},
           32,
           41,
           {{"quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-any/scale torchao-rceil", 4'144}}});
}

TEST_CASE("modelopt does what is known of it", "[peers][values]") {
    check({"modelopt", "./dev setup --torch", {"modelopt"}, {"*quantize_nvfp4-*bf16-*"}, 6, 6, {}});
}

// Amaxes of BF16 are divided in BF16: its recipe is another one than that of FP32.
TEST_CASE("compressed_tensors does what is known of it", "[peers][values]") {
    check({"compressed_tensors", "./dev setup --torch", {"compressed-tensors"}, {"*quantize_nvfp4-*"}, 3, 10, {}});
}

// FP32's log2 is 2^k's for some amaxes below 2^k; arrays of FP16 cannot hold most scales.
// It takes a millisecond a block: the levels beyond smoke take minutes.
TEST_CASE("gfloat_blocks does what is known of it", "[peers][.][exhaustive]") {
    check({"gfloat_blocks",
           "./dev setup --peers",
           {"gfloat-blocks", "ocp-sat"},
           {"quantize-fp32-e4m3-*/scale", "quantize-*-e4m3-*/blocks", "dequantize-e4m3-*/values"},
           8,
           9,
           {{"quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any/scale ocp-sat", 931},
            {"quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any/blocks ocp-sat", 80},
            {"quantize-fp16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any/blocks ocp-sat", 177}},
           0,
           Level::smoke});
}

// FP32's log2 is 2^k's for some amaxes below 2^k; an exponent below zero is cut to a byte; elements are looked for by
// their error in FP32; a zero has no sign on the way back, and the scale 0xFF is 2^128.
TEST_CASE("gguf does what is known of it", "[peers][values]") {
    const std::string quantizer = "quantize-fp32-e2m1-e8m0-ocp_floor-nearest_zero-sat-row-32";
    check({"gguf",
           "./dev setup --peers",
           {"ocp-sat"},
           {"*"},
           2,
           5,
           {{quantizer + "/scale ocp-sat", 2'639},
            {quantizer + "/elements ocp-sat", 84},
            {quantizer + "/blocks ocp-sat", 2894},
            {"dequantize-e2m1-e8m0-fp32-row-32/values ocp-sat", 271},
            {"dequantize-e2m1-e8m0-fp32-row-32/blocks ocp-sat", 741}}});
}

// A third reading of the table of accumulators, bit for bit.
TEST_CASE("tensor_cores adds as it declares", "[values]") {
    check({"tensor_cores", "./dev build", {"products"}, {"matmul-e5m2-e5m2-*"}, 48, 48, {}});
}

// In whatever order it adds, within the bounds of FP32 and FP64.
TEST_CASE("openblas does what is known of it", "[peers][values]") {
    check({"openblas", "./dev setup --peers", {"products"}, {"matmul-e4m3-e4m3-*-tn-*"}, 24, 8, {}});
}

namespace {

/// Every tie of E8M0 goes up, as in ml_dtypes; from FP64 it rounds once. Products are within the bound of FP32.
void check_jax(std::vector<std::string> filters, std::size_t rows, std::map<std::string, std::uint64_t> differing) {
    filters.insert(filters.end(), {"bf16-e8m0-*", "matmul-e4m3-e4m3-*-tn-*"});
    differing.emplace("bf16-e8m0-nearest_even-nosat ocp-nosat", 127);
    check({"jax", "./dev setup --peers", {"ocp-nosat", "products"}, filters, 18, rows, differing, 26});
}

} // namespace

// A worker takes two seconds to start: few conversions.
TEST_CASE("jax does what is known of it", "[peers][.][exhaustive]") { check_jax({"e4m3-fp16-*"}, 6, {}); }
TEST_CASE("jax does what is known of it in more conversions", "[.][exhaustive]") {
    check_jax({"fp16-*", "fp64-e4m3-nearest_even-nosat"}, 9, {{"fp16-e8m0-nearest_even-nosat ocp-nosat", 20}});
}

TEST_CASE("apfloat does what is known of it", "[peers][values]") { check("apfloat"); }
// Of each source one conversion, and those that differ; not of FP64, whose diagnosis takes half a minute.
TEST_CASE("ml_dtypes does what is known of it", "[peers][values]") {
    check("ml_dtypes",
          {"fp16-e4m3-*", "fp16-e8m0-*", "bf16-e5m2-*", "bf16-e8m0-*", "e4m3-fp32-*", "e5m2-bf16-*", "e8m0-fp32-*",
           "fp16-e2m1-*", "bf16-e3m2-*", "e2m3-fp32-*"},
          20);
}
TEST_CASE("ml_dtypes does what is known of it in more conversions", "[.][exhaustive]") { check("ml_dtypes"); }
TEST_CASE("gfloat does what is known of it", "[peers][.][exhaustive]") {
    check("gfloat",
          {"fp16-e4m3-nearest_even-sat", "fp16-e8m0-nearest_even-sat", "bf16-e8m0-nearest_even-nosat",
           "e4m3-fp16-nearest_even-*", "fp64-e4m3-nearest_even-nosat"},
          10);
}
TEST_CASE("gfloat does what is known of it in more conversions", "[.][exhaustive]") { check("gfloat"); }

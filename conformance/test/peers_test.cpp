// SPDX-License-Identifier: Apache-2.0
// Implementations that others wrote, as they are: what agrees with the profiles, and exactly how much does not.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absent.hpp"
#include "catch.hpp"
#include "conformance/backends/backends.hpp"
#include "conformance/certify.hpp"
#include "vectors/sha256.hpp"

using namespace mxcert;

namespace {

struct Peer {
    const char* name;
    std::size_t conversions; ///< that it offers
    std::size_t rows;        ///< of the run below
    /// Inputs that differ from the first and from the second of its own profiles; every other row passes.
    std::map<std::string, std::vector<std::uint64_t>> differing;
};

const std::vector<Peer> peers = {
    {"apfloat", 96, 86, {}},
    // The casts from FP64 round to FP32 first; every tie of E8M0 goes up.
    {"ml_dtypes",
     52,
     64,
     {{"fp64-e4m3-nearest_even-nosat", {762, 762}},
      {"fp16-e8m0-nearest_even-nosat", {20, 20}},
      {"bf16-e8m0-nearest_even-nosat", {127, 127}}}},
    // Codes of E8M0 that do not fit, and FP16 that overflows on the way.
    {"gfloat",
     152,
     58,
     {{"fp16-e8m0-nearest_even-sat", {16'876, 16'876}},
      {"fp16-e8m0-nearest_even-nosat", {16'876, 16'876}},
      {"bf16-e8m0-nearest_even-sat", {16'111, 16'088}},
      {"bf16-e8m0-nearest_even-nosat", {16'111, 16'088}}}},
};

/// Sources of 16 bits, decoding, and one sample. The other roundings of gfloat, which takes its time, are for ./dev
/// test.
CertifyOptions cheap(const std::string& name) {
    CertifyOptions options;
    options.filters = {"fp16-*", "bf16-*", "e*-*", "fp64-e4m3-nearest_even-nosat"};
    if (name == "gfloat")
        options.filters = {"fp16-*-nearest_even-*", "bf16-*-nearest_even-*", "e*-nearest_even-*",
                           "fp64-e4m3-nearest_even-nosat"};
    return options;
}

/// Each is a test case of its own, so that one which is not here hides nothing of the others.
void check(const std::string& name) {
    const auto peer = std::find_if(peers.begin(), peers.end(), [&](const Peer& p) { return p.name == name; });
    REQUIRE(peer != peers.end());
    const BackendSpec spec = resolve_backend(name);
    if (test::absent(spec.kind == BackendSpec::Kind::missing, name)) return;
    const auto subject = open_subject(spec, {});
    CHECK(subject->info().conversions.size() == peer->conversions);
    CHECK(subject->info().unknown.empty());
    // A script is a few lines; what it calls is part of the build.
    CHECK((subject->info().build_id == sha256_file(spec.path)) == (spec.kind == BackendSpec::Kind::plugin));
    GoldenSource golden;
    const CertifyOptions options = cheap(name);
    const Plan plan = make_plan(*subject, options, golden);
    REQUIRE(plan.profiles.size() == 2);
    CHECK(plan.profiles[0]->name == (name == "apfloat" ? "llvm" : name));
    const std::vector<Row> rows = certify(*subject, plan, options, {});
    CHECK(rows.size() == peer->rows);
    std::map<std::string, std::vector<std::uint64_t>> differing;
    for (const Row& row : rows) {
        CAPTURE(row.id, row.profile, row.reason, row.detail);
        if (row.status == Status::fail)
            differing[row.id].push_back(row.differing);
        else
            CHECK(row.status == Status::pass);
        if (row.conversion.from != nullptr) CHECK(row.compared > 0);
    }
    CHECK(differing == peer->differing);
}

} // namespace

TEST_CASE("apfloat does what is known of it", "[peers][values]") { check("apfloat"); }
TEST_CASE("ml_dtypes does what is known of it", "[peers][values]") { check("ml_dtypes"); }
TEST_CASE("gfloat does what is known of it", "[peers][values]") { check("gfloat"); }

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

using namespace mxcert;

namespace {

struct Peer {
    const char* name;
    std::size_t conversions; ///< that it offers
    std::size_t rows;        ///< of the run below
    /// Inputs that differ, by profile and conversion; every other row passes.
    std::map<std::string, std::uint64_t> differing;
};

const Peer peers[] = {
    {"apfloat", 0, 0, {}},
    {"ml_dtypes", 0, 0, {}},
    {"gfloat", 0, 0, {}},
};

CertifyOptions cheap() {
    CertifyOptions options;
    options.filters = {"fp16-*", "bf16-*", "e4m3*", "e5m2*", "e8m0-*", "fp64-e4m3-nearest_even-nosat"};
    return options;
}

/// Each is a test case of its own, so that one which is not here hides nothing of the others.
void check(const char* name) {
    const Peer& peer =
        *std::find_if(std::begin(peers), std::end(peers), [&](const Peer& p) { return p.name == std::string(name); });
    const BackendSpec spec = resolve_backend(name);
    if (test::absent(spec.kind == BackendSpec::Kind::missing, name)) return;
    const auto subject = open_subject(spec, {});
    CHECK(subject->info().conversions.size() == peer.conversions);
    CHECK(subject->info().unknown.empty());
    GoldenSource golden;
    const Plan plan = make_plan(*subject, cheap(), golden);
    const std::vector<Row> rows = certify(*subject, plan, cheap(), {});
    CHECK(rows.size() == peer.rows);
    std::map<std::string, std::uint64_t> differing;
    for (const Row& row : rows) {
        CAPTURE(row.id, row.profile, row.reason);
        if (row.status == Status::fail)
            differing[row.profile + " " + row.id] = row.differing;
        else
            CHECK(row.status == Status::pass);
        if (row.conversion.from != nullptr) CHECK(row.compared > 0);
    }
    CHECK(differing == peer.differing);
}

} // namespace

TEST_CASE("apfloat does what is known of it", "[peers]") { check("apfloat"); }
TEST_CASE("ml_dtypes does what is known of it", "[peers]") { check("ml_dtypes"); }
TEST_CASE("gfloat does what is known of it", "[peers]") { check("gfloat"); }

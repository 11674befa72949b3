// SPDX-License-Identifier: Apache-2.0
// What implementations that others wrote do is found from their answers alone, the wrong ones too.
#include <chrono>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/identify/identify_conversion.hpp"
#include "conformance/observe/backend_spec.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/suites/blocks/identify.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/verdict/golden_source.hpp"

using namespace mxcert;
using namespace mxcert::identify;

namespace {

/// Every input of up to `width` bits of conversions with this rounding, "" for all. `faults`: how many have one.
void check(const std::string& name, const char* remedy, std::size_t least, std::size_t faults,
           std::string_view rounding = "", int width = 16) {
    const observe::BackendSpec spec = observe::resolve_backend(name);
    if (test::absent(spec.kind == observe::BackendSpec::Kind::missing, name, remedy)) return;
    observe::ObserveOptions observing;
    observing.level = Level::quick;
    observing.limits.start = std::chrono::minutes(5); // a driver compiles kernels, and Python reads large packages
    observing.timeout = std::chrono::minutes(3);
    const auto subject = subjects::open_subject(spec, observing);
    verdict::GoldenSource golden;
    std::size_t count = 0;
    std::size_t faulty = 0;
    for (const Conversion& conversion : subject->info().conversions) {
        if (conversion.from->width() > width || conversion.random_bits != 0) continue;
        if (!rounding.empty() && to_string(conversion.rounding) != rounding) continue;
        CAPTURE(to_string(conversion));
        const diagnose::FoundBehaviour found = identify::identify_conversion(*subject, conversion, golden);
        REQUIRE(found.status == Status::pass);
        CHECK(found.asked == conversion.from->last_code() + 1);
        CHECK(found.explained == found.asked);
        ++count;
        faulty += found.faults.empty() ? 0 : 1;
    }
    CHECK(count >= least);
    CHECK(faulty == faults);
}

} // namespace

TEST_CASE("what cuda_fp8 does is found", "[identify][peers][.][exhaustive]") {
    check("cuda_fp8", "./dev setup --peers", 20, 0);
}
TEST_CASE("what apfloat does is found", "[identify][peers][.][exhaustive]") {
    check("apfloat", "./dev setup --peers", 50, 0);
}
TEST_CASE("what ml_dtypes does is found", "[.][exhaustive]") { check("ml_dtypes", "./dev setup --peers", 30, 0); }
// Its scales have the faults of a byte that nothing is cut to, and of FP16 that ends before they do.
TEST_CASE("what gfloat does is found", "[.][exhaustive]") {
    check("gfloat", "./dev setup --peers", 25, 4, "nearest_even");
}
TEST_CASE("what jax does is found", "[.][exhaustive]") {
    check("jax", "./dev setup --peers", 10, 0, "", 8); // a worker takes seconds to start
}
TEST_CASE("what kernels_host does is found", "[.][exhaustive]") { check("kernels_host", "./dev setup", 50, 0); }
TEST_CASE("what opencl does is found", "[.][exhaustive]") { check("opencl", "./dev setup --devices", 50, 0); }

// From FP16 its scales, and what it divides by them, are numbers of FP16. A block at a time in Python: two minutes.
TEST_CASE("what gfloat_blocks does is found", "[.][exhaustive]") {
    const observe::BackendSpec spec = observe::resolve_backend("gfloat_blocks");
    if (test::absent(spec.kind == observe::BackendSpec::Kind::missing, "gfloat_blocks")) return;
    const auto subject = subjects::open_subject(spec, {});
    verdict::GoldenSource golden;
    std::size_t count = 0;
    for (const Operation& operation : subject->info().operations) {
        if (operation.info->name != "quantize") continue;
        CAPTURE(to_string(operation));
        const suites::FoundQuantizer found = suites::identify_quantize(*subject, operation, golden, {});
        CHECK(found.scale.explained == found.scale.asked);
        CHECK(found.elements.explained == found.elements.asked);
        CHECK(found.blocks.explained == found.blocks.asked);
        CHECK(found.blocks.asked > 9'000);
        ++count;
    }
    CHECK(count == 6);
}

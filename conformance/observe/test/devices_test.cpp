// SPDX-License-Identifier: Apache-2.0
// The kernels for devices, by each runtime that can run them here: right ones pass, planted bugs are named, and what
// cannot run says why.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/test/absent.hpp"
#include "conformance/test/devices_fixture.hpp"
#include "conformance/verdict/exit_code.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using Catch::Matchers::Contains;
using test::certify_device;
using test::check_kernels;
using test::check_passes;
using test::refusal;

namespace {

/// The rows fail, and this bug explains every wrong answer.
void check_named(const std::vector<verdict::Row>& rows, const std::string& bug) {
    REQUIRE(rows.size() == 1);
    const verdict::Row& row = rows.front();
    CAPTURE(row.reason);
    CHECK(row.status == Status::fail);
    REQUIRE_FALSE(verdict::table_of(row)->diagnosis.bugs.empty());
    CHECK(verdict::table_of(row)->diagnosis.bugs.front().bug_class->id == bug);
    CHECK(verdict::table_of(row)->diagnosis.differing > 0);
    CHECK(verdict::table_of(row)->diagnosis.explained == verdict::table_of(row)->diagnosis.differing);
}

BackendSpec planted(const std::string& name) {
    return {BackendSpec::Kind::plugin, name, MXCERT_TEST_PLUGINS "/../mxcert-test/" + name + ".so", {}};
}

const std::string one_conversion = "fp32_by_e8m0-e4m3-nearest_even-sat";

/// Whether OpenCL has to be done without.
bool no_opencl(const BackendSpec& spec) {
    return test::absent(spec.kind == BackendSpec::Kind::missing, "opencl", "./dev setup --devices");
}

} // namespace

TEST_CASE("devices: the kernels are right on the host", "[devices][values]") {
    check_kernels(resolve_backend("kernels_host"));
}

TEST_CASE("devices: the kernels are right by OpenCL", "[devices][values]") {
    const BackendSpec spec = resolve_backend("opencl");
    if (no_opencl(spec)) return;
    check_kernels(spec, Level::smoke); // the same sources as on the host
}

TEST_CASE("devices: a planted bug is named on the host", "[devices][values]") {
    check_named(certify_device(planted("kernels_via_fp16"), "", {"ocp"}, {one_conversion}), "DOUBLE_ROUND_F16");
    check_named(certify_device(planted("kernels_cut_to_fp16"), "", {"ocp"}, {one_conversion}), "F16_TRUNC_STICKY");
}

TEST_CASE("devices: a planted bug is named by OpenCL", "[devices][values]") {
    const BackendSpec spec = resolve_backend("opencl");
    if (no_opencl(spec)) return;
    check_named(certify_device(spec, "build=-DPLANT_VIA_FP16", {"ocp"}, {one_conversion}), "DOUBLE_ROUND_F16");
}

TEST_CASE("devices: a wrong option says what there is", "[devices]") {
    CHECK_THAT(refusal(resolve_backend("kernels_host"), "device=0"), Contains("there are no options"));
    const BackendSpec spec = resolve_backend("opencl");
    if (no_opencl(spec)) return;
    CHECK_THAT(refusal(spec, "device=99"), Contains("no device '99'") && Contains("there are 0: "));
    CHECK_THAT(refusal(spec, "platform=nobody's"), Contains("of a platform 'nobody's'") && Contains("there are 0: "));
    CHECK_THAT(refusal(spec, "gpu=1"), Contains("no option 'gpu=1'"));
}

// A driver that compiles leaks, which a sanitizer takes for a fault of the worker: [values] is left out there.
TEST_CASE("devices: kernels that do not compile show the compiler's words", "[devices][values]") {
    const BackendSpec spec = resolve_backend("opencl");
    if (no_opencl(spec)) return;
    CHECK_THAT(refusal(spec, "build=-Dplace=1"), Contains("the kernels do not compile"));
}

namespace {

/// On a machine with a device the kernels are right there; on one without the backend says that there is none, and no
/// row passes.
void check_device(const std::string& name, const std::string& says) {
    const BackendSpec spec = resolve_backend(name);
    if (test::absent(spec.kind == BackendSpec::Kind::missing, name, "./dev setup --devices")) return;
    const std::vector<verdict::Row> rows = certify_device(spec, "", {"ocp"}, {"e4m3-fp32-*"});
    REQUIRE(rows.size() == 1);
    CAPTURE(rows.front().reason, rows.front().detail);
    if (rows.front().status == Status::pass) {
        check_kernels(spec);
    } else {
        CHECK(rows.front().status == Status::unsupported);
        CHECK_THAT(rows.front().reason + rows.front().detail, Contains(says));
        CHECK(verdict::exit_code(rows) != 0);
    }
    CHECK_THAT(refusal(spec, "devices=1"), Contains("no option 'devices=1'"));
}

/// What the build wrote of compiled kernels has these instructions.
void check_instructions(const std::string& backend, const std::string& listing, const std::vector<std::string>& names) {
    const bool is_missing = resolve_backend(backend).kind == BackendSpec::Kind::missing;
    if (test::absent(is_missing, backend, "./dev setup --devices")) return;
    std::ifstream file(MXCERT_TEST_PLUGINS "/../mxcert-test/" + listing);
    if (test::absent(!file, "llvm-objdump", "./dev setup --devices")) return;
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (const std::string& name : names) {
        CAPTURE(listing, name);
        CHECK(text.find(name) != std::string::npos); // the whole text would be shown otherwise
    }
}

} // namespace

TEST_CASE("devices: HIP has a device on which the kernels are right or says that it has none", "[devices]") {
    check_device("hip", "there is no HIP device");
}

TEST_CASE("devices: CUDA has a device on which the kernels are right or says that it has none", "[devices]") {
    check_device("cuda", "there is no CUDA device");
}

TEST_CASE("devices: AMD's conversion instructions are in the compiled kernels", "[devices][values]") {
    for (const char* listing : {"hip_gfx942.txt", "hip_gfx1201.txt"})
        check_instructions("hip", listing, {"v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32"});
}

TEST_CASE("devices: NVIDIA's conversion instructions are in the compiled kernels", "[devices][values]") {
    check_instructions("cuda", "cuda.ptx",
                       {"cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e5m2x2.f32", "cvt.rn.satfinite.e4m3x2.f16x2",
                        "cvt.rn.satfinite.e5m2x2.f16x2", "cvt.rn.f16x2.e4m3x2", "cvt.rn.f16x2.e5m2x2"});
    check_instructions("cuda", "cuda_100a.ptx",
                       {"cvt.rz.satfinite.ue8m0x2.f32", "cvt.rp.ue8m0x2.f32", "cvt.rz.ue8m0x2.bf16x2",
                        "cvt.rp.satfinite.ue8m0x2.bf16x2", "cvt.rn.bf16x2.ue8m0x2", "cvt.rs.satfinite.e4m3x4.f32",
                        "cvt.rs.satfinite.e5m2x4.f32"});
}

TEST_CASE("devices: NVIDIA's instructions for products are in the compiled kernels", "[devices][values]") {
    const std::vector<std::string> pairs{"e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"};
    for (const std::string& pair : pairs) {
        check_instructions("cuda", "cuda.ptx",
                           {"mma.sync.aligned.m16n8k32.row.col.f32." + pair + ".f32",
                            "mma.sync.aligned.m16n8k32.row.col.f16." + pair + ".f16",
                            "mma.sync.aligned.m16n8k16.row.col.f32." + pair + ".f32",
                            "mma.sync.aligned.m16n8k16.row.col.f16." + pair + ".f16"});
        check_instructions(
            "cuda", "cuda_90a.ptx",
            {"wgmma.mma_async.sync.aligned.m64n8k32.f32." + pair, "wgmma.mma_async.sync.aligned.m64n8k32.f16." + pair});
        check_instructions(
            "cuda", "cuda_120a.ptx",
            {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." + pair + ".f32.ue8m0"});
    }
}

TEST_CASE("devices: the examples are built and right where there is a device", "[devices][values]") {
    for (const char* runtime : {"opencl", "hip", "cuda"}) {
        if (test::absent(resolve_backend(runtime).kind == BackendSpec::Kind::missing, runtime, "./dev setup --devices"))
            continue;
        CAPTURE(runtime);
        const BackendSpec example{BackendSpec::Kind::plugin,
                                  "widen",
                                  MXCERT_TEST_PLUGINS "/../mxcert-test/widen_" + std::string(runtime) + ".so",
                                  {}};
        const std::vector<verdict::Row> rows = certify_device(example, "", {"ocp"}, {"e5m2-fp16-*"});
        REQUIRE(rows.size() == 1);
        CAPTURE(rows.front().reason, rows.front().detail);
        // OpenCL has a device wherever there are tests: PoCL's, the processor.
        if (runtime == std::string("opencl") || rows.front().status == Status::pass) {
            check_passes(rows, 1);
        } else {
            CHECK(rows.front().status == Status::unsupported);
            CHECK_THAT(rows.front().reason + rows.front().detail, Contains("no device"));
        }
    }
}

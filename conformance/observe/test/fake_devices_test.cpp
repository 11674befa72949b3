// SPDX-License-Identifier: Apache-2.0
// The backends of GPUs where there is none, with drivers of the tests in the place of the vendors' (devices/): all but
// the compiled kernels, and what is said of what goes wrong.
#include <cstdlib>
#include <string>
#include <vector>

#include "conformance/subjects/open_subject.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/devices_fixture.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using Catch::Matchers::Contains;
using test::certify_device;
using test::check_kernels;
using test::check_passes;
using test::refusal;

namespace {

/// A driver of the tests in the place of the vendor's, for the processes that are started meanwhile.
class FakeDriver {
  public:
    FakeDriver(const std::string& name, const std::string& does)
        : path_("LD_LIBRARY_PATH", MXCERT_TEST_PLUGINS "/../mxcert-test/" + name), does_("MXCERT_FAKE_DEVICE", does) {}

  private:
    /// The tests have one thread.
    class Variable {
      public:
        Variable(const char* name, const std::string& value) : name_(name) {
            const char* old = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
            had_ = old != nullptr;
            if (had_) old_ = old;
            ::setenv(name, value.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
        }
        ~Variable() {
            if (had_)
                ::setenv(name_, old_.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
            else
                ::unsetenv(name_); // NOLINT(concurrency-mt-unsafe)
        }
        Variable(const Variable&) = delete;
        Variable& operator=(const Variable&) = delete;

      private:
        const char* name_;
        bool had_ = false;
        std::string old_;
    };

    Variable path_;
    Variable does_;
};

/// Whether a backend of a GPU has to be done without.
bool no_gpu(const std::string& name) {
    return test::absent(resolve_backend(name).kind == BackendSpec::Kind::missing, name, "./dev setup --devices");
}

/// All that a backend says of rows that cannot pass, with a driver that does this.
std::string refused_by(const std::string& backend, const std::string& does, const std::string& options = "") {
    const FakeDriver driver("fake_" + backend, does);
    return refusal(resolve_backend(backend), options);
}

/// What the backend says of a conversion or a product that the device has no instruction for.
std::string not_there(const std::string& backend, const std::string& options, const std::string& profile,
                      const std::string& filter) {
    const std::vector<verdict::Row> rows = certify_device(resolve_backend(backend), options, {profile}, {filter});
    REQUIRE_FALSE(rows.empty());
    for (const verdict::Row& row : rows) CHECK(row.status == Status::unsupported);
    return rows.front().reason + rows.front().detail;
}

} // namespace

TEST_CASE("devices: all of CUDA's backend but its compiled kernels is right", "[devices][values]") {
    if (no_gpu("cuda")) return;
    const FakeDriver driver("fake_cuda", "architecture=sm_100");
    const BackendSpec spec = resolve_backend("cuda");
    check_kernels(spec);
    // Of the instructions few inputs: an imitation asks one after the other.
    check_passes(certify_device(spec, "convert=instruction", {"ocp"},
                                {"fp16-e4m3-nearest_even-*", "bf16-e5m2-nearest_even-*", "bf16-e8m0-up-*",
                                 "bf16-e8m0-toward_zero-*", "e4m3-fp16-*", "e5m2-fp16-*", "e8m0-bf16-*"},
                                Level::smoke),
                 2 + 2 + 2 + 2 + 2 + 1);
    // Blocks of any length and alignment, with NaN and Inf, along both axes.
    check_passes(
        certify_device(spec, "convert=instruction", {"nvidia-te"},
                       {"quantize-bf16-e4m3-*-rceil-*-row-*/blocks", "quantize-fp32-e4m3-*-rceil-*-column-*/blocks"}),
        1 + 1);
    CHECK_THAT(not_there("cuda", "convert=instruction", "ocp", "bf16-e8m0-nearest_away-sat"),
               Contains("there is no instruction for this conversion"));
}

TEST_CASE("devices: products by tensor cores hold what the instructions take", "[devices][values]") {
    if (no_gpu("cuda")) return;
    struct Of {
        const char* architecture;
        std::vector<const char*> accumulators;
    };
    for (const auto& [architecture, accumulators] :
         {Of{"sm_89", {"ada_fp8_f32-given", "ada_fp8_f16-given"}},
          Of{"sm_90",
             {"hopper_fp8_f32-given", "hopper_fp8_f16-given", "hopper_mma_fp8_f32-given", "hopper_mma_fp8_f16-given"}},
          Of{"sm_120",
             {"blackwell_fp8_f32-given", "blackwell_fp8_f16-given", "sm120_k16_fp8_f32-given",
              "sm120_k16_fp8_f16-given", "blackwell_mxf8f6f4-given"}}}) {
        const FakeDriver driver("fake_cuda", std::string("architecture=") + architecture);
        const BackendSpec spec = resolve_backend("cuda");
        for (const std::string accumulator : accumulators) {
            CAPTURE(architecture, accumulator);
            // Of the first each transposition once, c with one of them, and each pair of formats.
            if (accumulator == accumulators.front())
                check_passes(certify_device(spec, "", {"products"},
                                            {"matmul-e4m3-e5m2-*-nn-*-" + accumulator + "/*",
                                             "matmul-e5m2-e4m3-*-tn-*-" + accumulator + "/*",
                                             "matmul-e4m3-e4m3-*-nt-*-" + accumulator + "/places",
                                             "matmul-e5m2-e5m2-*-tt-*-" + accumulator + "/places"}),
                             4 + 4 + 1 + 1);
            else
                check_passes(certify_device(spec, "", {"products"}, {"matmul-e5m2-e4m3-*-tn-*-" + accumulator + "/*"},
                                            Level::smoke),
                             4);
        }
    }
    // What no device of the machine has is not offered; what another one has is refused.
    const std::vector<std::string> hopper{"matmul-e4m3-e4m3-*-nn-*-hopper_fp8_f32-*/places"};
    const BackendSpec spec = resolve_backend("cuda");
    const FakeDriver two("fake_cuda", "devices=2 architecture=sm_89,sm_90");
    CHECK_THAT(not_there("cuda", "device=0", "products", hopper.front()),
               Contains("the instruction for this is one of sm_90; the device is sm_89"));
    check_passes(certify_device(spec, "device=1", {"products"}, hopper), 1);
    const FakeDriver this_driver("fake_cuda", "architecture=sm_89");
    CHECK(certify_device(spec, "", {"products"}, hopper).empty());
}

TEST_CASE("devices: CUDA rounds at random each value by itself, where the device can", "[devices]") {
    if (no_gpu("cuda")) return;
    const FakeDriver driver("fake_cuda", "devices=2 architecture=sm_100,sm_90");
    const auto ask = [](const std::string& options, const std::string& target) {
        ObserveOptions observing;
        observing.backend_options = options;
        observing.jobs = 1;
        const auto subject = subjects::open_subject(resolve_backend("cuda"), observing);
        for (const Operation& operation : subject->info().operations) {
            if (operation.info->name != "stochastic" || operation.value("target") != target) continue;
            frames::RunCase run_case;
            run_case.shape = {4096, 0, 0, 0};
            run_case.inputs = {frames::Values(4096, 4)};
            run_case.outputs = {frames::Values(4096, 1)};
            run_case.once = 0xA5;
            for (std::uint64_t i = 0; i < 4096; ++i) // 1 + 1/32, and codes
                run_case.inputs[0].set(i, i % 2 == 0 ? 0x3F840000 : 0x3F800000 + (i / 2 % 4 << 22U));
            return subject->run(operation, run_case);
        }
        FAIL("the operation is not offered");
        return frames::RunAnswer{};
    };
    for (const auto& [target, one, gap] : {std::tuple("e4m3", 0x38U, 4U), {"e5m2", 0x3CU, 8U}}) {
        CAPTURE(target);
        const frames::RunAnswer answer = ask("device=0", target);
        REQUIRE(answer.status == Status::pass);
        int up = 0;
        for (std::uint64_t i = 0; i < 4096; ++i) {
            const Code code = answer.outputs[0].get(i);
            if (i % 2 == 1) {
                REQUIRE(code == one + (i / 2 % 4) * (target == std::string("e4m3") ? 4 : 2));
            } else {
                REQUIRE((code == one || code == one + 1));
                up += code == one + 1 ? 1 : 0;
            }
        }
        // eta is 1/4 and 1/8.
        CHECK(up > 2048 / static_cast<int>(gap) - 200);
        CHECK(up < 2048 / static_cast<int>(gap) + 200);
    }
    const frames::RunAnswer refused = ask("device=1", "e4m3");
    CHECK(refused.status == Status::unsupported);
    CHECK_THAT(refused.reason, Contains("the instruction for this is one of sm_100; the device is sm_90"));
}

TEST_CASE("devices: cuBLASLt is told of the products that are offered", "[devices][values]") {
    if (no_gpu("cublaslt")) return;
    struct Of {
        const char* architecture;
        std::size_t offered; ///< three pairs of formats and two results of each way and transposition
        std::vector<std::string> filters;
    };
    for (const auto& [architecture, offered, filters] :
         {Of{"sm_89", 6, {"matmul-e4m3-e5m2-*"}},
          Of{"sm_90", 12, {"matmul-e5m2-e4m3-*-bf16-*", "matmul-e4m3-e4m3-*-fp32-*"}},
          Of{"sm_100",
             30,
             {"matmul-e4m3-e5m2-*-nn-*-fp32-*", "matmul-e5m2-e4m3-*-t?-*-bf16-*", "matmul-e4m3-e4m3-e8m0-*"}},
          Of{"sm_120", 12, {"matmul-e5m2-e4m3-*-fp32-*"}}}) {
        CAPTURE(architecture);
        const FakeDriver driver("fake_cuda", std::string("architecture=") + architecture);
        const BackendSpec spec = resolve_backend("cublaslt");
        const std::vector<verdict::Row> rows = certify_device(spec, "", {"products"}, filters, Level::smoke);
        check_passes(rows, rows.size());
        CHECK(rows.size() > 4);
        ObserveOptions observing;
        const auto subject = subjects::open_subject(spec, observing);
        CHECK(subject->info().operations.size() == offered);
        CHECK(subject->info().version == "13.2.3"); // of the library, not of the header
    }
    const FakeDriver two("fake_cuda", "devices=2 architecture=sm_89,sm_120");
    CHECK_THAT(not_there("cublaslt", "", "products", "matmul-e4m3-e4m3-e8m0-*-fp32-*/places"),
               Contains("this is one of sm_100, sm_103, sm_120, sm_121; the device is sm_89"));
}

TEST_CASE("devices: a report names the devices, not only the processor beside them", "[devices]") {
    if (no_gpu("cuda")) return;
    const auto description_with = [](const char* backend, const char* does) {
        const FakeDriver driver(std::string("fake_") + (backend == std::string("hip") ? "hip" : "cuda"), does);
        return subjects::open_subject(resolve_backend(backend), ObserveOptions{})->info();
    };
    const BackendInfo info = description_with("cuda", "devices=2 architecture=sm_89,sm_90");
    CHECK_THAT(info.description, Catch::EndsWith("; here: 0: Fake 0 (sm_89); 1: Fake 1 (sm_90)"));
    CHECK(info.one_worker);
    CHECK_THAT(description_with("cuda", "devices=0").description, Catch::EndsWith("by CUDA"));
    if (no_gpu("hip")) return;
    CHECK_THAT(description_with("hip", "architecture=gfx942").description,
               Catch::EndsWith("; here: 0: Fake 0 (gfx942)"));
    CHECK(description_with("hip", "architecture=gfx942").one_worker);
    if (no_gpu("cublaslt")) return;
    CHECK_THAT(description_with("cublaslt", "architecture=sm_90").description,
               Catch::EndsWith("cuBLASLt; here: 0: Fake 0 (sm_90)"));
    CHECK(description_with("cublaslt", "architecture=sm_90").one_worker);
}

TEST_CASE("devices: what goes wrong with cuBLASLt is said, and no row passes", "[devices]") {
    if (no_gpu("cublaslt")) return;
    const std::string one_product = "matmul-e4m3-e4m3-*-fp32-hopper_fp8_f32-*/places";
    const auto says = [&](const std::string& does, const std::string& options) {
        const FakeDriver driver("fake_cuda", does);
        const std::vector<verdict::Row> rows =
            certify_device(resolve_backend("cublaslt"), options, {"products"}, {one_product});
        REQUIRE(rows.size() == 1);
        CHECK((rows.front().status == Status::error || rows.front().status == Status::unsupported));
        return rows.front().reason + rows.front().detail;
    };
    const std::string text = "architecture=sm_90 ";
    CHECK_THAT(says("devices=0", ""), Contains("there is no CUDA device"));
    CHECK_THAT(says(text, "libraries=x"), Contains("no option 'libraries=x': there are device=N"));
    CHECK_THAT(says(text + "fail=cublasLtCreate:1:0", ""), Contains("cuBLASLt, cublasLtCreate: a status of"));
    CHECK_THAT(says(text + "fail=cublasLtMatmul:14:2", ""), Contains("cuBLASLt, cublasLtMatmul: a status of"));
    CHECK_THAT(says(text + "fail=cuMemAlloc:2:4", ""), Contains("CUDA, memory for an array: error 2"));
}

TEST_CASE("devices: what goes wrong with CUDA is said, and no row passes", "[devices]") {
    if (no_gpu("cuda")) return;
    const std::string text = "architecture=sm_90 ";
    CHECK_THAT(refused_by("cuda", "devices=0"), Contains("there is no CUDA device: the driver finds none"));
    {
        // Operations as well, and END counts what was asked of a device that is not there.
        const FakeDriver none("fake_cuda", "devices=0");
        CHECK_THAT(not_there("cuda", "", "products", "matmul-e4m3-e4m3-none-*-nn-*-fp32_multiply_add-*/places"),
                   Contains("there is no CUDA device"));
    }
    CHECK_THAT(refused_by("cuda", text + "fail=cuInit:803:0"),
               Contains("there is no CUDA device: error 803") && Contains("NVIDIA's driver must be installed"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuModuleLoadData:209:0"), Contains("CUDA, Fake 0: error 209"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuModuleGetFunction:500:3"),
               Contains("CUDA, encode_scaled_u16: error 500"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuMemAlloc:2:0"), Contains("CUDA, memory for an array: error 2"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuMemAlloc:2:2"), Contains("CUDA, memory for an array: error 2"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuMemcpyHtoD:719:0"), Contains("CUDA, to the device: error 719"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuLaunchKernel:719:0"), Contains("CUDA, decode_u32: error 719"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuCtxSynchronize:719:1"), Contains("CUDA, on the device: error 719"));
    CHECK_THAT(refused_by("cuda", text + "fail=cuMemcpyDtoH:719:1"), Contains("CUDA, from the device: error 719"));
    CHECK_THAT(refused_by("cuda", "devices=2 " + text, "device=2"),
               Contains("no device '2'; there are 0: Fake 0 (sm_90); 1: Fake 1 (sm_90)"));
    const FakeDriver driver("fake_cuda", "devices=2 " + text);
    check_passes(certify_device(resolve_backend("cuda"), "device=1", {"ocp"}, {"e4m3-fp32-*"}), 1);
}

TEST_CASE("devices: what the kernels take on a device is measured beside its memory", "[devices]") {
    if (no_gpu("cuda")) return;
    const TemporaryFolder folder;
    const std::string program = "'" + (test::program_folder() / "cuda_speed").string() + "'";
    {
        const FakeDriver driver("fake_cuda", "architecture=sm_90");
        const test::Result seen = test::shell(folder.path(), program + " device=0 20");
        CAPTURE(seen.out, seen.err);
        CHECK((seen.code == 0 || seen.code == 1)); // as fast as the machine of the test is
        CHECK_THAT(seen.out, Contains("cuda, Fake 0: copies on the device read and write ") &&
                                 Contains(": FP32 to E4M3, 1048576 inputs to 1 steps: ") &&
                                 Contains(": BF16 to MXFP8 along each row, 128 x 128: ") &&
                                 Contains(": BF16 to MXFP8 along each column, 128 x 128: ") &&
                                 Contains("of what memory allows, required >= 0.7: "));
    }
    for (const char* const does : {"fail=cuMemcpyDtoD:719:3", "fail=cuLaunchKernel:719:7"}) {
        const FakeDriver driver("fake_cuda", std::string("architecture=sm_90 ") + does);
        const test::Result seen = test::shell(folder.path(), program + " device=0 20");
        CHECK(seen.code == 1);
        CHECK_THAT(seen.out, Contains("cuda: not measured: ") && Contains("error 719"));
    }
    const FakeDriver driver("fake_cuda", "devices=0");
    const test::Result seen = test::shell(folder.path(), program);
    CHECK(seen.code == 3);
    CHECK_THAT(seen.out, Contains("cuda: not measured: no device: there is no CUDA device"));
}

TEST_CASE("devices: a driver too old for the calls that are needed is none", "[devices]") {
    if (no_gpu("cuda")) return;
    const FakeDriver driver("fake_cuda_old", "");
    CHECK_THAT(refusal(resolve_backend("cuda"), ""), Contains("libcuda.so.1 has no cu"));
}

TEST_CASE("devices: all of HIP's backend but its compiled kernels is right, and what goes wrong is said",
          "[devices][values]") {
    if (no_gpu("hip")) return;
    const std::string text = "architecture=gfx942 ";
    {
        const FakeDriver driver("fake_hip", text);
        check_kernels(resolve_backend("hip"));
        CHECK_THAT(not_there("hip", "convert=instruction", "ocp", "fp32-e4m3-nearest_even-sat"),
                   Contains("the conversion instructions of gfx942 give the FNUZ formats"));
    }
    CHECK_THAT(refused_by("hip", "devices=0"), Contains("there is no HIP device"));
    CHECK_THAT(refused_by("hip", "architecture=gfx90a"), Contains("is gfx90a, for which no kernels were compiled"));
    CHECK_THAT(refused_by("hip", text + "fail=hipModuleLoadData:209:0"), Contains("HIP, Fake 0: error 209"));
    CHECK_THAT(refused_by("hip", text + "fail=hipMalloc:2:1"), Contains("HIP, memory for an array: error 2"));
    CHECK_THAT(refused_by("hip", text + "fail=hipDeviceSynchronize:719:1"), Contains("HIP, on the device: error 719"));
}

// SPDX-License-Identifier: Apache-2.0
// What is a certificate, and what only agrees: samples, parts, records of parts, profiles offered in part.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/certify/leave_out.hpp"
#include "conformance/level.hpp"
#include "conformance/offline/offered_part.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/record/record.hpp"
#include "conformance/report/report.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::certify;
using namespace mxcert::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A folder with the record of a backend, and the program run in it.
struct Bench {
    TemporaryFolder folder;

    Bench(std::initializer_list<const char*> offers, const std::vector<std::string>& filters = {}) {
        FakeSubject subject;
        for (const char* id : offers) subject.offer(id);
        record::RecordOptions options;
        options.filters = filters;
        record::write_record(record::take_record(subject, options), folder.path() / "kept");
    }
    [[nodiscard]] Result run(const std::string& arguments) const {
        Result result = shell(folder.path(), "rm -rf out; mxcert certify " + arguments + " --report out");
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    }
    [[nodiscard]] nlohmann::json report() const {
        return nlohmann::json::parse(content((folder.path() / "out/report.json").string()));
    }
    [[nodiscard]] bool certified() const { return fs::exists(folder.path() / "out/certificate.json"); }
};

constexpr auto both = {"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat"};
constexpr auto with_fp64 = {"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat", "fp64-e4m3-nearest_even-sat",
                            "fp64-e5m2-nearest_even-sat"};

} // namespace

TEST_CASE("a certificate has every input that can be counted, and names level, record, n and N", "[certificate][cli]") {
    const Bench bench(both);
    const Result result = bench.run("kept --profile ocp-sat");
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("PASS: fake, as recorded, conforms to ocp-sat on every one of 131,072 inputs"));
    REQUIRE(bench.certified());
    const nlohmann::json report = bench.report();
    CHECK(report["complete"] == true);
    CHECK(report["certificate"] == true);
    CHECK(report["level"] == "standard");
    CHECK(report["backend"]["record_sha256"].get<std::string>().size() == 64);
    CHECK(report["rows"][0]["compared"] == 65'536);
    CHECK(report["rows"][0]["total"] == "65536");
    CHECK(report["rows"][0]["open"] == false);
}

TEST_CASE("a sample of inputs that can be counted agrees, and certifies only where it is left out",
          "[certificate][cli][values]") {
    const Bench bench(with_fp64);
    const Result sampled = bench.run("kept --profile ocp-sat");
    CHECK(sampled.code == 0);
    CHECK_THAT(sampled.out, Contains("AGREES: fake, as recorded, agrees with ocp-sat on every one of 131,072 inputs"));
    CHECK_THAT(sampled.out, !Contains("conforms") && Contains("2 rows compared a sample, fp64-e4m3-nearest_even-sat"));
    CHECK_THAT(sampled.out, Contains(" of 2^64)"));
    CHECK_FALSE(bench.certified());
    CHECK(bench.report()["complete"] == false);
    CHECK(bench.report()["rows"][2]["total"] == "2^64");

    const Result without = bench.run("kept --profile ocp-sat --leave-out 'fp64-*'");
    CHECK(without.code == 0);
    CHECK_THAT(without.out, Contains("Offered, and left out by --leave-out (2)") && Contains("PASS: ") &&
                                Contains("The certificate is without what was left out."));
    REQUIRE(bench.certified());
    CHECK(bench.report()["left_out"] ==
          nlohmann::json::array({"fp64-e4m3-nearest_even-sat", "fp64-e5m2-nearest_even-sat"}));
    CHECK(shell(bench.folder.path(), "mxcert verify out/certificate.json kept --all").code == 0);

    // What can be asked whole cannot be left out of a certificate.
    const Result easy = bench.run("kept --profile ocp-sat --leave-out 'fp64-*' --leave-out fp16-e5m2-nearest_even-sat");
    CHECK_THAT(easy.out, Contains("fp16-e5m2-nearest_even-sat is left out, and every input of it can be asked"));
    CHECK_FALSE(bench.certified());
    const Result none = bench.run("kept --profile ocp-sat --leave-out 'bf16-*'");
    CHECK(none.code == 2);
    CHECK_THAT(none.err, Contains("--leave-out 'bf16-*' names nothing that is offered"));
}

TEST_CASE("rows of cases are open and do not stand in the way of a certificate", "[certificate][cli][values]") {
    const Bench bench(both);
    const Result blocks = bench.run("portable --profile ocp-sat --filter 'dequantize-e4m3-e8m0-fp16-row-any/*'");
    CHECK(blocks.code == 0);
    const nlohmann::json rows = bench.report()["rows"];
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["open"] == false);
    CHECK(rows[0]["total"] == "65536");
    CHECK(rows[0]["sample"] == false);
    CHECK(rows[1]["open"] == true);
    CHECK(rows[1]["total"] == "");

    verdict::Row open;
    open.id = "layout-swizzle_128x4-arrange/places";
    open.operation = "layout-swizzle_128x4-arrange";
    open.profile = "ocp-sat";
    open.status = Status::pass;
    open.open = true;
    open.compared = 100;
    report::Report report;
    report.invocation.profiles = {"ocp-sat"};
    report.info.name = "x";
    report.rows = {open};
    CHECK(report::is_certificate(report));
    verdict::Row table = open;
    table.open = false;
    table.sample = true;
    report.rows.push_back(table);
    CHECK_FALSE(report::is_certificate(report));
    CHECK_THAT(report::verdict_text(report, {}), Contains("AGREES: x agrees with ocp-sat"));
    report.rows = {open};
    report.level = {Level::smoke, 0};
    CHECK_FALSE(report::is_certificate(report));
}

TEST_CASE("the record of a part is no certificate of the whole", "[certificate][record][cli]") {
    const Bench filtered(with_fp64, {"fp16-*"});
    const Result part = filtered.run("kept --profile ocp-sat");
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("Offered by the backend, and not in the record (2)") && !Contains("conforms"));
    CHECK_THAT(part.out, Contains("the record is without 2 offers of the backend, fp64-e4m3-nearest_even-sat"));
    CHECK_FALSE(filtered.certified());
    CHECK(filtered.report()["complete"] == false);
    // Where the run says so itself, and nobody can ask all of it, it is one.
    CHECK(filtered.run("kept --profile ocp-sat --leave-out 'fp64-*'").code == 0);
    CHECK(filtered.certified());

    const Bench easy({"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat", "bf16-e4m3-nearest_even-sat",
                      "bf16-e5m2-nearest_even-sat"},
                     {"fp16-*"});
    CHECK(easy.run("kept --profile ocp-sat --leave-out 'bf16-*'").code == 0);
    CHECK_FALSE(easy.certified());
    // Recorded once more, it is still a part.
    CHECK(shell(easy.folder.path(), "mxcert record kept -o again").code == 0);
    CHECK(easy.run("again --profile ocp-sat").code == 0);
    CHECK_FALSE(easy.certified());
    // A record that does not say is believed nothing.
    const fs::path index = easy.folder.path() / "kept/record.json";
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(content(index.string()));
    json["schema"] = "mxcert-record-2";
    std::ofstream(index) << json;
    CHECK_THAT(easy.run("kept --profile ocp-sat").out, Contains("which does not say what it is without"));
    CHECK_FALSE(easy.certified());
}

TEST_CASE("what --keep has kept of a part is no certificate of the whole", "[certificate][record][cli][values]") {
    const Bench bench(both);
    const std::string all = "--profile ocp-sat --filter e4m3-fp16-nearest_even-nosat --keep some";
    CHECK(bench.run("portable " + all).code == 0);
    const Result kept = bench.run("some --profile ocp-sat");
    CHECK(kept.code == 0);
    CHECK_THAT(kept.out, Contains("offers of the backend") && Contains("AGREES"));
    CHECK_FALSE(bench.certified());
}

TEST_CASE("a profile of which a part is offered is PARTIAL", "[certificate][cli]") {
    const Bench bench({"bf16-e4m3-nearest_even-sat"});
    for (const std::string profile : {"", " --profile ocp-sat"}) {
        const Result result = bench.run("kept" + profile);
        CHECK(result.code == 5);
        CHECK_THAT(result.out,
                   Contains("PARTIAL: fake, as recorded, agrees with the offered part of ocp-sat on every one "
                            "of 65,536 inputs of 1 conversion"));
        CHECK_THAT(result.out, Contains("Not offered: ocp-sat: bf16-e5m2.\n"));
        CHECK_FALSE(bench.certified());
        CHECK(bench.report()["exit_code"] == 5);
        CHECK(bench.report()["missing"] == nlohmann::json::array({"ocp-sat: bf16-e5m2"}));
    }
    const Result named = bench.run("kept --profile ocp-sat --filter 'bf16-e4m3-*'");
    CHECK(named.code == 0);
    CHECK_THAT(named.out, Contains("PARTIAL: "));
    // Provisions say what has to be there.
    CHECK(bench.run("kept --profile ocp").code == 1);
}

TEST_CASE("what is missing of a profile that is offered in part", "[certificate]") {
    const auto missing = [](const char* profile, std::initializer_list<const char*> offers) {
        std::vector<Conversion> offered;
        for (const char* id : offers) offered.push_back(parse_conversion(id));
        return offline::missing_of(find_profile(profile), offered);
    };
    using Names = std::vector<std::string>;
    CHECK(missing("ocp-sat", {"fp32-e4m3-up-sat", "fp32-e5m2-nearest_even-sat"}).empty());
    CHECK(missing("ocp-sat", {"fp32-e4m3-up-sat", "bf16-e5m2-up-sat"}) == Names{"fp32-e5m2", "bf16-e4m3"});
    CHECK(missing("ocp-sat", {"fp32-e4m3-up-sat", "fp32-e5m2-up-nosat"}) == Names{"fp32-e5m2"});
    CHECK(missing("ocp-sat", {"e4m3-fp32-nearest_even-nosat", "fp32-e8m0-up-sat"}).empty());
    CHECK(missing("ocp", {"fp32-e4m3-up-sat"}).empty());
    CHECK(missing("absmax", {"fp32-e4m3-up-sat"}).empty());
}

TEST_CASE("what is missing of an instruction set", "[certificate]") {
    using Names = std::vector<std::string>;
    const auto missing = [](const char* profile, const Names& offers) {
        std::vector<Conversion> offered;
        for (const std::string& id : offers) offered.push_back(parse_conversion(id));
        return offline::missing_of(find_profile(profile), offered);
    };
    Names rdna4{"fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-sat", "e4m3-fp32-nearest_even-nosat",
                "e5m2-fp32-nearest_even-nosat"};
    CHECK(missing("amd-rdna4-ovfl1", rdna4).empty());
    CHECK(missing("amd-rdna4-ovfl0", rdna4) == Names{"fp32-e4m3-nearest_even-nosat", "fp32-e5m2-nearest_even-nosat"});
    rdna4.pop_back();
    CHECK(missing("amd-rdna4-ovfl1", rdna4) == Names{"e5m2-fp32"});
    CHECK(missing("arm-fp8", {"fp16_times_nscale5-e4m3-nearest_even-sat"}) ==
          Names{"fp32_times_nscale-e4m3", "fp32_times_nscale-e5m2", "bf16_times_nscale-e4m3", "bf16_times_nscale-e5m2",
                "fp16_times_nscale5-e4m3-nearest_even-nosat", "fp16_times_nscale5-e5m2", "e4m3_by_lscale4-fp16",
                "e5m2_by_lscale4-fp16", "e4m3_by_lscale6-bf16", "e5m2_by_lscale6-bf16"});
    CHECK(missing("avx10.2", {"fp16-e4m3-stochastic_a8-sat", "fp16-e4m3-stochastic_a8-nosat",
                              "fp16-e4m3-nearest_even-sat", "e4m3-fp16-nearest_even-nosat"}) ==
          Names{"fp16-e4m3-nearest_even-nosat", "fp16-e5m2"});
    // Others of its sources are converted to both formats too.
    const Names ptx = missing("nvidia-ptx", {"relu_fp32-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even-sat"});
    CHECK(ptx == Names{"fp32-e5m2", "fp16-e4m3", "fp16-e5m2", "e4m3-fp16", "e5m2-fp16", "relu_fp32-e5m2"});
    // Every conversion that is to be offered is one that is judged.
    for (const Profile& profile : all_profiles()) {
        CAPTURE(profile.name);
        for (const Scope& scope : profile.whole) CHECK_FALSE(scope.roundings.empty());
        for (const std::string& pair : missing(profile.name.data(), {})) CHECK(pair.find('-') != std::string::npos);
    }
}

TEST_CASE("what a certificate may be without depends on the level", "[certificate][level]") {
    for (const char* name : {"fp64-e4m3-nearest_even-sat", "fp32-e4m3-stochastic_a8-sat",
                             "quantize_float-fp32-e4m3-fp32-absmax-1x32", "stochastic-fp32-e4m3-stochastic_a32-sat"})
        for (const Level level : {Level::quick, Level::complete}) CHECK(is_sampled(name, level));
    for (const char* name :
         {"fp32_by_e8m0-e4m3-nearest_even-sat", "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32"}) {
        CHECK(is_sampled(name, Level::standard));
        CHECK_FALSE(is_sampled(name, Level::complete));
    }
    for (const char* name : {"fp32-e4m3-nearest_even-sat", "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32",
                             "dequantize-e4m3-e8m0-fp32-row-32", "layout-swizzle_128x4-arrange"})
        CHECK_FALSE(is_sampled(name, Level::quick));
}

namespace {

std::string read_back(std::FILE* file) {
    std::rewind(file);
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}

} // namespace

TEST_CASE("progress counts work whose inputs nobody knows by the time that its family takes", "[progress]") {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    {
        print::Progress progress(file, print::Progress::Mode::line, 0);
        const print::ExpectedWork quantize{"quantize", 100};
        for (const print::ExpectedWork& piece : {quantize, quantize, quantize, print::ExpectedWork{"layout", 100}})
            progress.expect_work(piece);
        progress.start_work("quantize-1");
        const auto began = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(200)) {
        }
        progress.finish_work("quantize-1", quantize);
        // Three more that take as long: a quarter is done.
        progress.start_work("quantize-2");
    }
    const std::string text = read_back(file);
    CHECK_THAT(text, Contains("  0%  quantize-1"));
    CHECK_THAT(text, Contains(" 25%  quantize-2") || Contains(" 24%  quantize-2"));
}

TEST_CASE("progress never goes back, whatever takes longer than expected", "[progress]") {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    {
        print::Progress progress(file, print::Progress::Mode::line, 0);
        const print::ExpectedWork short_one{"short", 1e-3};
        for (int i = 0; i < 4; ++i) progress.expect_work(short_one);
        const auto began = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(200)) {
        }
        progress.start_work("short-1"); // 200 ms of 204 as expected
        while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(400)) {
        }
        progress.finish_work("short-1", short_one);
        progress.start_work("short-2"); // 400 ms of 1000
    }
    const std::string text = read_back(file);
    CHECK_THAT(text, Contains(" 98%  short-1") || Contains(" 99%  short-1"));
    CHECK_THAT(text, Contains(" 98%  short-2") || Contains(" 99%  short-2"));
}

TEST_CASE("a long run says how long, and what is shorter", "[progress]") {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    {
        print::Progress progress(file, print::Progress::Mode::log, std::uint64_t{1} << 33);
        progress.advise("mxcert certify x --level quick");
        progress.start("fp32-e4m3-nearest_even-sat", std::uint64_t{1} << 32);
        progress.update(1000); // before a second of it nothing is known
        while (std::ftell(file) == 0) progress.update(1'000'000);
        progress.update(2'000'000);
    }
    const std::string text = read_back(file);
    CHECK_THAT(text,
               Contains("mxcert: fp32-e4m3-nearest_even-sat: about ") && Contains("for 4,294,967,296 inputs, at "));
    CHECK_THAT(text, Contains("for all conversions; minutes: mxcert certify x --level quick\n"));
    CHECK(text.find("about", text.find("minutes:")) == std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
// The in-toto statement beside a certificate: what it names, and that it follows from the certificate.
#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "conformance/evidence/test/published.hpp"
#include "vectors/base/sha256.hpp"

using Catch::Matchers::Contains;

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;
using files::Json;

void edit_statement(const fs::path& path, const std::function<void(Json&)>& forge) {
    Json json = files::read_json(path);
    const Json before = json;
    forge(json);
    REQUIRE(json != before);
    files::OutputFile(path).write(files::json_text(json));
}

TEST_CASE("forged statements are refused", "[evidence][forgery][values]") {
    const Published published({"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat"});
    const std::string original = content(published.statement().string());
    REQUIRE(published.verify().code == 0);
    CHECK_THAT(published.verify().out, Contains("Statement    follows from the certificate"));
    const auto predicate = [](Json& j) -> Json& { return j["predicate"]; };
    const std::vector<std::pair<std::string, std::function<void(Json&)>>> forgeries{
        {"another type", [](Json& j) { j["_type"] = "https://in-toto.io/Statement/v0.1"; }},
        {"another predicate", [](Json& j) { j["predicateType"] = "https://slsa.dev/provenance/v1"; }},
        {"another result", [=](Json& j) { predicate(j)["result"] = "FAILED"; }},
        {"a row that did not pass", [=](Json& j) { predicate(j)["failedTests"].push_back("ocp-sat x"); }},
        {"a row taken away", [=](Json& j) { predicate(j)["passedTests"].erase(0); }},
        {"another certificate",
         [=](Json& j) { predicate(j)["configuration"][0]["digest"]["sha256"] = std::string(64, '0'); }},
        {"other vectors", [=](Json& j) { predicate(j)["configuration"][1]["name"] = "other"; }},
        {"another backend", [](Json& j) { j["subject"][0]["digest"]["sha256"] = std::string(64, '0'); }},
        {"a subject that was not loaded",
         [](Json& j) {
             j["subject"].push_back({{"name", "libm.so.6"}});
         }},
        {"a larger coverage", [=](Json& j) { predicate(j)["run"]["coverage"][0]["compared"] = 65'537; }},
        {"another level", [=](Json& j) { predicate(j)["run"]["level"] = "complete"; }},
        {"a member more", [](Json& j) { j["endorsed"] = true; }},
        {"files that are no list", [=](Json& j) { predicate(j)["run"]["files"] = 7; }},
        {"a digest that is no text",
         [=](Json& j) {
             predicate(j)["run"]["files"] = {{"/lib/x", 7}};
         }},
        {"no predicate", [](Json& j) { j.erase("predicate"); }},
    };
    for (const auto& [name, forge] : forgeries) {
        INFO(name);
        edit_statement(published.statement(), forge);
        const test::Result result = published.verify();
        INFO(result.out << result.err);
        CHECK(result.code == 1);
        CHECK_THAT(result.out, Contains("REFUSED: ") && Contains("statement.json"));
        std::ofstream(published.statement(), std::ios::binary) << original;
    }
    std::ofstream(published.statement(), std::ios::binary) << "{";
    CHECK(published.verify().code == 1);
    fs::remove(published.statement());
    CHECK_THAT(published.verify().out, Contains("VERIFIED") && Contains("there is no 'statement.json'"));
}

TEST_CASE("a statement names the backend and what it had loaded", "[evidence][values]") {
    const TemporaryFolder folder;
    const std::string plugin = MXCERT_TEST_PLUGINS "/portable.so";
    const auto run = [&](const std::string& arguments) {
        test::Result result = test::shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    const std::string certify = "certify " + plugin + " --level quick --profile ocp-sat --quiet --report out ";
    REQUIRE(run(certify + "--filter fp16-e4m3-nearest_even-sat").code == 0);
    const fs::path path = folder.path() / "out/statement.json";
    const Json statement = files::read_json(path);
    CHECK(statement.at("predicate").at("result") == "PASSED");
    CHECK(statement.at("subject").at(0).at("digest").at("sha256") == sha256_file(plugin));
    const Json& loaded = statement.at("predicate").at("run").at("files");
    CHECK(loaded.value(fs::canonical(plugin).string(), "") == sha256_file(plugin));
    const auto libc = std::find_if(loaded.items().begin(), loaded.items().end(),
                                   [](const auto& file) { return file.key().ends_with("/libc.so.6"); });
    REQUIRE(libc != loaded.items().end());
    CHECK(libc.value() == sha256_file(libc.key()));
    CHECK(statement.at("subject").size() == loaded.size() + 1);

    CHECK_THAT(run("verify out/report.json " + plugin + " --all").out, Contains("Loaded       the same "));
    // Another file in the place of a library is said, and no reason to refuse: the answers decide.
    const std::string& name = libc.key();
    edit_statement(path, [&](Json& j) {
        for (Json& subject : j["subject"])
            if (subject["name"] == name) subject["digest"]["sha256"] = std::string(64, '1');
        j["predicate"]["run"]["files"][name] = std::string(64, '1');
    });
    const test::Result other = run("verify out/report.json " + plugin + " --all");
    CHECK(other.code == 0);
    CHECK_THAT(other.out, Contains("Not checked  that these files answer as those of the run:") &&
                              Contains(name + ": is another file now") && !Contains("Loaded  "));
}

TEST_CASE("a run that starts nothing leaves no statement", "[evidence]") {
    const TemporaryFolder folder;
    fs::create_directory(folder.path() / "out");
    std::ofstream(folder.path() / "out/statement.json") << "of an earlier run";
    const test::Result none = test::shell(folder.path(), "mxcert certify /bin/false --quiet --report out");
    INFO(none.out << none.err);
    CHECK(none.code != 0);
    CHECK(!fs::exists(folder.path() / "out/statement.json"));
}

TEST_CASE("the signature of a statement is one of its certificate", "[evidence][signature]") {
    const Published published({"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat"});
    const auto run = [&](const std::string& commands) { return test::shell(published.folder.path(), commands); };
    if (run("command -v minisign").code != 0) {
        WARN("UNTESTED: minisign is not installed");
        return;
    }
    REQUIRE(run("minisign -G -W -p maker.pub -s maker.sec > /dev/null; "
                "minisign -S -s maker.sec -m out/statement.json > /dev/null")
                .code == 0);
    const test::Result good = run("mxcert verify out --public-key maker.pub");
    INFO(good.out << good.err);
    CHECK(good.code == 0);
    CHECK_THAT(good.out, Contains("Signature    of 'statement.json' by minisign"));
    // Signed, and of another certificate.
    Json json = files::read_json(published.file());
    json["started"] = "2020-01-01T00:00:00Z";
    json["sha256"] = report::report_checksum(json);
    files::OutputFile(published.file()).write(files::json_text(json));
    const test::Result other = run("mxcert verify out --public-key maker.pub");
    CHECK(other.code == 1);
    CHECK_THAT(other.out, Contains("'out/statement.json' does not follow from 'out/certificate.json'"));
}

} // namespace
} // namespace mxcert::evidence

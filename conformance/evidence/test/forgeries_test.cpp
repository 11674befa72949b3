// SPDX-License-Identifier: Apache-2.0
// Whoever forges a certificate knows this program and makes every checksum right. Each forgery is refused, with a
// reason.
#include <map>

#include "catch.hpp"
#include "conformance/evidence/test/published.hpp"

using Catch::Matchers::Contains;

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;
using files::Json;

const std::string first = "fp16-e4m3-nearest_even-sat";
const std::string second = "fp16-e5m2-nearest_even-sat";
const std::string wide = "fp64-e5m2-nearest_even-sat";

struct Forgery {
    const char* name;
    std::function<void(const Published&)> forge;
    const char* reason; ///< in what is printed
    std::string arguments{};
};

Forgery in_report(const char* name, std::function<void(Json&)> edit, const char* reason) {
    return {name, [edit = std::move(edit)](const Published& published) { published.edit(edit); }, reason};
}

/// A line of steps, "0 3F 7E", with another code.
Json with_code(const Json& line, const std::string& code) {
    const std::string text = line.get<std::string>();
    return text.substr(0, text.rfind(' ') + 1) + code;
}

/// The names and contents of all files: a forgery that changes nothing is none.
std::string everything_in(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        files[entry.path().string()] = entry.is_regular_file() ? content(entry.path().string()) : "";
    std::string all;
    for (const auto& [name, text] : files) all += name + '\n' + text;
    return all;
}

void check_refused(const std::vector<Forgery>& forgeries, const std::vector<std::string>& offers,
                   const std::vector<std::string>& filters = {}) {
    const Published original(offers, filters);
    REQUIRE(original.verify().code == 0);
    for (const Forgery& forgery : forgeries) {
        const fs::path kept = original.folder.path() / "kept";
        fs::copy(original.out(), kept, fs::copy_options::recursive);
        const std::string before = everything_in(original.out());
        forgery.forge(original);
        INFO(forgery.name);
        CHECK((everything_in(original.out()) != before || !forgery.arguments.empty()));
        const test::Result result = original.verify(forgery.arguments);
        INFO(result.out << result.err);
        CHECK(result.code == 1);
        CHECK_THAT(result.out, Contains("REFUSED: ") && Contains(forgery.reason) && !Contains("VERIFIED"));
        fs::remove_all(original.out());
        fs::rename(kept, original.out());
    }
    CHECK(original.verify().code == 0); // each was put back
}

TEST_CASE("forged reports are refused", "[evidence][forgery][values]") {
    const auto rows = [](Json& j) -> Json& { return j["rows"]; };
    check_refused(
        {
            in_report(
                "a count raised", [=](Json& j) { rows(j)[0]["compared"] = 65'537; }, "compared 65537 of 65536"),
            in_report(
                "a count and its total raised",
                [=](Json& j) {
                    rows(j)[0]["compared"] = 65'537;
                    rows(j)[0]["total"] = "65537";
                },
                "row fp16-e4m3-nearest_even-sat compared: 65537, and the record gives 65536"),
            in_report(
                "more inputs sent twice", [=](Json& j) { rows(j)[0]["repeated"] = 65'000; }, "repeated: 65000"),
            in_report(
                "a row removed", [=](Json& j) { rows(j).erase(1); }, "'counts' has 2 PASS, and the rows 1"),
            in_report(
                "a row removed, and the counts made right",
                [=](Json& j) {
                    rows(j).erase(1);
                    j["counts"]["PASS"] = 1;
                },
                "from its record"),
            in_report(
                "a row added that the record has no answers for",
                [=](Json& j) {
                    Json row = rows(j)[0];
                    row["id"] = "bf16-e4m3-nearest_even-sat";
                    rows(j).push_back(row);
                    j["counts"]["PASS"] = 3;
                    j["backend"]["offers"].push_back("bf16-e4m3-nearest_even-sat");
                },
                "from its record"),
            in_report(
                "a row twice", [=](Json& j) { rows(j).push_back(rows(j)[0]); }, "twice"),
            in_report(
                "a status changed", [=](Json& j) { rows(j)[0]["status"] = "UNSUPPORTED"; }, "'counts' has"),
            in_report(
                "a status changed, and the counts made right",
                [=](Json& j) {
                    rows(j)[0]["status"] = "UNSUPPORTED";
                    j["counts"]["PASS"] = 1;
                    j["counts"]["UNSUPPORTED"] = 1;
                },
                "status: \"UNSUPPORTED\", and the record gives \"PASS\""),
            in_report(
                "another profile",
                [=](Json& j) {
                    j["profiles"] = {"ocp"};
                    for (Json& row : rows(j)) row["profile"] = "ocp";
                },
                "profile: \"ocp\", and the record gives \"ocp-sat\""),
            in_report(
                "another level", [](Json& j) { j["level"] = "complete"; }, "level: \"complete\""),
            in_report(
                "another seed", [](Json& j) { j["seed"] = 2; }, "seed: 2"),
            in_report(
                "an offer more", [](Json& j) { j["backend"]["offers"].push_back(wide); }, "backend offers"),
            in_report(
                "another name", [](Json& j) { j["backend"]["name"] = "other"; }, "backend name: \"other\""),
            in_report(
                "another file was certified", [](Json& j) { j["backend"]["build_id"] = std::string(64, '0'); },
                "backend build_id"),
            in_report(
                "other options", [](Json& j) { j["backend"]["options"] = "fast"; }, "backend options"),
            in_report(
                "another version", [](Json& j) { j["tool"]["version"] = "0.0.1"; }, "with the version 0.0.1"),
            in_report(
                "an older vector set", [](Json& j) { j["vectors"]["version"] = "0.1.0"; }, "the vector set 0.1.0"),
            in_report(
                "other vectors of the same name",
                [](Json& j) { j["vectors"]["manifest_sha256"] = std::string(64, 'A'); }, "manifest of vectors"),
            in_report(
                "no golden files", [](Json& j) { j["vectors"]["manifest_sha256"] = ""; },
                "its run found no golden files, so it does not name the vectors"),
            in_report(
                "another table judged", [=](Json& j) { rows(j)[0]["golden_sha256"] = std::string(64, 'A'); },
                "golden_sha256"),
            in_report(
                "other answers", [=](Json& j) { rows(j)[0]["observed_sha256"] = std::string(64, 'A'); },
                "observed_sha256"),
            in_report(
                "a clause less", [](Json& j) { j["clauses"]["secondary"] = Json::array(); }, "'clauses' has"),
            in_report(
                "no clause", [=](Json& j) { rows(j)[0]["clauses"] = Json::array(); }, "no clause judged it"),
            in_report(
                "larger calls", [=](Json& j) { rows(j)[0]["places"]["largest_call"] = 1 << 24; }, "places"),
            in_report(
                "a member that nobody wrote", [](Json& j) { j["approved"] = true; }, "approved: true"),
            in_report(
                "a reason", [=](Json& j) { rows(j)[0]["reason"] = "audited"; }, "reason: \"audited\""),
            in_report(
                "another exit code", [](Json& j) { j["exit_code"] = 4; }, "'exit_code' is 4, and the rows give 0"),
            in_report(
                "an outside offer hidden", [](Json& j) { j["outside"] = Json::array({"x"}); }, "outside"),
            in_report(
                "something left out", [](Json& j) { j["left_out"] = Json::array({wide}); }, "left_out"),
            {"a name twice",
             [](const Published& p) {
                 p.edit_text([](std::string& text) { text.insert(2, "\"certificate\": true,"); });
             },
             "has 'certificate' twice"},
            {"a name twice in a row",
             [](const Published& p) {
                 p.edit_text([](std::string& t) { t.insert(t.find("\"status\": \"PASS\""), "\"status\": \"FAIL\","); });
             },
             "has 'status' twice"},
            {"bytes at the end", [](const Published& p) { p.edit_text([](std::string& t) { t += "{}"; }); },
             "not valid JSON"},
            {"cut short", [](const Published& p) { p.edit_text([](std::string& t) { t.resize(t.size() / 2); }); },
             "not valid JSON"},
            {"a digit changed, and not the checksum",
             [](const Published& p) { p.edit_text([](std::string& t) { t[t.find("65536")] = '5'; }); },
             "changed after it was written"},
            {"another file is called the backend", [](const Published&) {}, "is another build than the one",
             "portable"},
        },
        {first, second});
}

TEST_CASE("forged records are refused", "[evidence][forgery][values]") {
    const auto steps = [](Json& j) -> Json& { return j["observations"][0]["steps"]; };
    const auto in_unit = [](const char* name, std::function<void(Json&)> edit, const char* reason) {
        return Forgery{name, [edit = std::move(edit)](const Published& p) { p.edit_unit(first, edit); }, reason};
    };
    check_refused(
        {
            {"a file changed", [](const Published& p) { std::ofstream(p.unit(first), std::ios::app) << ' ' << '{'; },
             "not valid JSON"},
            {"an answer changed, and no checksum",
             [=](const Published& p) {
                 Json json = files::read_json(p.unit(first));
                 steps(json)[1] = with_code(steps(json)[1], "7E");
                 files::OutputFile(p.unit(first)).write(files::json_text(json));
             },
             "the file was changed after it was written"},
            in_unit(
                "a wrong answer hidden", [=](Json& j) { steps(j)[1] = with_code(steps(j)[1], "7E"); },
                "status: \"PASS\", and the record gives \"FAIL\""),
            in_unit(
                "another answer that is permitted",
                [=](Json& j) { steps(j).back() = with_code(steps(j).back(), "FF"); }, "observed_sha256"),
            in_unit(
                "a code that the format does not have", [=](Json& j) { steps(j)[1] = with_code(steps(j)[1], "1FF"); },
                "from its record"),
            in_unit(
                "a hole",
                [=](Json& j) {
                    const std::string text = steps(j)[3].get<std::string>();
                    const Code low = std::stoull(text, nullptr, 16);
                    const Code high = std::stoull(text.substr(text.find(' ')), nullptr, 16);
                    steps(j).erase(3);
                    j["observations"][0]["inputs"] = j["observations"][0]["inputs"].get<Code>() - (high - low + 1);
                },
                "the record gives \"UNTESTED\""),
            in_unit(
                "no answers", [](Json& j) { j["observations"] = Json::array(); }, "from its record"),
            in_unit(
                "answers that changed", [](Json& j) { j["observations"][0]["status"] = "FAIL"; },
                "the record gives \"FAIL\""),
            {"a file removed", [](const Published& p) { fs::remove(p.unit(second)); }, "its record has a hole: 1 unit"},
            {"a part removed", [](const Published& p) { fs::remove_all(p.unit(second).parent_path().parent_path()); },
             "its record has a hole"},
            {"a unit's answers under another's name",
             [](const Published& p) {
                 fs::copy_file(p.unit(first), p.unit(second), fs::copy_options::overwrite_existing);
             },
             "has the answers of the unit "
             "fp16-e4m3"},
            {"two units swapped",
             [](const Published& p) {
                 fs::rename(p.unit(first), p.folder.path() / "swapped");
                 const fs::path other = p.unit(second);
                 fs::rename(other, other.parent_path() / (first + ".json"));
                 fs::rename(p.folder.path() / "swapped", other);
             },
             "part"},
            {"a file of another run",
             [](const Published& p) {
                 const Published other({first, second}, {}, 2);
                 fs::copy_file(other.unit(first), p.unit(first), fs::copy_options::overwrite_existing);
             },
             "is of another run than its shard.json"},
            {"the record of another run",
             [](const Published& p) {
                 const Published other({first, second}, {}, 2);
                 fs::remove_all(p.out() / "answers");
                 fs::copy(other.out() / "answers", p.out() / "answers", fs::copy_options::recursive);
             },
             "seed: 1, and the record gives 2"},
            {"parts of two runs",
             [](const Published& p) {
                 const Published other({first, second}, {}, 2);
                 fs::remove_all(p.out() / "answers/2");
                 fs::copy(other.out() / "answers/2", p.out() / "answers/2", fs::copy_options::recursive);
             },
             "are parts of different runs"},
            {"an empty folder",
             [](const Published& p) {
                 fs::remove_all(p.out() / "answers");
                 fs::create_directory(p.out() / "answers");
             },
             "has no record"},
            {"a file more",
             [](const Published& p) { fs::copy_file(p.unit(first), p.unit(first).parent_path() / "x.json"); },
             "is no unit of the run"},
        },
        {first, second});
}

TEST_CASE("a sample that is called complete is refused, and so is a part", "[evidence][forgery][values]") {
    const auto called_certificate = [](Json& j) {
        j["complete"] = true;
        j["certificate"] = true;
        j["selection"] = "";
        j["filters"] = Json::array();
    };
    check_refused(
        {
            in_report("called complete", called_certificate, "'complete' is true, and fp64"),
            in_report(
                "and called no sample",
                [=](Json& j) {
                    called_certificate(j);
                    for (Json& row : j["rows"]) row["sample"] = false;
                },
                "is no sample of 2^64 inputs"),
            in_report(
                "and all that there are",
                [=](Json& j) {
                    called_certificate(j);
                    for (Json& row : j["rows"]) {
                        row["sample"] = false;
                        row["total"] = std::to_string(row["compared"].get<std::uint64_t>());
                    }
                },
                "from its record"),
            {"answers to other inputs than were asked",
             [](const Published& p) {
                 p.edit_unit(wide, [](Json& j) {
                     Json& points = j["observations"][0]["points"];
                     points[points.size() - 1] = points[points.size() - 2]; // the last input is not asked
                 });
             },
             "from its record"},
        },
        {"fp64-e4m3-nearest_even-sat", wide});
    check_refused({in_report("a part called the whole", called_certificate, "selection: \"\", and the record gives")},
                  {first, second}, {first});
}

TEST_CASE("answers to other inputs than were asked certify nothing", "[evidence][forgery][values]") {
    const Published published({"fp64-e4m3-nearest_even-sat", wide});
    published.edit_unit(wide, [](Json& j) {
        Json& points = j["observations"][0]["points"];
        points[points.size() - 1] = points[points.size() - 2];
    });
    const test::Result merged =
        test::shell(published.folder.path(), "mxcert merge out/answers/* -o again --no-backend --quiet");
    INFO(merged.out << merged.err);
    CHECK(merged.code == 3);
    CHECK_THAT(merged.out, Contains("the stored answers are not those to the inputs that were asked"));
}

TEST_CASE("what the answers do not decide may differ", "[evidence]") {
    const Published published({first, second});
    published.edit([](Json& j) {
        j["started"] = "2020-01-01T00:00:00Z";
        j["seconds"] = 1.5;
        j["jobs"] = 99;
        j["host"]["cpu"] = "another";
        j["backend"]["argument"] = "./elsewhere/fake.so";
        j["rows"][0]["seconds"] = 7;
    });
    const test::Result result = published.verify();
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("VERIFIED: the certificate of fake against ocp-sat, at level quick, 2 rows"));
    CHECK_THAT(result.out, Contains("Not checked  that the answers are those of the backend"));
}

TEST_CASE("a backend that does not answer as it did is refused", "[evidence][values]") {
    const TemporaryFolder folder;
    const std::string plugin = " '" MXCERT_TEST_HOSTILE "/ways.so' ";
    const auto run = [&](const std::string& way, const std::string& arguments) {
        test::Result result = test::shell(folder.path(), "MXCERT_TEST_WAY=" + way + " mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    // The plugin is wrong at one input, as its environment says: the report is a FAIL, and follows from its answers.
    CHECK(run("wrong:3C01", "certify" + plugin +
                                "--level quick --profile ocp-sat --quiet --shard 1/1 --keep out/answers "
                                "--filter fp16-e4m3-nearest_even-sat")
              .code == 1);
    CHECK(run("wrong:3C01", "merge out/answers -o out --no-backend --quiet").code == 1);
    const std::string verify = "verify out/report.json" + plugin + "--slices 16";
    const test::Result same = run("wrong:3C01", verify);
    CHECK(same.code == 0);
    CHECK_THAT(same.out, Contains("VERIFIED: the report of ") && Contains("it is not a certificate") &&
                             Contains("65,536 inputs of 1 table; --slices 16 --seed "));
    const test::Result other = run("wrong:3C05", verify);
    CHECK(other.code == 1);
    CHECK_THAT(other.out, Contains("asked again, the backend answers otherwise than recorded") &&
                              Contains("fp16-e4m3-nearest_even-sat: input 0x3C01 gives"));
    const test::Result crashed = run("crash_one:3C05", verify);
    CHECK(crashed.code == 1);
    CHECK_THAT(crashed.out, Contains("REFUSED: ") && Contains("signal"));
}

TEST_CASE("a record of --keep is evidence of what it holds", "[evidence][values]") {
    const TemporaryFolder folder;
    const std::string backend =
        "'pipe:e5m2-fp16-nearest_even-nosat,e5m2-fp16-toward_zero-nosat:sed s/$/00/' "; // two: they are asked in turn
    const auto run = [&](const std::string& arguments) {
        test::Result result = test::shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    REQUIRE(run("certify " + backend +
                "--backend-option at-end --jobs 1 --level quick --profile ocp-nosat --keep kept "
                "--report out")
                .code == 0);
    CHECK(run("verify out --record kept").code == 0);
    CHECK(run("verify out --record kept --all").code == 2);
    CHECK_THAT(run("verify out --record kept --record ./kept").out, Contains("are two records"));
    fs::remove(folder.path() / "kept/e5m2-fp16-nearest_even-nosat.csv");
    CHECK(run("verify out --record kept").code == 1);
}

TEST_CASE("without a record a certificate is not verified", "[evidence]") {
    const Published published({first, second});
    fs::rename(published.out() / "answers", published.folder.path() / "elsewhere");
    const test::Result none = published.verify();
    CHECK(none.code == 3);
    CHECK_THAT(none.out, Contains("NOT VERIFIED: there is no record of the answers") && !Contains("\nVERIFIED"));
    CHECK(published.verify("--record elsewhere").code == 0);
    CHECK(published.verify("--record elsewhere/1 --record elsewhere/2").code == 0);
    CHECK(published.verify("--record elsewhere/1").code == 1);
    CHECK(published.verify("--record no-such-folder").code == 1);
    CHECK(published.verify("portable").code == 3);
    CHECK(published.verify("--all").code == 2);
    CHECK(test::shell(published.folder.path(), "mxcert verify no-such-file").code == 2);
    CHECK(test::shell(published.folder.path(), "mxcert verify .").code == 2);
    CHECK(test::shell(published.folder.path(), "mxcert verify").code == 2);
    CHECK(published.verify("no-such-backend --record elsewhere").code != 0);
}

} // namespace
} // namespace mxcert::evidence

// SPDX-License-Identifier: Apache-2.0
// What comes back from a device that is not attached: whatever the file holds, only what is right and whole passes.
#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "conformance/offline/offline_answers.hpp"
#include "conformance/offline/offline_plan.hpp"
#include "conformance/test/offline_fixture.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/base/random.hpp"
#include "vectors/base/sha256.hpp"

using namespace mxcert;
using namespace mxcert::offline;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

OfflineIndex wanted(OfflineInputs inputs, std::vector<std::string> filters) {
    OfflineIndex index;
    index.inputs = inputs;
    index.profiles = {"ocp-sat"};
    index.filters = std::move(filters);
    return index;
}

/// The verdict on one conversion of a folder, as certify gives it.
verdict::Row verdict_of(const fs::path& folder, const char* id) {
    const auto subject = open_offline(folder, {});
    const Conversion conversion = parse_conversion(id);
    OfflineIndex index = read_offline_index(folder);
    const auto questions = plan_offline(index);
    const auto question = std::find_if(questions.begin(), questions.end(),
                                       [&](const OfflineQuestion& q) { return q.conversion == conversion; });
    REQUIRE(question != questions.end());
    const observe::Observation seen =
        subject->holds_points(conversion)
            ? subject->observe_points(conversion, subject->answerable(conversion, {}), nullptr)
            : subject->observe(conversion, nullptr);
    return verdict::judge(seen, question->permitted, 5);
}

constexpr const char* bf16 = "bf16-e4m3-nearest_even-sat";
constexpr const char* fp16 = "fp16-e4m3-nearest_even-sat";

} // namespace

TEST_CASE("offline answers in frames: what is right passes, all inputs and chosen ones") {
    for (const OfflineInputs inputs : {OfflineInputs::all, OfflineInputs::boundaries}) {
        const TemporaryFolder folder;
        OfflineIndex index = wanted(inputs, {bf16, fp16, "fp32-e4m3-nearest_even-sat"});
        if (inputs == OfflineInputs::all) index.filters.pop_back();
        write_offline(index, folder.path());
        write(folder.path() / "responses.mxcf", joined(respond(folder.path(), index)));
        for (const Conversion& conversion : index.conversions) {
            const verdict::Row row = verdict_of(folder.path(), to_string(conversion).c_str());
            CAPTURE(row.id, row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.sample == (inputs == OfflineInputs::boundaries));
            CHECK(row.repeated == row.compared);
            if (inputs == OfflineInputs::all)
                CHECK(row.compared == 65'536);
            else
                CHECK((row.compared > 1'000 && row.compared < 80'000));
        }
    }
}

TEST_CASE("offline answers in frames: a wrong answer is FAIL, an unwritten or changing one is found") {
    struct {
        const char* what;
        Status status;
        const char* reason;
        Spoil spoil;
    } const table[] = {
        {"wrong whenever asked", Status::fail, "1 of 65,536 inputs",
         [](std::size_t, const frames::ConvertRequest& request, std::string& outputs) {
             if (request.conversion == 0 && request.first <= 0x3F89 && 0x3F89 < request.first + request.count)
                 outputs[0x3F89 - request.first] = 0x38;
         }},
        {"wrong the first time only", Status::fail, "changed when asked again",
         [](std::size_t number, const frames::ConvertRequest&, std::string& outputs) {
             if (number == 1) outputs[9] = static_cast<char>(outputs[9] ^ 1);
         }},
        {"unwritten", Status::mistrusted, "1 value of the output was never written",
         [](std::size_t, const frames::ConvertRequest& request, std::string& outputs) {
             if (request.first <= 0x3F88 && 0x3F88 < request.first + request.count)
                 outputs[0x3F88 - request.first] = static_cast<char>(request.poison);
         }},
        {"one constant", Status::mistrusted, "the answer to every input",
         [](std::size_t, const frames::ConvertRequest&, std::string& outputs) {
             std::fill(outputs.begin(), outputs.end(), '\x38');
         }},
        {"not offered after all, of a part", Status::error, "refused the others: not here",
         [](std::size_t number, const frames::ConvertRequest&, std::string& outputs) {
             if (number == 2) outputs.clear();
         }},
        {"one value too few", Status::error, "values instead of",
         [](std::size_t number, const frames::ConvertRequest&, std::string& outputs) {
             if (number == 2) outputs.pop_back();
         }},
        {"one value too many", Status::error, "values instead of",
         [](std::size_t number, const frames::ConvertRequest&, std::string& outputs) {
             if (number == 2) outputs += 'x';
         }},
    };
    for (const auto& row : table) {
        const TemporaryFolder folder;
        OfflineIndex index = wanted(OfflineInputs::all, {bf16});
        write_offline(index, folder.path());
        write(folder.path() / "responses.mxcf", joined(respond(folder.path(), index, row.spoil)));
        const verdict::Row judged = verdict_of(folder.path(), bf16);
        CAPTURE(row.what, judged.reason);
        CHECK(judged.status == row.status);
        CHECK_THAT(judged.reason, Contains(row.reason));
    }
}

TEST_CASE("offline answers in frames: a byte with bits above those of its format is FAIL") {
    constexpr const char* id = "bf16-e2m1-nearest_even-sat";
    struct {
        Status status;
        const char* reason;
        Spoil spoil;
    } const table[] = {
        {Status::fail, "input 0x0000 gave 0xF0: bits above the 4 of e2m1 are set",
         [](std::size_t, const frames::ConvertRequest&, std::string& outputs) {
             for (char& output : outputs) output = static_cast<char>(output | 0xF0);
         }},
        {Status::fail, "the poison: it was not written, or bits above the 4 of e2m1 are set",
         [](std::size_t, const frames::ConvertRequest& request, std::string& outputs) {
             std::fill(outputs.begin(), outputs.end(), static_cast<char>(request.poison));
         }},
    };
    for (const OfflineInputs inputs : {OfflineInputs::all, OfflineInputs::boundaries})
        for (const auto& row : table) {
            const TemporaryFolder folder;
            OfflineIndex index = wanted(inputs, {id});
            write_offline(index, folder.path());
            write(folder.path() / "responses.mxcf", joined(respond(folder.path(), index, row.spoil)));
            const verdict::Row judged = verdict_of(folder.path(), id);
            CAPTURE(row.reason, judged.reason);
            CHECK(to_string(judged.status) == to_string(row.status));
            CHECK_THAT(judged.reason, Contains(row.reason));
            // Each answer that was written counts, and is wrong.
            CHECK(judged.differing == judged.compared);
            CHECK((judged.compared != 0) == (&row == &table[0]));
        }
}

TEST_CASE("offline answers in frames: a file that is not whole and in order passes nothing") {
    const TemporaryFolder folder;
    OfflineIndex index = wanted(OfflineInputs::all, {bf16, fp16});
    write_offline(index, folder.path());
    const std::vector<std::string> parts = respond(folder.path(), index);
    const std::string whole = joined(parts);
    const auto statuses = [&](const std::string& bytes, Status status, const char* reason) {
        write(folder.path() / "responses.mxcf", bytes);
        for (const char* id : {bf16, fp16}) {
            const verdict::Row row = verdict_of(folder.path(), id);
            CAPTURE(id, row.reason, reason);
            CHECK(row.status == status);
            CHECK_THAT(row.reason, Contains(reason));
        }
    };
    // Cut off anywhere, at the start and the end of frames and inside of them.
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{20}, std::size_t{30}, parts[0].size(),
                                     parts[0].size() + 4, parts[0].size() + 24, parts[0].size() + parts[1].size(),
                                     whole.size() / 2, whole.size() - parts.back().size(), whole.size() - 1})
        statuses(whole.substr(0, length), Status::incomplete, "ends at byte");
    const auto edited = [&](std::size_t part, std::size_t at, char flip) {
        std::vector<std::string> copy = parts;
        copy[part].at(at) = static_cast<char>(copy[part][at] ^ flip);
        return joined(copy);
    };
    const auto with = [&](auto edit) {
        std::vector<std::string> copy = parts;
        edit(copy);
        return joined(copy);
    };
    statuses(edited(1, 8, 1), Status::error, "instead of");                 // id
    statuses(edited(1, 0, 1), Status::error, "magic");                      // magic
    statuses(edited(1, 6, 7), Status::error, "");                           // type: RESULT to CONVERT
    statuses(edited(parts.size() - 1, 24, 1), Status::error, "asked were"); // END counts
    statuses(edited(parts.size() - 1, 6, 6 ^ 4), Status::error, "not END"); // RESULT with the counts of END
    statuses(whole + "x", Status::error, "1 byte after END");
    statuses(with([](auto& p) { p.erase(p.begin() + 3); }), Status::error, "id ");
    statuses(with([](auto& p) { p.insert(p.begin() + 3, p[3]); }), Status::error, "id ");
    statuses(with([](auto& p) { std::swap(p[3], p[4]); }), Status::error, "id ");
    statuses(with([](auto& p) { p.erase(p.end() - 2); }), Status::error, "END after");
    statuses(with([](auto& p) { p.erase(p.begin()); }), Status::error, "not HELLO");
    statuses(with([](auto& p) { p[0] = bytes_of(frames::Type::hello, 0, R"({"protocol":1,"error":"no device"})"); }),
             Status::error, "no device");
    // JSON takes many times its text in memory, and what nests deep overflows the stack.
    for (const auto& broken :
         {std::pair{std::string((1 << 20) + 1, '['), "broken HELLO: JSON of more than 1 MiB"},
          {std::string((1 << 20) + 1, ' '), "more than 1 MiB"},
          {R"({"protocol":1,"error":)" + std::string(400'000, '[') + "0" + std::string(400'000, ']') + "}", "nests"},
          {R"({"protocol":1,)", "not a JSON object"},
          {"[]", "not a JSON object"}})
        statuses(with([&](auto& p) { p[0] = bytes_of(frames::Type::hello, 0, broken.first); }), Status::error,
                 broken.second);
    statuses("Segmentation fault\n", Status::error, "did something print");

    // One conversion is spoiled by what breaks no frame; the other one is not.
    write(folder.path() / "responses.mxcf", edited(1, 24 + 16 + 100, 1));
    CHECK(verdict_of(folder.path(), bf16).status == Status::pass);
    CHECK(verdict_of(folder.path(), fp16).status == Status::error);
    CHECK_THAT(verdict_of(folder.path(), fp16).reason, Contains("digest"));

    // A FAILED that is broken: an ERROR of its conversion alone, and what else was answered is judged.
    for (const auto& broken : {std::pair{std::string((1 << 20) + 1, '['), "broken FAILED: JSON of more than 1 MiB"},
                               {std::string(1'000, '[') + std::string(1'000, ']'), "nests"},
                               {"{", "not a JSON object"}}) {
        write(folder.path() / "responses.mxcf", with([&](auto& p) {
                  const auto id = frames_of(p[1]).front().header.id;
                  p[1] = bytes_of(frames::Type::failed, id, broken.first);
              }));
        const verdict::Row row = verdict_of(folder.path(), fp16);
        CAPTURE(row.reason);
        CHECK(row.status == Status::error);
        CHECK_THAT(row.reason, Contains(broken.second));
        CHECK(verdict_of(folder.path(), bf16).status == Status::pass);
    }

    // The answers to other requests.
    OfflineIndex second = index;
    second.seed = 2;
    write_offline(second, folder.path() / "second");
    write(folder.path() / "responses.mxcf", joined(respond(folder.path() / "second", second)));
    CHECK_THAT(verdict_of(folder.path(), bf16).reason, Contains("answers to other requests"));
}

TEST_CASE("offline answers in frames: no single flipped bit passes", "[values]") {
    const TemporaryFolder folder;
    OfflineIndex index = wanted(OfflineInputs::boundaries, {bf16});
    write_offline(index, folder.path());
    const std::vector<std::string> parts = respond(folder.path(), index);
    const std::string whole = joined(parts);
    SplitMix64 random(1);
    for (int i = 0; i < 500; ++i) {
        std::string bytes = whole;
        const std::size_t at = i < 200 ? parts[0].size() + static_cast<std::size_t>(i)
                                       : parts[0].size() + random.below(whole.size() - parts[0].size());
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        write(folder.path() / "responses.mxcf", bytes);
        CAPTURE(at);
        CHECK(verdict_of(folder.path(), bf16).status != Status::pass);
    }
    // HELLO is a description; whatever it becomes, nothing crashes.
    for (std::size_t at = 0; at < parts[0].size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        write(folder.path() / "responses.mxcf", bytes);
        (void)open_offline(folder.path(), {})->observe(parse_conversion(bf16), nullptr);
    }
}

TEST_CASE("an offline folder whose own files are not as they were written is refused") {
    const TemporaryFolder folder;
    OfflineIndex index = wanted(OfflineInputs::boundaries, {bf16});
    write_offline(index, folder.path());
    CHECK_THROWS_WITH(open_offline(folder.path(), {}), Contains("responses.mxcf' is not there"));
    write(folder.path() / "responses.mxcf", joined(respond(folder.path(), index)));
    CHECK_NOTHROW(open_offline(folder.path(), {}));

    const std::string requests = content(folder.path() / "requests.mxcf");
    const std::string json = content(folder.path() / "offline.json");
    write(folder.path() / "requests.mxcf", requests.substr(0, requests.size() - 1));
    CHECK_THROWS_WITH(open_offline(folder.path(), {}), Contains("SHA-256"));
    // Even with the right digest, nothing but requests is taken for requests.
    SplitMix64 random(3);
    for (int i = 0; i < 300; ++i) {
        std::string bytes = requests;
        bytes[random.below(200)] = static_cast<char>(random());
        write(folder.path() / "requests.mxcf", bytes);
        index.sha256 = {sha256(bytes)};
        write(folder.path() / "offline.json", offline_index_text(index));
        try {
            (void)open_offline(folder.path(), {})->observe(parse_conversion(bf16), nullptr);
        } catch (const std::runtime_error&) { // NOLINT(bugprone-empty-catch): no crash is all that is asked
        }
    }
    write(folder.path() / "requests.mxcf", requests);
    for (const auto& [from, to] : {std::pair{"mxcert-offline-1", "mxcert-offline-9"},
                                   {"\"frames\"", "\"pigeons\""},
                                   {"requests.mxcf", "../../etc/passwd"},
                                   {"\"ocp-sat\"", "\"ocp-set\""},
                                   {"bf16-e4m3-nearest_even-sat\"\n", "bf16-e4m3-nearest_even-set\"\n"},
                                   {"\"samples_per_step\": 64", "\"samples_per_step\": 1e99"},
                                   {"{", "["}}) {
        std::string text = json;
        REQUIRE(text.find(from) != std::string::npos);
        text.replace(text.rfind(from), std::string(from).size(), to);
        write(folder.path() / "offline.json", text);
        CAPTURE(from);
        CHECK_THROWS_WITH(open_offline(folder.path(), {}), Contains("offline.json"));
    }
}

TEST_CASE("the inputs that are chosen for a device", "[values]") {
    const std::vector<Code> binades = one_in_each_binade(formats::fp32, 1);
    CHECK(binades.size() == 512);
    for (Code exponent = 0; exponent < 256; ++exponent)
        for (const Code sign : {Code{0}, Code{1}})
            CHECK(std::any_of(binades.begin(), binades.end(),
                              [&](Code code) { return code >> 31 == sign && (code >> 23 & 0xFF) == exponent; }));
    CHECK(one_in_each_binade(formats::e8m0, 1).size() == 256);

    OfflineIndex index = wanted(OfflineInputs::boundaries, {"fp32-e4m3-nearest_even-sat"});
    const auto questions = plan_offline(index);
    REQUIRE(questions.size() == 1);
    const auto& inputs = questions[0].inputs;
    CHECK(std::is_sorted(inputs.begin(), inputs.end()));
    for (const PermitStep& step : questions[0].permitted.steps)
        for (Code near = std::max<Code>(step.first, 2) - 2; near <= std::min<Code>(step.first + 2, 0xFFFFFFFF); ++near)
            CHECK(std::binary_search(inputs.begin(), inputs.end(), near));
    for (const Code code : binades) CHECK(std::binary_search(inputs.begin(), inputs.end(), code));
    CHECK(inputs.size() < 80'000);
    index.filters = {"no-such-*"};
    CHECK_THROWS_AS(plan_offline(index), std::invalid_argument);
}

// Whatever a profile covers, a table has an answer for every input. A device is asked what golden files are about,
// saturating or not: nothing of the FNUZ formats, and not what saturates finite values alone.
TEST_CASE("a device is asked something for every profile of golden files", "[.][exhaustive]") {
    std::set<std::string> nothing;
    for (const Profile& profile : all_profiles()) {
        OfflineIndex everything;
        everything.profiles = {std::string(profile.name)};
        CAPTURE(profile.name);
        try {
            const std::size_t count = plan_offline(everything).size();
            CHECK(count > 5);
        } catch (const std::invalid_argument&) {
            nothing.insert(std::string(profile.name));
        }
    }
    CHECK(nothing == std::set<std::string>{"absmax", "amd-cdna3-ovfl0", "amd-cdna3-ovfl1", "amd-hip-fnuz", "deepseek",
                                           "microxcaling", "nexus", "p3109", "products", "tensor-scaling",
                                           "torchao-float8"});
}

TEST_CASE("chosen inputs are joined and compared one by one") {
    const Conversion conversion = parse_conversion(bf16);
    const auto finished = [&](auto fill) {
        OfflineAnswers answers(conversion);
        answers.add_point(0x3F80, 0xA5, 0x38);
        fill(answers);
        return answers.finish(false);
    };
    const auto twice = finished([](OfflineAnswers& a) { a.add_point(0x3F80, 0x5A, 0x38); });
    CHECK(twice.status == Status::pass);
    CHECK(twice.inputs == 1);
    CHECK(twice.repeated == 1);
    const auto changed = finished([](OfflineAnswers& a) { a.add_point(0x3F80, 0x5A, 0x39); });
    CHECK(changed.status == Status::fail);
    CHECK(changed.unstable);
    CHECK_THAT(changed.reason, Contains("input 0x3F80 gave 0x38 then 0x39"));
    const auto stale = finished([](OfflineAnswers& a) { a.add_point(0x3F80, 0x5A, 0x5A); });
    CHECK(stale.status == Status::mistrusted);
    CHECK_THAT(stale.reason, Contains("the first at input 0x3F80"));
    const auto unwritten = finished([](OfflineAnswers& a) {
        a.add_point(0x4000, 0xA5, 0xA5);
        a.add_point(0x4000, 0x5A, 0x5A);
    });
    CHECK(unwritten.status == Status::mistrusted);
    CHECK_THAT(unwritten.reason, Contains("1 value of the output was never written, the first at input 0x4000"));
    CHECK(unwritten.points.size() == 1);
    CHECK(finished([](OfflineAnswers& a) { a.add_point(0x4000, 0, 0, false); }).status == Status::mistrusted);
    CHECK(finished([](OfflineAnswers& a) { a.add_point(0x4000, 0, std::nullopt); }).status == Status::incomplete);
    CHECK(finished([](OfflineAnswers& a) { a.add_point(0x4000, 0, 0x100); }).status == Status::error);
    OfflineAnswers order(conversion);
    order.add_point(5, 0, 0);
    CHECK_THROWS_AS(order.add_point(3, 0, 0), std::runtime_error);
    CHECK_THROWS_AS(order.add_range(0, 1, 0, std::nullopt), std::runtime_error);
    OfflineAnswers range(conversion);
    range.add_range(0, 4, 0, std::nullopt);
    CHECK_THROWS_AS(range.add_range(9, 4, 0, std::nullopt), std::runtime_error);
    CHECK_THROWS_AS(range.add_range(2, 4, 0, std::nullopt), std::runtime_error);
    CHECK_THROWS_AS(range.add_range(4, 65'536, 0, std::nullopt), std::runtime_error);
    CHECK_THROWS_AS(range.add_point(9, 0, 0), std::runtime_error);
    CHECK(range.finish(true).status == Status::incomplete);
}

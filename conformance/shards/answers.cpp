// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/answers.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/report/sandbox_json.hpp"
#include "conformance/shards/json.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::shards {
namespace {

constexpr std::string_view unit_schema = "mxcert-unit-1";
constexpr std::array all_statuses{Status::pass,        Status::fail,  Status::mistrusted, Status::untested,
                                  Status::unsupported, Status::error, Status::incomplete};

Status status_of(const files::Members& members) {
    const std::string text = members.text("status");
    for (const Status status : all_statuses)
        if (to_string(status) == text) return status;
    members.fail("status", "is no status");
}

/// Three numbers of a line, "0 3F 7E".
std::array<Code, 3> numbers_of(const files::Json& line, const files::Members& members, const char* name) {
    std::array<Code, 3> numbers{};
    if (!line.is_string()) members.fail(name, "has a line that is no text");
    const auto& text = line.get_ref<const std::string&>();
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i != 0 && (at == end || *at++ != ' ')) members.fail(name, "has a line that is not three numbers");
        const auto [next, error] = std::from_chars(at, end, numbers[i], 16);
        if (error != std::errc{}) members.fail(name, "has a line that is not three numbers");
        at = next;
    }
    if (at != end) members.fail(name, "has a line that is not three numbers");
    return numbers;
}

files::Json steps_json(const std::vector<Step>& steps) {
    files::Json lines = files::Json::array();
    for (const Step& step : steps) lines.push_back(fmt::format("{:X} {:X} {:X}", step.first, step.last, step.code));
    return lines;
}

std::vector<Step> stored_steps_of(const files::Members& members, std::uint64_t inputs) {
    std::vector<Step> steps;
    std::uint64_t sum = 0;
    for (const files::Json& line : members.array("steps")) {
        const auto [first, last, code] = numbers_of(line, members, "steps");
        if (last < first || (!steps.empty() && first <= steps.back().last))
            members.fail("steps", fmt::format("do not ascend at input 0x{:X}", first));
        steps.push_back({first, last, code});
        sum += last - first + 1;
    }
    if (sum != inputs) members.fail("steps", fmt::format("are of {} inputs, not of {}", sum, inputs));
    return steps;
}

files::Json observation_json(const StoredObservation& stored) {
    const observe::Observation& seen = stored.seen;
    files::Json json{{"of", stored.of},
                     {"question", stored.question},
                     {"status", to_string(seen.status)},
                     {"reason", seen.reason},
                     {"detail", seen.detail},
                     {"unstable", seen.unstable},
                     {"irregular", seen.irregular},
                     {"inputs", seen.inputs},
                     {"repeated", seen.repeated},
                     {"places",
                      {{"in_batches", seen.places.in_batches},
                       {"neighbours", seen.places.neighbours},
                       {"differing", seen.places.differing},
                       {"asked_again", seen.places.placed},
                       {"largest_call", seen.places.largest_call},
                       {"simplified", seen.places.simplified}}}};
    if (!seen.points.empty()) {
        files::Json lines = files::Json::array();
        for (const inputs::Point& point : seen.points)
            lines.push_back(fmt::format("{:X} {:X} {:X}", point.input, point.random, point.got));
        json["points"] = std::move(lines);
    } else {
        json["whole"] = !seen.table.steps.empty();
        json["steps"] = steps_json(seen.table.steps.empty() ? seen.partial : seen.table.steps);
    }
    return json;
}

StoredObservation observation_of(const files::Members& members) {
    StoredObservation stored{members.text("of"), members.text("question"), {}};
    observe::Observation& seen = stored.seen;
    seen.status = status_of(members);
    seen.reason = members.text("reason");
    seen.detail = members.text("detail");
    seen.unstable = members.flag("unstable");
    seen.irregular = members.flag("irregular");
    seen.inputs = members.number("inputs");
    seen.repeated = members.number("repeated");
    const files::Members places = members.object("places");
    seen.places = {places.number("in_batches"),  places.number("neighbours"),   places.number("differing"),
                   places.number("asked_again"), places.number("largest_call"), places.flag("simplified")};
    if (members.has("points")) {
        for (const files::Json& line : members.array("points")) {
            const auto [input, random, got] = numbers_of(line, members, "points");
            if (random >> 32U != 0) members.fail("points", "has random bits that are more than 32");
            seen.points.push_back({input, static_cast<std::uint32_t>(random), got});
        }
        if (seen.points.size() != seen.inputs) members.fail("points", "are not as many as inputs");
        return stored;
    }
    // Of an irregular observation the first steps are kept.
    const bool whole = members.flag("whole");
    std::vector<Step> steps = stored_steps_of(members, seen.inputs);
    (whole ? seen.table.steps : seen.partial) = std::move(steps);
    return stored;
}

files::Json run_json(const StoredRun& stored) {
    const record::RecordedRun& run = stored.run;
    files::Json json{{"of", stored.of},  {"question", stored.question},     {"row", run.row},
                     {"name", run.name}, {"status", to_string(run.status)}, {"reason", run.reason}};
    if (run.status == Status::pass) {
        json["answer"] = run.answer;
        json["outputs"] = run.outputs;
    }
    return json;
}

StoredRun stored_run_of(const files::Members& members) {
    StoredRun stored{members.text("of"), members.text("question"), {}};
    record::RecordedRun& run = stored.run;
    run.row = members.text("row");
    run.name = members.text("name");
    run.question = stored.question;
    run.status = status_of(members);
    run.reason = members.text("reason");
    if (run.status != Status::pass) return stored;
    run.answer = members.text("answer");
    run.outputs = members.text("outputs");
    return stored;
}

files::Json repeat_json(const StoredRepeat& stored) {
    const frames::RepeatedAnswer& answer = stored.answer;
    return {{"of", stored.of},
            {"question", stored.question},
            {"status", to_string(answer.status)},
            {"reason", answer.reason},
            {"detail", answer.detail},
            {"output", answer.output},
            {"mismatch",
             {{"values", answer.mismatch.values},
              {"first", answer.mismatch.first},
              {"got", answer.mismatch.got},
              {"wanted", answer.mismatch.wanted}}}};
}

StoredRepeat repeat_of(const files::Members& members) {
    StoredRepeat stored{members.text("of"), members.text("question"), {}};
    frames::RepeatedAnswer& answer = stored.answer;
    answer.status = status_of(members);
    answer.reason = members.text("reason");
    answer.detail = members.text("detail");
    answer.output = members.number("output");
    if (answer.output > 3) members.fail("output", "is no output of an operation");
    const files::Members mismatch = members.object("mismatch");
    answer.mismatch = {mismatch.number("values"), mismatch.number("first"), mismatch.number("got"),
                       mismatch.number("wanted")};
    return stored;
}

/// The part that does not depend on who asked, and when.
files::Json answers_json(const Answers& answers) {
    files::Json json{{"schema", unit_schema},
                     {"run", answers.run},
                     {"unit", answers.unit},
                     {"status", to_string(answers.status)},
                     {"reason", answers.reason}};
    json["observations"] = files::Json::array();
    json["runs"] = files::Json::array();
    json["repeats"] = files::Json::array();
    for (const StoredObservation& stored : answers.observations)
        json["observations"].push_back(observation_json(stored));
    for (const StoredRun& stored : answers.runs) json["runs"].push_back(run_json(stored));
    for (const StoredRepeat& stored : answers.repeats) json["repeats"].push_back(repeat_json(stored));
    if (!answers.end.empty()) json["end"] = answers.end;
    return json;
}

template <class Stored> void read_list(const files::Members& file, const std::string& where, const char* name,
                                       Stored (*read)(const files::Members&), std::vector<Stored>& list) {
    for (const files::Json& entry : file.array(name))
        list.push_back(read(files::Members(entry, fmt::format("{}: {}[{}]", where, name, list.size()))));
}

} // namespace

std::string question_of(const observe::Piece& piece) {
    return fmt::format("share {} of {} of the requests from {:X} to {:X}", piece.number, piece.count, piece.low,
                       piece.high);
}

std::string question_of(const std::vector<inputs::Point>& points) {
    std::string text;
    for (const inputs::Point& point : points) text += fmt::format("{:X} {:X},", point.input, point.random);
    return fmt::format("{} inputs with the SHA-256 {}", points.size(), sha256(text));
}

std::string question_of(const frames::RepeatedRun& run) {
    std::string text;
    for (const std::uint64_t size : run.shape) text += fmt::format("{} ", size);
    for (const auto* arrays : {&run.inputs, &run.outputs}) {
        for (const frames::RepeatedArray& array : *arrays) {
            text += fmt::format("| {} x {} ", array.count, array.width);
            for (const std::vector<std::byte>& period : array.periods)
                text += sha256(std::string_view(reinterpret_cast<const char*>(period.data()), period.size()));
        }
    }
    return fmt::format("{}, with the SHA-256 {}", run.name, sha256(text));
}

std::string digest_of(const Answers& answers) { return digest_of_json(answers_json(answers)); }

files::Json with_checksums(files::Json unit) {
    files::Json answers = unit;
    for (const char* member : {"answers_sha256", "host", "sandbox", "started", "seconds"}) answers.erase(member);
    unit["answers_sha256"] = digest_of_json(std::move(answers));
    unit["sha256"] = digest_of_json(unit);
    return unit;
}

void write_answers(const Answers& answers, const std::filesystem::path& path) {
    files::Json json = answers_json(answers);
    json["host"] = host_json(answers.host);
    if (answers.sandbox) json["sandbox"] = report::sandbox_json(*answers.sandbox);
    json["started"] = answers.started;
    json["seconds"] = answers.seconds;
    const std::string text = files::json_text(with_checksums(std::move(json)));
    if (text.size() > most_bytes)
        throw std::runtime_error(
            fmt::format("{}: would take {} MiB, more than is read: leave {} out, and ask it on one "
                        "machine",
                        path.string(), text.size() >> 20U, answers.unit));
    files::OutputFile(path).write(text);
}

Answers read_answers(const std::filesystem::path& path) {
    const files::Json json = read_large_json(path);
    const std::string where = path.string();
    const files::Members file(json, where);
    if (file.text("schema") != unit_schema)
        file.fail("schema", fmt::format("is not \"{}\", the one this version reads", unit_schema));
    check_digest(json, file);
    Answers answers;
    answers.run = file.text("run");
    answers.unit = file.text("unit");
    answers.status = status_of(file);
    answers.reason = file.text("reason");
    answers.host = host_of(file.object("host"));
    if (file.has("sandbox")) answers.sandbox = report::sandbox_of(file.object("sandbox"));
    answers.started = file.text("started");
    const files::Json& seconds = file.member("seconds");
    if (!seconds.is_number() || seconds.get<double>() < 0) file.fail("seconds", "is no time");
    answers.seconds = seconds.get<double>();
    read_list(file, where, "observations", observation_of, answers.observations);
    read_list(file, where, "runs", stored_run_of, answers.runs);
    read_list(file, where, "repeats", repeat_of, answers.repeats);
    if (file.has("end")) answers.end = file.text("end");
    if (file.text("answers_sha256") != digest_of(answers)) file.fail("answers_sha256", "is not that of the answers");
    return answers;
}

} // namespace mxcert::shards

// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/recorded_run.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/files/pack.hpp"
#include "conformance/frames/frames.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::record {
namespace {

constexpr std::string_view runs_schema = "mxcert-runs-1";

void append(std::string& bytes, const frames::Values& values) {
    const std::size_t at = bytes.size();
    bytes.resize(at + values.bytes().size());
    frames::copy_values(bytes.data() + at, values.bytes().data(), values.count(), values.width());
}

void check_digest(const files::Members& members, const char* name, const std::string& digest) {
    constexpr std::size_t digits = 64;
    if (digest.size() != digits || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
        members.fail(name, "is no SHA-256");
}

RecordedRun read_run(const files::Members& members) {
    RecordedRun run;
    run.row = members.text("row");
    run.name = members.text("name");
    run.question = members.text("question");
    check_digest(members, "question", run.question);
    if (members.has("refused")) {
        run.status = Status::unsupported;
        run.reason = members.text("refused");
        return run;
    }
    run.answer = members.text("answer");
    check_digest(members, "answer", run.answer);
    if (members.has("outputs")) run.outputs = members.text("outputs");
    return run;
}

} // namespace

std::string question_of(const frames::RunCase& run_case) {
    std::string bytes;
    for (const std::uint64_t size : run_case.shape) bytes += fmt::format("{} ", size);
    for (const std::vector<frames::Values>* arrays : {&run_case.inputs, &run_case.outputs}) {
        bytes += "| ";
        for (const frames::Values& array : *arrays) bytes += fmt::format("{} x {} ", array.count(), array.width());
    }
    for (const frames::Values& input : run_case.inputs) append(bytes, input);
    return sha256(bytes);
}

std::string answer_bytes(const frames::RunCase& run_case, const std::vector<frames::Values>& outputs) {
    std::string bytes;
    for (const frames::Values& output : outputs) append(bytes, output);
    if (outputs.empty() || run_case.undefined.empty()) return bytes;
    const unsigned width = outputs.front().width();
    for (std::size_t i = 0; i < outputs.front().count(); ++i)
        if (run_case.undefined[i]) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * width), width, '\0');
    return bytes;
}

RecordedRun record_run(const frames::RunCase& run_case, const frames::RunAnswer& answer, std::size_t most) {
    RecordedRun run{run_case.row, run_case.name, question_of(run_case), answer.status, answer.reason, {}, {}};
    if (answer.status != Status::pass) return run;
    const std::string bytes = answer_bytes(run_case, answer.outputs);
    run.answer = sha256(bytes);
    run.outputs = files::pack(bytes);
    if (run.outputs.size() > most) run.outputs.clear();
    return run;
}

frames::RunAnswer replay_run(const RecordedRun& recorded, const frames::RunCase& run_case) {
    if (recorded.status != Status::pass) return {recorded.status, recorded.reason, {}, {}};
    std::size_t size = 0;
    for (const frames::Values& output : run_case.outputs) size += output.bytes().size();
    if (recorded.outputs.empty() && size != 0)
        return {Status::untested, "the record has only a digest of these outputs", {}, {}, recorded.answer};
    std::string bytes;
    try {
        bytes = files::unpack(recorded.outputs, size);
    } catch (const std::runtime_error& error) {
        return {Status::error, std::string("the record is broken: ") + error.what(), {}, {}};
    }
    if (sha256(bytes) != recorded.answer)
        return {Status::error, "the record is broken: outputs are not those of their digest", {}, {}};
    frames::RunAnswer answer;
    answer.outputs = run_case.outputs;
    const char* at = bytes.data();
    for (frames::Values& output : answer.outputs) {
        frames::copy_values(output.bytes().data(), at, output.count(), output.width());
        at += output.bytes().size();
    }
    return answer;
}

std::string write_runs(const RecordedOperation& recorded) {
    files::Json runs = files::Json::array();
    for (const RecordedRun& run : recorded.runs) {
        files::Json json{{"row", run.row}, {"name", run.name}, {"question", run.question}};
        if (run.status == Status::pass)
            json["answer"] = run.answer;
        else
            json["refused"] = run.reason;
        if (!run.outputs.empty()) json["outputs"] = run.outputs;
        runs.push_back(std::move(json));
    }
    return files::json_text({{"schema", runs_schema}, {"operation", to_string(recorded.operation)}, {"runs", runs}});
}

RecordedOperation read_runs(const std::filesystem::path& path) {
    const files::Json json = files::read_json(path);
    const files::Members file(json, path.string());
    if (file.text("schema") != runs_schema)
        file.fail("schema", fmt::format("is not \"{}\", the one this version reads", runs_schema));
    RecordedOperation recorded;
    try {
        recorded.operation = parse_operation(file.text("operation"));
    } catch (const std::invalid_argument& error) {
        file.fail("operation", error.what());
    }
    std::set<std::string> questions;
    for (const files::Json& entry : file.array("runs")) {
        const files::Members members(entry, fmt::format("{}: runs[{}]", path.string(), recorded.runs.size()));
        recorded.runs.push_back(read_run(members));
        if (!questions.insert(recorded.runs.back().question).second) members.fail("question", "is there twice");
    }
    return recorded;
}

} // namespace mxcert::record

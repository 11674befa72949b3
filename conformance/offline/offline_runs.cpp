// SPDX-License-Identifier: Apache-2.0
#include "conformance/offline/offline_runs.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/certify/leave_out.hpp"
#include "conformance/frames/frame_json.hpp"
#include "conformance/frames/run_as_offered.hpp"
#include "conformance/observe/hello.hpp"
#include "conformance/print/text.hpp"
#include "conformance/record/recorded_run.hpp"
#include "conformance/suites/ask_operation.hpp"
#include "conformance/suites/registry.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::offline {
namespace {

std::string key_of(const std::string& operation, const std::string& question) { return operation + ' ' + question; }

frames::RunAnswer failed(std::span<const std::byte> payload) {
    const nlohmann::json json = frames::json_of_frame(payload);
    const auto text = [&](const char* name) {
        const auto at = json.find(name);
        return at != json.end() && at->is_string() ? print::printable(at->get_ref<const std::string&>())
                                                   : std::string();
    };
    const bool unsupported = text("status") == "unsupported";
    return {unsupported ? Status::unsupported : Status::error,
            unsupported ? text("message") : "the device failed: " + text("message"),
            {},
            {}};
}

} // namespace

void choose_operations(const std::filesystem::path& hello, OfflineIndex& index) {
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error(fmt::format("{}: {}", hello.string(), why));
    };
    observe::Hello offered;
    try {
        frames::FrameFile file(hello);
        const frames::Header header = file.header(0);
        if (header.type != frames::Type::hello) refuse("the first frame is not HELLO");
        offered = observe::hello_of(frames::json_of_frame(file.payload(0, header)), hello.filename().string());
    } catch (const frames::Error& error) {
        refuse(error.what());
    }
    for (std::size_t i = 0; i < offered.info.operations.size(); ++i) {
        const Operation& operation = offered.info.operations[i];
        const bool covered = std::any_of(index.profiles.begin(), index.profiles.end(), [&](const std::string& name) {
            return covers(find_profile(name), operation);
        });
        const std::vector<std::string> rows = suites::row_ids(operation);
        const bool wanted = std::any_of(rows.begin(), rows.end(),
                                        [&](const std::string& row) { return print::selected(index.filters, row); });
        if (covered && wanted && !suites::suite_of(operation).draws_randomly(operation))
            index.operations.push_back({operation, offered.operations[i]});
    }
}

void for_each_run(
    const OfflineIndex& index,
    const std::function<void(const OfflineOperation& operation, const frames::RunCase& asked_run_case)>& call) {
    verdict::GoldenSource golden;
    verdict::CertifyOptions asking;
    asking.seed = index.seed;
    asking.samples_per_step = index.samples_per_step;
    asking.filters = index.filters;
    for (const OfflineOperation& offered : index.operations) {
        const Operation& operation = offered.operation;
        const suites::AnswerRun stand_in = suites::suite_of(operation).stand_in(operation);
        std::set<std::string> questions;
        suites::ask_operation(operation, asking, golden, [&](const frames::RunCase& run_case) {
            const frames::RunAnswer sent =
                frames::answer_as_offered(operation, run_case, [&](const frames::RunCase& as_offered) {
                    if (questions.insert(record::question_of(as_offered)).second) call(offered, as_offered);
                    return frames::RunAnswer();
                });
            // It cannot be asked a second time what it refuses: both are in its file.
            if (sent.status == Status::pass && run_case.has_filled)
                return frames::RunAnswer{Status::unsupported, {}, {}, {}};
            return sent.status == Status::pass ? stand_in(run_case) : sent;
        });
    }
}

void OfflineRuns::add(const OfflineIndex& index, frames::FrameFile& requests, std::uint64_t at,
                      const frames::Header& header) {
    const std::vector<std::byte> payload = requests.payload(at, header);
    std::span<const std::byte> inputs;
    const frames::RunRequest request = frames::decode_run(payload, inputs);
    const auto operation = std::find_if(index.operations.begin(), index.operations.end(),
                                        [&](const OfflineOperation& o) { return o.index == request.operation; });
    if (operation == index.operations.end())
        throw frames::Error(fmt::format("frame at byte {}: a RUN of no operation of the list", at));
    frames::RunCase run_case;
    run_case.shape = request.shape;
    for (const frames::Array& array : request.inputs) {
        frames::Values& values = run_case.inputs.emplace_back(array.count, static_cast<unsigned>(array.width));
        frames::copy_values(values.bytes().data(), inputs.data(), array.count, values.width());
        inputs = inputs.subspan(values.bytes().size());
    }
    for (const frames::Array& array : request.outputs)
        run_case.outputs.emplace_back(array.count, static_cast<unsigned>(array.width));
    by_question_[key_of(to_string(operation->operation), record::question_of(run_case))].push_back(runs_.size());
    runs_.push_back({header.id, request.output_values(), static_cast<std::uint8_t>(request.poison & 0xFFU), 0});
}

frames::RunAnswer OfflineRuns::read(frames::FrameFile& responses, const Run& run,
                                    const frames::RunCase& run_case) const {
    const std::string what = fmt::format("request 0x{:X}: ", run.id);
    const auto error = [&](const std::string& why) { return frames::RunAnswer{Status::error, what + why, {}, {}}; };
    if (run.response == 0) return {Status::incomplete, what + "not answered", {}, {}};
    try {
        const frames::Header header = responses.header(run.response);
        const std::vector<std::byte> payload = responses.payload(run.response, header);
        if (header.type == frames::Type::failed) return failed(payload);
        const frames::ResultHeader result = frames::decode_result(payload);
        auto outputs = std::span(payload).subspan(frames::result_bytes);
        frames::RunAnswer answer;
        answer.outputs = run_case.outputs;
        std::size_t bytes = 0;
        for (const frames::Values& output : answer.outputs) bytes += output.bytes().size();
        if (result.count != run.values)
            return error(fmt::format("the RESULT has {}, not {}", print::counted(result.count, "value"), run.values));
        if (outputs.size() != bytes)
            return error(fmt::format("{} of outputs, not {}", print::counted(outputs.size(), "byte"), bytes));
        if (frames::digest(outputs.data(), outputs.size()) != result.digest)
            return error("the digest of the outputs is not the one that was sent with them");
        for (frames::Values& output : answer.outputs) {
            frames::copy_values(output.bytes().data(), outputs.data(), output.count(), output.width());
            outputs = outputs.subspan(output.bytes().size());
        }
        return answer;
    } catch (const frames::Error& broken) {
        return error(broken.what());
    }
}

frames::RunAnswer OfflineRuns::answer(frames::FrameFile& responses, const Operation& operation,
                                      const frames::RunCase& run_case) const {
    return frames::answer_as_offered(operation, run_case, [&](const frames::RunCase& as_offered) {
        return answer_as_offered(responses, operation, as_offered);
    });
}

frames::RunAnswer OfflineRuns::answer_as_offered(frames::FrameFile& responses, const Operation& operation,
                                                 const frames::RunCase& run_case) const {
    const auto found = by_question_.find(key_of(to_string(operation), record::question_of(run_case)));
    if (found == by_question_.end()) return {Status::incomplete, "this run was not asked of the device", {}, {}};
    if (found->second.size() != 2) return {Status::error, "the requests do not have this run twice", {}, {}};
    const Run& first = runs_[found->second[0]];
    const Run& second = runs_[found->second[1]];
    frames::RunAnswer once = read(responses, first, run_case);
    if (once.status != Status::pass) return once;
    const frames::RunAnswer twice = read(responses, second, run_case);
    if (twice.status == Status::unsupported)
        return {Status::error, "answered once, and refused the second time", {}, {}};
    if (twice.status != Status::pass) return twice;
    frames::compare_answers(run_case, {first.poison, second.poison}, twice.outputs, once);
    return once;
}

} // namespace mxcert::offline

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/frames/frame_file.hpp"
#include "conformance/frames/frame_json.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/hello.hpp"
#include "conformance/offline/offline_answers.hpp"
#include "conformance/offline/offline_runs.hpp"
#include "conformance/offline/offline_source.hpp"
#include "conformance/print/text.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::offline {
namespace {

using frames::Type;

constexpr const char* requests_name = "requests.mxcf";
constexpr const char* responses_name = "responses.mxcf";

std::string text_of(const nlohmann::json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_string() ? print::printable(at->get_ref<const std::string&>()) : "";
}

/// A request as the file has it.
struct Asked {
    frames::ConvertRequest request;
    std::uint64_t id = 0;
    std::vector<Code> inputs; ///< empty: the range of the request
};

class Frames final : public OfflineSource {
  public:
    Frames(const std::filesystem::path& folder, const OfflineIndex& index, observe::ObserveOptions options)
        : index_(index), options_(std::move(options)), requests_(folder / requests_name),
          responses_(open_responses(folder)) {
        try {
            read_requests();
        } catch (const frames::Error& error) {
            throw std::runtime_error(fmt::format("{}: {}", (folder / requests_name).string(), error.what()));
        }
        info_.name = print::printable(folder.filename().string());
        try {
            position_ = read_hello();
            match();
        } catch (const frames::Error& error) {
            broken_ = {responses_.cut() ? Status::incomplete : Status::error,
                       fmt::format("{}: {}", responses_name, error.what())};
        }
        info_.build_id = sha256_file(folder / responses_name);
        info_.profiles = index.profiles;
        // Also those that it does not offer any more: they were asked.
        info_.operations.clear();
        for (const OfflineOperation& operation : index.operations) info_.operations.push_back(operation.operation);
        for (std::size_t i = 0; i < index.conversions.size(); ++i)
            if (!hello_ || parts_[i].results || offers(index.conversions[i]))
                info_.conversions.push_back(index.conversions[i]);
    }

    [[nodiscard]] const observe::BackendInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<Code> inputs(const Conversion& conversion) override {
        std::vector<Code> all;
        const Part& part = part_of(conversion);
        std::uint64_t at = part.request_at;
        for (std::uint64_t i = 0; i < part.requests; ++i) {
            const Asked question = read_request(at);
            for (const Code input : question.inputs)
                if (all.empty() || input > all.back()) all.push_back(input);
        }
        return all;
    }

    [[nodiscard]] observe::Observation read(const Conversion& conversion) override {
        OfflineAnswers answers(conversion);
        const Part& part = part_of(conversion);
        try {
            read_part(conversion, part, answers);
        } catch (const std::exception& error) {
            answers.fail(Status::error, error.what());
        }
        if (broken_) answers.fail(broken_->status, broken_->reason);
        return answers.finish(asks_all(index_.inputs, conversion));
    }

    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        // Without its end the stream proves nothing.
        if (broken_) return {broken_->status, broken_->reason, {}, {}};
        if (!other_hello_.empty()) return {Status::error, other_hello_, {}, {}};
        return runs_.answer(responses_, operation, run_case);
    }

  private:
    /// The frames of one conversion: they follow one another in both files.
    struct Part {
        std::uint64_t request_at = 0;
        std::uint64_t response_at = 0;
        std::uint64_t requests = 0;
        std::uint64_t answered = 0; ///< responses that are there
        std::uint64_t values = 0;
        bool results = false; ///< at least one was answered with RESULT
    };
    struct Broken {
        Status status = Status::error;
        std::string reason;
    };

    static frames::FrameFile open_responses(const std::filesystem::path& folder) {
        std::error_code ignored;
        if (!std::filesystem::exists(folder / responses_name, ignored))
            throw std::runtime_error(fmt::format("'{}' is not there: run the device on {} first, as in mxcert-worker "
                                                 "PLUGIN < {} > {}",
                                                 (folder / responses_name).string(), requests_name, requests_name,
                                                 responses_name));
        return frames::FrameFile(folder / responses_name);
    }

    [[nodiscard]] bool offers(const Conversion& conversion) const {
        return std::find(offered_.begin(), offered_.end(), conversion) != offered_.end();
    }
    [[nodiscard]] const Part& part_of(const Conversion& conversion) const {
        const auto at = std::find(index_.conversions.begin(), index_.conversions.end(), conversion);
        return parts_.at(static_cast<std::size_t>(at - index_.conversions.begin()));
    }

    // Where the conversions lie in the requests. The digest of the file was checked, but both may come from anywhere.
    void read_requests() {
        parts_.resize(index_.conversions.size());
        frames::Header header = requests_.header(0);
        if (header.type != Type::start) throw frames::Error("the first frame is not START");
        std::uint64_t at = frames::FrameFile::after(0, header);
        std::size_t current = 0;
        for (;; at = frames::FrameFile::after(at, header)) {
            header = requests_.header(at);
            if (header.type == Type::end) break;
            if (header.type == Type::run) {
                runs_.add(index_, requests_, at, header);
                continue;
            }
            if (header.type != Type::convert || runs_.size() != 0)
                throw frames::Error(fmt::format("frame at byte {}: neither CONVERT, then RUN, nor END", at));
            const auto request = frames::decode_convert(requests_.payload(at, header, frames::convert_bytes));
            const bool next = request.conversion < parts_.size() && request.conversion >= current;
            if (!next) throw frames::Error(fmt::format("frame at byte {}: the conversions do not ascend", at));
            current = request.conversion;
            Part& part = parts_[current];
            if (part.requests++ == 0) part.request_at = at;
            part.values += request.count;
        }
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].requests == 0) throw frames::Error("it does not ask for " + to_string(index_.conversions[i]));
    }

    std::uint64_t read_hello() {
        const frames::Header header = responses_.header(0);
        if (header.type != Type::hello) throw frames::Error("the first frame is not HELLO");
        nlohmann::json hello;
        try {
            hello = frames::json_of_frame(responses_.payload(0, header));
        } catch (const frames::Error& error) {
            throw frames::Error(std::string("broken HELLO: ") + error.what());
        }
        if (const std::string reason = text_of(hello, "error"); !reason.empty())
            throw frames::Error("the device did not start: " + reason);
        try {
            observe::Hello parsed = observe::hello_of(hello, responses_name);
            offered_ = std::move(parsed.info.conversions);
            parsed.info.conversions.clear();
            // Requests name operations by their index in the HELLO that was known then.
            for (const OfflineOperation& operation : index_.operations) {
                const auto& now = parsed.info.operations;
                const auto at =
                    static_cast<std::size_t>(std::find(now.begin(), now.end(), operation.operation) - now.begin());
                if (at == now.size() || parsed.operations[at] != operation.index)
                    other_hello_ = "the device does not offer " + to_string(operation.operation) +
                                   " where the HELLO did that the requests were written by";
            }
            info_ = std::move(parsed.info);
        } catch (const std::runtime_error& error) {
            throw frames::Error(error.what());
        }
        hello_ = true;
        return frames::FrameFile::after(0, header);
    }

    // The header of the answer to a request, which is the next frame.
    frames::Header next_answer(std::uint64_t id, std::uint64_t before) {
        const frames::Header response = responses_.header(position_);
        const std::string where = fmt::format("frame at byte {}: ", position_);
        if (response.type == Type::end)
            throw frames::Error(where + fmt::format("END after {}", print::counted(before, "answer")));
        if (response.type != Type::result && response.type != Type::failed)
            throw frames::Error(where + "neither RESULT nor FAILED");
        if (response.id != id)
            throw frames::Error(where +
                                fmt::format("id 0x{:X} instead of 0x{:X}: lost, in another order, or the answers "
                                            "to other requests",
                                            response.id, id));
        return response;
    }

    // Goes through all headers once, so that what breaks the stream is known before anything is judged: a stream
    // without its end passes nothing.
    void match() {
        frames::EndCounts sent;
        for (Part& part : parts_) {
            std::uint64_t request_at = part.request_at;
            part.response_at = position_;
            for (std::uint64_t i = 0; i < part.requests; ++i) {
                const frames::Header request = requests_.header(request_at);
                request_at = frames::FrameFile::after(request_at, request);
                const frames::Header response = next_answer(request.id, sent.requests);
                part.results = part.results || response.type == Type::result;
                ++part.answered;
                ++sent.requests;
                position_ = frames::FrameFile::after(position_, response);
            }
            sent.values += part.values;
        }
        for (std::size_t run = 0; run < runs_.size(); ++run) {
            const frames::Header response = next_answer(runs_.id(run), sent.requests);
            runs_.answered(run, position_);
            ++sent.requests;
            sent.values += runs_.values(run);
            position_ = frames::FrameFile::after(position_, response);
        }
        const frames::Header last = responses_.header(position_);
        if (last.type != Type::end)
            throw frames::Error(fmt::format("frame at byte {}: not END after the last answer", position_));
        const frames::EndCounts counts = frames::decode_end(responses_.payload(position_, last));
        if (counts.requests != sent.requests || counts.values != sent.values)
            throw frames::Error(fmt::format(
                "END counts {} of {}, asked were {} of {}", print::counted(counts.requests, "request"),
                print::counted(counts.values, "value"), print::grouped(sent.requests), print::grouped(sent.values)));
        if (const std::uint64_t end = frames::FrameFile::after(position_, last); end != responses_.size())
            throw frames::Error(fmt::format("{} after END", print::counted(responses_.size() - end, "byte")));
    }

    // Advances `at` past the request.
    Asked read_request(std::uint64_t& at) {
        const frames::Header header = requests_.header(at);
        const std::vector<std::byte> payload = requests_.payload(at, header);
        at = frames::FrameFile::after(at, header);
        Asked question{frames::decode_convert(payload), header.id, {}};
        const auto width = static_cast<std::size_t>(index_.conversions.at(question.request.conversion).from->bytes());
        const Code last = index_.conversions[question.request.conversion].from->last_code();
        const std::uint64_t bytes = payload.size() - frames::convert_bytes;
        constexpr std::uint64_t most = 1 << 20; // four times what we write
        if (question.request.count > most) throw frames::Error("a request for more values than are ever asked at once");
        if (question.request.inputs == frames::Inputs::range) {
            if (bytes != 0 || question.request.count == 0) throw frames::Error("a request for a range of another size");
            return question;
        }
        if (question.request.inputs != frames::Inputs::inlined || bytes == 0 ||
            bytes / width != question.request.count || bytes % width != 0)
            throw frames::Error("a request whose values are not in it");
        for (std::size_t i = frames::convert_bytes; i < payload.size(); i += width) {
            Code code = 0;
            for (std::size_t byte = 0; byte < width; ++byte)
                code |= std::to_integer<Code>(payload[i + byte]) << (8 * byte);
            if (code > last) throw frames::Error("a request for a value that is no code of its format");
            question.inputs.push_back(code);
        }
        return question;
    }

    void read_part(const Conversion& conversion, const Part& part, OfflineAnswers& answers) {
        std::uint64_t request_at = part.request_at;
        std::uint64_t response_at = part.response_at;
        std::uint64_t done = 0;
        for (std::uint64_t i = 0; i < part.requests; ++i) {
            if (options_.stop != nullptr && options_.stop->load()) return answers.fail(Status::incomplete, "stopped");
            const Asked question = read_request(request_at);
            std::vector<std::byte> outputs;
            bool answered = false;
            if (i < part.answered) {
                const frames::Header header = responses_.header(response_at);
                outputs = responses_.payload(response_at, header);
                answered = take_outputs(conversion, question, header, outputs, answers);
                response_at = frames::FrameFile::after(response_at, header);
            }
            add(conversion, question, answered, outputs, answers);
            done += question.request.count;
            if (options_.progress) options_.progress(done, part.values);
        }
    }

    static void take_failed(const std::string& what, std::span<const std::byte> payload, OfflineAnswers& answers) {
        try {
            const nlohmann::json failed = frames::json_of_frame(payload);
            const bool unsupported = text_of(failed, "status") == "unsupported";
            const std::string message = text_of(failed, "message");
            answers.fail(unsupported ? Status::unsupported : Status::error,
                         unsupported ? message : "the device failed: " + message);
        } catch (const frames::Error& error) {
            answers.fail(Status::error, what + "broken FAILED: " + error.what());
        }
    }

    // Leaves the outputs of a RESULT in the byte order of the machine. False if it is none that counts.
    static bool take_outputs(const Conversion& conversion, const Asked& question, const frames::Header& header,
                             std::vector<std::byte>& payload, OfflineAnswers& answers) {
        const std::string what = fmt::format("request 0x{:X}: ", question.id);
        if (header.type == Type::failed) {
            take_failed(what, payload, answers);
            return false;
        }
        const frames::ResultHeader result = frames::decode_result(payload);
        const auto width = static_cast<unsigned>(conversion.to->bytes());
        payload.erase(payload.begin(), payload.begin() + frames::result_bytes);
        if (result.count != question.request.count) {
            answers.fail(Status::error,
                         what + fmt::format("the RESULT has {} instead of {}", print::counted(result.count, "value"),
                                            question.request.count));
            return false;
        }
        if (payload.size() / width != result.count || payload.size() % width != 0) {
            answers.fail(Status::error,
                         what + fmt::format("{} of outputs for {}", print::counted(payload.size(), "byte"),
                                            print::counted(result.count, "value")));
            return false;
        }
        if (frames::digest(payload.data(), payload.size()) != result.digest) {
            answers.fail(Status::error, what + "the digest of the outputs is not the one that was sent with them");
            return false;
        }
        frames::copy_values(payload.data(), payload.data(), result.count, width);
        return true;
    }

    static void add(const Conversion& conversion, const Asked& question, bool answered,
                    const std::vector<std::byte>& outputs, OfflineAnswers& answers) {
        const auto poison = static_cast<std::uint8_t>(question.request.poison & 0xFF);
        if (question.inputs.empty()) {
            answers.add_range(question.request.first, question.request.count, poison,
                              answered ? std::optional(std::span<const std::byte>(outputs)) : std::nullopt);
            return;
        }
        std::vector<Step> codes;
        const auto width = static_cast<unsigned>(conversion.to->bytes());
        if (answered) inputs::encode_runs(outputs, width, 0, codes);
        auto step = codes.begin();
        for (std::size_t i = 0; i < question.inputs.size(); ++i) {
            while (step != codes.end() && step->last < i) ++step;
            answers.add_point(question.inputs[i], poison, answered ? std::optional(step->code) : std::nullopt);
        }
    }

    OfflineIndex index_;
    observe::ObserveOptions options_;
    frames::FrameFile requests_;
    frames::FrameFile responses_;
    std::vector<Part> parts_; ///< in the order of the conversions
    std::uint64_t position_ = 0;
    bool hello_ = false;
    OfflineRuns runs_;
    std::string other_hello_; ///< why the answers to runs are those of other operations
    std::vector<Conversion> offered_;
    std::optional<Broken> broken_;
    observe::BackendInfo info_;
};

} // namespace

std::unique_ptr<OfflineSource> read_offline_frames(const std::filesystem::path& folder, const OfflineIndex& index,
                                                   const observe::ObserveOptions& options) {
    return std::make_unique<Frames>(folder, index, options);
}

} // namespace mxcert::offline

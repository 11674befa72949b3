// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/files/output_file.hpp"
#include "conformance/frames/frames.hpp"
#include "conformance/inputs/poison.hpp"
#include "conformance/offline/offline_plan.hpp"
#include "conformance/offline/offline_runs.hpp"
#include "conformance/print/text.hpp"
#include "conformance/process/file_descriptor.hpp"
#include "conformance/record/record.hpp"
#include "reference/base/random.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::offline {
namespace {

constexpr std::size_t again_parts = 3; ///< requests in which a block is asked a second time

std::string start_text(const OfflineIndex& index) {
    nlohmann::ordered_json conversions = nlohmann::ordered_json::array();
    for (const Conversion& c : index.conversions)
        conversions.push_back({{"source", c.from->name},
                               {"target", c.to->name},
                               {"rounding", value_name(choices_of(c), rounding_or_rule(*c.to))},
                               {"overflow", value_name(choices_of(c), Choice::overflow)},
                               {"random_bits", c.random_bits}});
    return nlohmann::ordered_json{{"protocol", frames::version},
                                  {"shared", nullptr},
                                  {"options", index.backend_options},
                                  {"conversions", conversions}}
        .dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

/// Writes requests.mxcf.
class RequestFile {
  public:
    RequestFile(const std::filesystem::path& path, const OfflineIndex& index) {
        fd_ = process::FileDescriptor(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)); // less the umask
        if (!fd_.is_open()) throw std::system_error(errno, std::generic_category(), "writing " + path.string());
        const std::string start = start_text(index);
        frames::write_frame(fd_.get(), frames::Type::start, 0, start.data(), start.size());
        // Ids of one file are no ids of another: answers to other requests are then found out at the first one.
        constexpr unsigned count_bits = 24;
        id_ = (frames::digest(start.data(), start.size()) ^ SplitMix64::at(index.seed, index.samples_per_step)) >>
              count_bits << count_bits;
    }

    void ask(std::uint32_t number, const OfflineQuestion& question, OfflineIndex& index) {
        const std::vector<inputs::Block> blocks =
            question.inputs.empty() ? inputs::plan_range(question.conversion, &question.permitted, index.seed)
                                    : inputs::plan_points(question.inputs, &question.permitted, index.seed);
        const std::uint64_t before = counts_.values;
        // Asked again only after another block, where there is one: an answer that lies around from the last time must
        // not do.
        const inputs::Block* waiting = nullptr;
        for (const inputs::Block& block : blocks) {
            convert(number, question, block.first, block.count, 0, block.poison[0]);
            if (waiting != nullptr) again(number, question, *waiting);
            waiting = block.repeat ? &block : nullptr;
        }
        if (waiting != nullptr) again(number, question, *waiting);
        index.values += counts_.values - before;
        index.answer_bytes += (counts_.values - before) * static_cast<std::uint64_t>(question.conversion.to->bytes());
    }

    // As a block of a conversion: again after another run, where there is one.
    void ask(const OfflineOperation& operation, const frames::RunCase& run_case, OfflineIndex& index) {
        run(operation, run_case, poisons[0], index);
        if (waiting_) run(waiting_->first, waiting_->second, poisons[1], index);
        waiting_.emplace(operation, run_case);
    }
    void end_runs(OfflineIndex& index) {
        if (waiting_) run(waiting_->first, waiting_->second, poisons[1], index);
        waiting_.reset();
    }

    void end() {
        const auto counts = frames::encode(counts_);
        frames::write_frame(fd_.get(), frames::Type::end, 0, counts.data(), counts.size());
    }

  private:
    // In other requests and other batches, both odd, so that a kernel's code for tails is seen.
    void again(std::uint32_t number, const OfflineQuestion& question, const inputs::Block& block) {
        const std::uint64_t random = SplitMix64::at(~id_, block.first);
        const std::uint64_t part = block.count / again_parts | 1;
        for (std::uint64_t done = 0; done < block.count; done += part)
            convert(number, question, block.first + done, std::min(part, block.count - done), 1021 - 2 * (random % 256),
                    block.poison[1]);
    }

    void convert(std::uint32_t number, const OfflineQuestion& question, std::uint64_t first, std::uint64_t count,
                 std::uint64_t batch, std::uint8_t poison) {
        frames::ConvertRequest request;
        request.conversion = number;
        request.first = first;
        request.count = count;
        request.batch = std::min(batch, count);
        request.poison = poison;
        std::vector<std::byte> values;
        if (!question.inputs.empty()) {
            request.inputs = frames::Inputs::inlined;
            request.first = 0;
            const auto width = static_cast<unsigned>(question.conversion.from->bytes());
            values.resize(count * width);
            for (std::uint64_t i = 0; i < count; ++i)
                for (unsigned byte = 0; byte < width; ++byte)
                    values[i * width + byte] = static_cast<std::byte>(question.inputs[first + i] >> (8 * byte) & 0xFF);
        }
        const auto fixed = frames::encode(request);
        frames::write_frame(fd_.get(), frames::Type::convert, ++id_, {fixed, values});
        ++counts_.requests;
        counts_.values += count;
    }

    void run(const OfflineOperation& operation, const frames::RunCase& run_case, std::uint8_t poison,
             OfflineIndex& index) {
        frames::RunRequest request;
        request.operation = operation.index;
        request.poison = poison;
        request.shape = run_case.shape;
        std::vector<std::byte> values;
        for (const frames::Values& input : run_case.inputs) {
            request.inputs.push_back({input.count(), input.width()});
            const std::size_t at = values.size();
            values.resize(at + input.bytes().size());
            frames::copy_values(values.data() + at, input.bytes().data(), input.count(), input.width());
        }
        for (const frames::Values& output : run_case.outputs)
            request.outputs.push_back({output.count(), output.width()});
        const std::vector<std::byte> fixed = frames::encode(request);
        frames::write_frame(fd_.get(), frames::Type::run, ++id_, {fixed, values});
        ++counts_.requests;
        counts_.values += request.output_values();
        index.values += request.output_values();
        index.answer_bytes += request.output_bytes();
    }

    static constexpr std::array<std::uint8_t, 2> poisons{0xA5, 0x5A};
    std::optional<std::pair<OfflineOperation, frames::RunCase>> waiting_; ///< to be asked again
    process::FileDescriptor fd_;
    std::uint64_t id_ = 0;
    frames::EndCounts counts_;
};

void write_frames(OfflineIndex& index, const std::vector<OfflineQuestion>& questions,
                  const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "requests.mxcf";
    try {
        RequestFile file(path, index);
        for (std::size_t i = 0; i < questions.size(); ++i) file.ask(static_cast<std::uint32_t>(i), questions[i], index);
        for_each_run(index, [&](const OfflineOperation& operation, const frames::RunCase& run_case) {
            file.ask(operation, run_case, index);
        });
        file.end_runs(index);
        file.end();
    } catch (const std::system_error& error) {
        throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), error.code().message()));
    }
    index.sha256 = {sha256_file(path)};
}

// The inputs ascending, then once more in a seeded order.
std::string hex_text(const OfflineQuestion& question, std::uint64_t seed) {
    const Format& from = *question.conversion.from;
    std::vector<Code> inputs = question.inputs;
    if (inputs.empty()) {
        inputs.resize(from.last_code() + 1);
        std::iota(inputs.begin(), inputs.end(), Code{0});
    }
    std::vector<Code> shuffled = inputs;
    SplitMix64 random(seed);
    for (std::size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random.below(i + 1)]);
    std::string text = fmt::format(
        "// mxcert {}: {} words of {} bits for $readmemh, word n on line n + 2; the answer to "
        "word n is word n of {}\n",
        to_string(question.conversion), 2 * inputs.size(), from.width(), hex_answers_name(question.conversion));
    for (const auto* order : {&inputs, &shuffled})
        for (const Code code : *order) text += hex(code, from) + '\n';
    return text;
}

void write_hex(OfflineIndex& index, const std::vector<OfflineQuestion>& questions,
               const std::filesystem::path& folder) {
    for (const OfflineQuestion& question : questions) {
        const std::string text = hex_text(question, index.seed);
        files::OutputFile(folder / hex_inputs_name(question.conversion)).write(text);
        index.sha256.push_back(sha256(text));
        const auto words = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n') - 1);
        index.values += words;
        index.answer_bytes += words * (2 * static_cast<std::uint64_t>(question.conversion.to->bytes()) + 1);
    }
}

} // namespace

void write_offline(OfflineIndex& index, const std::filesystem::path& folder, const std::filesystem::path& hello) {
    if (index.profiles.empty()) index.profiles = {"ocp"};
    if (!hello.empty() && index.format == OfflineFormat::hex)
        throw std::invalid_argument("operations are asked with --format frames: hex files have none");
    // Planning takes seconds: a folder that cannot be used is refused before. One that is not there is made after it.
    if (std::error_code error; std::filesystem::exists(folder, error)) record::check_record_folder(folder);
    if (!hello.empty()) choose_operations(hello, index);
    const std::vector<OfflineQuestion> questions = plan_offline(index);
    index.conversions.clear();
    index.sha256.clear();
    for (const OfflineQuestion& question : questions) {
        constexpr int widest = 16;
        if (index.format == OfflineFormat::hex && question.inputs.empty() && question.conversion.from->width() > widest)
            throw std::invalid_argument(
                fmt::format("{}: all inputs of {} are {} lines of hex; use --points boundaries, "
                            "--format frames, or a --filter",
                            to_string(question.conversion), question.conversion.from->name,
                            print::grouped(question.conversion.from->last_code() + 1)));
        index.conversions.push_back(question.conversion);
    }
    record::check_record_folder(folder);
    if (index.format == OfflineFormat::frames)
        write_frames(index, questions, folder);
    else
        write_hex(index, questions, folder);
    files::OutputFile(folder / "offline.json").write(offline_index_text(index));
}

} // namespace mxcert::offline

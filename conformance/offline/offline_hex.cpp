// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/frames/hex_memory.hpp"
#include "conformance/offline/offline_answers.hpp"
#include "conformance/offline/offline_source.hpp"
#include "conformance/print/text.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::offline {
namespace {

constexpr std::uint64_t most_words = 2 * OfflineAnswers::max_points;

class Hex final : public OfflineSource {
  public:
    Hex(std::filesystem::path folder, const OfflineIndex& index) : folder_(std::move(folder)), index_(index) {
        info_.name = print::printable(folder_.filename().string());
        info_.version = "-";
        info_.description = "answers in hexadecimal files";
        info_.profiles = index.profiles;
        info_.conversions = index.conversions;
        // The device did not say what it is: the digest of all its answers stands for it.
        std::string digests;
        bool any = false;
        for (const Conversion& conversion : index.conversions) {
            (void)inputs_of(conversion); // broken requests show before anything is judged
            const bool there = has_answers(conversion);
            any = any || there;
            digests += (there ? sha256_file(folder_ / hex_answers_name(conversion)) : "-") + "\n";
        }
        if (!any)
            throw std::runtime_error(fmt::format("'{}' is not there, nor are answers to any other conversion: simulate "
                                                 "the device first",
                                                 (folder_ / hex_answers_name(index.conversions.front())).string()));
        info_.build_id = sha256(digests);
    }

    [[nodiscard]] const observe::BackendInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<Code> inputs(const Conversion& conversion) override {
        std::vector<Code> all;
        for (const std::optional<Code>& code : inputs_of(conversion).words)
            if (code && (all.empty() || *code > all.back())) all.push_back(*code);
        return all;
    }

    [[nodiscard]] observe::Observation read(const Conversion& conversion) override {
        OfflineAnswers answers(conversion);
        const bool whole = asks_all(index_.inputs, conversion);
        try {
            if (has_answers(conversion))
                compare(conversion, answers);
            else
                answers.fail(Status::incomplete, hex_answers_name(conversion) + " is not there");
        } catch (const std::exception& error) {
            answers.fail(Status::error, error.what());
        }
        return answers.finish(whole);
    }

  private:
    [[nodiscard]] bool has_answers(const Conversion& conversion) const {
        std::error_code ignored;
        return std::filesystem::exists(folder_ / hex_answers_name(conversion), ignored);
    }

    [[nodiscard]] frames::HexMemory inputs_of(const Conversion& conversion) const {
        const std::filesystem::path path = folder_ / hex_inputs_name(conversion);
        frames::HexMemory memory = frames::read_hex_memory(path, *conversion.from, most_words);
        const bool gaps = std::find(memory.words.begin(), memory.words.end(), std::nullopt) != memory.words.end();
        if (!memory.error.empty() || memory.words.empty() || gaps)
            throw std::runtime_error(
                fmt::format("{}: {}", path.string(), memory.error.empty() ? "inputs are missing" : memory.error));
        return memory;
    }

    void compare(const Conversion& conversion, OfflineAnswers& answers) const {
        const std::string name = hex_answers_name(conversion);
        const frames::HexMemory memory = inputs_of(conversion);
        const frames::HexMemory observed_memory =
            frames::read_hex_memory(folder_ / name, *conversion.to, memory.words.size());
        if (!observed_memory.error.empty()) answers.fail(Status::error, name + ":" + observed_memory.error);
        if (observed_memory.error.empty() && observed_memory.words.size() < memory.words.size())
            answers.fail(Status::incomplete,
                         fmt::format("{} has {} of {}", name, print::grouped(observed_memory.words.size()),
                                     print::counted(memory.words.size(), "word")));
        if (!observed_memory.unwritten.empty()) answers.note_unwritten(name + ":" + observed_memory.unwritten);
        for (std::size_t i = 0; i < memory.words.size(); ++i) {
            const bool there = i < observed_memory.words.size();
            const bool written = there && observed_memory.words[i].has_value();
            answers.add_point(*memory.words[i], 0,
                              there ? std::optional(observed_memory.words[i].value_or(0)) : std::nullopt, written);
        }
    }

    std::filesystem::path folder_;
    OfflineIndex index_;
    observe::BackendInfo info_;
};

} // namespace

std::unique_ptr<OfflineSource> read_offline_hex(const std::filesystem::path& folder, const OfflineIndex& index) {
    return std::make_unique<Hex>(folder, index);
}

} // namespace mxcert::offline

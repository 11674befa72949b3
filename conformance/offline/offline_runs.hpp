// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/frames/frame_file.hpp"
#include "conformance/offline/offline.hpp"

// Operations of a device that cannot be attached: the runs that a record would have, in the files of docs/offline.md.
namespace mxcert::offline {

/// What a device offers, in a file that begins with its HELLO. Fills in the operations that the index asks for: those
/// that its filters select and one of its profiles covers, without random ones. Throws std::runtime_error that names
/// the file.
void choose_operations(const std::filesystem::path& hello, OfflineIndex& index);

/// Calls with every run of the operations of an index, in order. Where one goes by the answers to others, by the scales
/// of a quantizer, it is asked as one that is right would be.
void for_each_run(const OfflineIndex& index,
                  const std::function<void(const OfflineOperation& operation, const frames::RunCase& run_case)>& call);

/// Where the runs and their answers lie in both files.
class OfflineRuns {
  public:
    /// A RUN of the requests; its answer comes with answered(). Throws frames::Error for one that is broken.
    void add(const OfflineIndex& index, frames::FrameFile& requests, std::uint64_t at, const frames::Header& header);
    /// The number of runs, and the id and the values of one's outputs.
    [[nodiscard]] std::size_t size() const { return runs_.size(); }
    [[nodiscard]] std::uint64_t id(std::size_t run) const { return runs_[run].id; }
    [[nodiscard]] std::uint64_t values(std::size_t run) const { return runs_[run].values; }
    void answered(std::size_t run, std::uint64_t at) { runs_[run].response = at; }

    /// What came back, twice the same. Never throws for what the device did.
    [[nodiscard]] frames::RunAnswer answer(frames::FrameFile& responses, const Operation& operation,
                                           const frames::RunCase& run_case) const;

  private:
    [[nodiscard]] frames::RunAnswer answer_as_offered(frames::FrameFile& responses, const Operation& operation,
                                                      const frames::RunCase& run_case) const;
    struct Run {
        std::uint64_t id = 0;
        std::uint64_t values = 0;
        std::uint8_t poison = 0;
        std::uint64_t response = 0; ///< 0: none
    };
    /// The outputs of one of the two, or why there are none.
    [[nodiscard]] frames::RunAnswer read(frames::FrameFile& responses, const Run& run,
                                         const frames::RunCase& run_case) const;

    std::vector<Run> runs_;
    std::map<std::string, std::vector<std::size_t>> by_question_; ///< of an operation
};

} // namespace mxcert::offline

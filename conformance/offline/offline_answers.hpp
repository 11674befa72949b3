// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/observe/worker_pool.hpp"

namespace mxcert::offline {

/// Joins the answers to the requests of one conversion in the order of the request file, with bounded memory. Inputs
/// that were answered before are compared with what came then.
class OfflineAnswers {
  public:
    static constexpr std::size_t max_steps = 1 << 20;  ///< of a range: more are irregular
    static constexpr std::size_t max_points = 1 << 20; ///< chosen inputs a conversion may have
    /// Blocks of a range that are kept for being asked again: a request file asks again after at most one other block.
    static constexpr std::size_t kept_blocks = 2;

    explicit OfflineAnswers(const Conversion& conversion) : conversion_(conversion) {}

    /// A request for the codes first, first+1, ..., and its outputs, in the byte order of the machine; no outputs: it
    /// was not answered. `poison`: the byte that stood there before. New ranges follow one another from 0; others lie
    /// within a block that is still kept. Throws std::runtime_error for requests that are not like that.
    void add_range(Code first, std::uint64_t count, std::uint8_t poison,
                   std::optional<std::span<const std::byte>> outputs);

    /// A request for one input; no code: not answered. `written`: false if the place of the answer was never written.
    /// An input that was asked before is compared; new ones ascend. Throws as add_range().
    void add_point(Code input, std::uint8_t poison, std::optional<Code> answer, bool written = true);

    /// What is wrong besides; the first one counts.
    void fail(Status status, const std::string& reason);
    /// Where the first place that was not written is, for the reason.
    void note_unwritten(const std::string& place);

    [[nodiscard]] bool failed() const { return failure_.has_value(); }

    /// `whole`: every input of the source was to be asked; the answers to ranges always are.
    [[nodiscard]] observe::Observation finish(bool whole);

  private:
    struct Block {
        Code first = 0;
        std::uint64_t count = 0;
        std::uint8_t poison = 0;
        bool answered = false;
        std::vector<Step> steps;
    };
    struct Asked {
        Code input = 0;
        Code got = 0;
        std::uint8_t poison = 0;
        bool answered = false;
        bool written = true;
    };
    struct Failure {
        Status status;
        std::string reason;
    };

    void add_block(Block block);
    void compare(const Block& kept, const Block& again);
    void compare(Asked& before, Code answer, std::uint8_t poison, bool written);
    void changed(Code input, Code first, Code second);
    void hole(Code first, Code last);
    /// Whether it is kept. One with bits above those of the format is, and fails.
    [[nodiscard]] bool is_answer(const Step& answer, std::uint8_t poison);
    [[nodiscard]] std::vector<Step> without_holes();

    Conversion conversion_;
    std::optional<Failure> failure_;
    std::string unwritten_place_;
    std::uint64_t unwritten_ = 0;
    std::uint64_t repeated_ = 0;
    bool gaps_ = false; ///< something was not answered

    Code next_ = 0; ///< of ranges: asked so far
    bool ended_ = false;
    bool irregular_ = false;
    std::vector<Step> steps_;
    std::vector<Step> holes_; ///< never written; the codes mean nothing
    std::deque<Block> kept_;

    std::vector<Asked> points_; ///< ascending
};

} // namespace mxcert::offline

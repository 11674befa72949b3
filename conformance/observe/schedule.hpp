// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/inputs/poison.hpp"
#include "conformance/status.hpp"

namespace mxcert::observe {

/// Why a block has no answer that counts.
struct BlockFailure {
    /// What the worker did: only where it ended or hung can the input to blame be looked for.
    enum class Kind : std::uint8_t { other, died, hung };
    Status status = Status::error;
    std::string reason;
    std::string detail;
    Kind kind = Kind::other;
    bool again = false; ///< when the block was asked a second time
    std::string how{};  ///< the reason without the inputs
};

/// What a block gave.
struct BlockResult {
    std::vector<Step> steps;     ///< ascending; gaps where nothing was written
    std::uint64_t unwritten = 0; ///< values
    bool repeated = false;
    std::optional<BlockFailure> flaw; ///< the answers are kept, but they do not pass
    std::uint64_t neighbours = 0;     ///< as Exchange::Reading has them
    std::uint64_t differing = 0;
    std::string unwritten_at{}; ///< the first value that was not written, where it was and what it held
};

/// Deals out the blocks of an observation to any number of threads and joins what comes back in the order of the
/// inputs. Whatever the number of threads and their speed, the outcome is the same, because every decision rests on the
/// order of the blocks: after the last tolerated failure, counted in that order, nothing more is kept.
class Schedule {
  public:
    static constexpr std::size_t max_failures = 4;      ///< three restarts, then it gives up
    static constexpr std::size_t max_steps = 1 << 20;   ///< more make a range irregular
    static constexpr std::size_t max_waiting = 1 << 22; ///< steps that may wait for their turn in memory

    /// What becomes of answers of which there are too many different ones; may be empty.
    using Simplify = std::function<void(std::vector<Step>&)>;

    /// `limit_steps`: whether more than max_steps end the observation. Before they do, `simplify` is called on all
    /// steps, and from then on on those of each block. `gaps`: pieces that what was answered may be in before the end,
    /// where blocks do not ascend.
    Schedule(std::vector<inputs::Block> blocks, bool limit_steps, Simplify simplify = {}, std::size_t gaps = 0);

    [[nodiscard]] const inputs::Block& block(std::size_t index) const { return blocks_[index]; }
    [[nodiscard]] std::size_t size() const { return blocks_.size(); }

    /// The next block; nullopt if there is none now: finished() tells whether there will be one.
    [[nodiscard]] std::optional<std::size_t> take();
    [[nodiscard]] bool finished();
    /// Whether a block's answer is still wanted.
    [[nodiscard]] bool wanted(std::size_t index);
    void complete(std::size_t index, BlockResult result);
    void fail(std::size_t index, BlockFailure failure);
    /// Ends everything: no worker can be started.
    void fail_all(BlockFailure failure);
    /// Ends everything, without fault.
    void stop();
    /// How long an answer took.
    void note_time(std::chrono::milliseconds time);
    /// A worker that answered everything did not end well.
    void note_bad_end(BlockFailure failure);

    /// Sleeps until something changes or the time is over.
    void wait_for_change(std::chrono::milliseconds time);
    /// Sleeps until so many threads have left or the time is over; the values answered so far. It does not wake for
    /// each block: that would cost as much as encoding it.
    std::uint64_t wait_for_leave(std::size_t threads, std::chrono::milliseconds time);
    /// To be called by each thread as its last act, and how many have.
    void leave();
    [[nodiscard]] std::size_t left();

    struct Outcome {
        std::vector<Step> steps;      ///< of all blocks that are kept, ascending
        bool simplified = false;      ///< not as they came, but as `simplify` left them
        std::uint64_t neighbours = 0; ///< as Exchange::Reading has them
        std::uint64_t differing = 0;
        std::uint64_t answered = 0;
        std::uint64_t repeated = 0;
        std::uint64_t unwritten = 0;
        std::string unwritten_at{};                                 ///< as BlockResult has it
        std::uint64_t asked = 0;                                    ///< values of the blocks that were answered
        std::optional<BlockFailure> failure;                        ///< the first in the order of the blocks
        std::size_t failures = 0;                                   ///< blocks without an answer, as far as was tried
        std::vector<std::pair<inputs::Block, BlockFailure>> failed; ///< these, in order
        std::chrono::milliseconds slowest{0};                       ///< the longest wait for an answer that came
        bool whole = false;                                         ///< every block was answered
        bool irregular = false;
        bool stopped = false;
    };
    /// After all threads have ended.
    [[nodiscard]] Outcome finish();

  private:
    void join(std::size_t index, BlockResult&& result);
    /// Joins the steps of a block to those of the one before: its streams go on where they ended there.
    void append(const std::vector<Step>& of_block);
    void advance();
    void lower_limit();
    /// Puts the steps in order; false if there are too many all the same.
    [[nodiscard]] bool gather(std::size_t most);

    std::vector<inputs::Block> blocks_;
    bool limit_steps_;
    Simplify simplify_;
    std::size_t most_;   ///< steps that may be there before the end
    std::size_t gather_; ///< as many are gathered
    bool ended_ = false; ///< by stop() or fail_all()
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable leaving_;
    std::size_t next_ = 0;
    std::size_t front_ = 0; ///< blocks before it are joined or failed
    std::size_t limit_;     ///< blocks from here on are not kept
    std::size_t waiting_steps_ = 0;
    std::size_t left_ = 0;
    std::uint64_t done_ = 0;
    std::map<std::size_t, BlockResult> waiting_;
    std::map<std::size_t, BlockFailure> failures_; ///< blocks without an answer
    std::optional<BlockFailure> everything_failed_;
    std::optional<BlockFailure> bad_end_;
    std::optional<BlockFailure> flaw_; ///< the first in the order of the blocks
    Outcome outcome_;
    std::vector<std::size_t> ends_; ///< the last block's steps among those of `outcome_`
};

} // namespace mxcert::observe

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/frames/repeated_run.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/observe/ask_places.hpp"
#include "conformance/observe/backend_spec.hpp"
#include "conformance/observe/convert_exchange.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/observe/piece.hpp"
#include "conformance/observe/schedule.hpp"
#include "conformance/observe/worker_client.hpp"

namespace mxcert::observe {

struct Misplaced;
class Turns;
struct TurnsSeen;

/// By which a file is known to be the same: device, number, size, and time of change in seconds and nanoseconds. Zeros
/// if there is none.
using FileState = std::array<std::int64_t, 5>;
[[nodiscard]] FileState state_of(const std::filesystem::path& path);

/// Every input of a range and how it is asked for.
struct RangeQuestion {
    const Conversion& conversion;
    std::uint32_t index = 0;      ///< in HELLO
    const PermitTable& expected;  ///< decides the order of the inputs, and which are asked in every place
    const PermitTable* permitted; ///< nullptr: not known
    Code low = 0;
    Code high = 0;
    std::optional<inputs::Interleaving>
        order{};        ///< none: in ascending order, where no other leaves a byte for the poison
    bool makes = false; ///< whether the worker makes interleaved inputs
    std::vector<inputs::Block> blocks{};
    std::size_t planned = 0; ///< requests for the whole range; `blocks` may be a share of them

    /// What asks for the blocks. `is_cut` as ConvertExchange has it. The question must outlive it.
    [[nodiscard]] std::unique_ptr<ConvertExchange> exchange(std::uint64_t seed, bool is_cut = false) const;
};

/// The workers of a backend, and how they are asked: what WorkerPool does.
struct Workers {
    BackendSpec spec;
    ObserveOptions options;
    std::unique_ptr<WorkerStarter> starter{};
    FileState file{}; ///< before the first worker was started
    BackendInfo info{};
    std::vector<std::uint32_t> indices{}; ///< in HELLO, of info.conversions
    std::string hello{};
    std::vector<std::uint32_t> operations{}; ///< in HELLO, of info.operations
    std::unique_ptr<WorkerClient> first{};   ///< read its HELLO, has done nothing yet
    std::unique_ptr<WorkerClient> runner{};  ///< runs operations; none after a failure
    bool takes_ranges = false;               ///< as its HELLO says
    bool takes_interleaved = false;          ///< the same
    // What a Schedule is told of the conversion that is being asked.
    Schedule::Simplify simplify{};
    std::size_t gaps = 0;
    std::shared_ptr<Turns> turns{}; ///< shared by all that ask the same backend

    [[nodiscard]] std::unique_ptr<WorkerClient> start() const;

    /// `index` is that of the conversion or operation in HELLO. `limit_steps` as Schedule has it.
    [[nodiscard]] Schedule::Outcome ask(const Exchange& exchange, std::uint32_t index,
                                        std::vector<inputs::Block> blocks, bool limit_steps);
    /// Asks a worker that has done nothing before, and no other after it.
    [[nodiscard]] Schedule::Outcome ask_fresh(const Exchange& exchange, std::uint32_t index,
                                              std::vector<inputs::Block> blocks,
                                              std::chrono::milliseconds timeout) const;
    /// Asks one more worker for some blocks: answers that depend on the process are no function of the input.
    /// `planned`: of how many requests these are a share, which asks its share of it; 0: they are all.
    void ask_another_worker(const Exchange& exchange, std::uint32_t index, const std::vector<inputs::Block>& blocks,
                            Schedule::Outcome& outcome, std::size_t planned = 0) const;
    /// Asks every boundary again in every place of a call, and calls of many values.
    void ask_places(const Conversion& conversion, std::uint32_t index, const PlaceRings& places,
                    Observation& observation, Schedule::Outcome& outcome) const;
    /// What puts answers of a conversion in wrong places of a call, or mixes them with those beside them, where that is
    /// a way that is known. `thorough`: also where few answers are wrong, which takes some million values.
    [[nodiscard]] std::optional<KnownFault> name_places(const Conversion& conversion, std::uint32_t index,
                                                        const PermitTable& expected, bool thorough = true) const;
    /// What rounds values with the random words of other places, where that is a way that is known. `either`: what any
    /// word may lead to.
    [[nodiscard]] std::optional<KnownFault> name_words(const Conversion& conversion, std::uint32_t index,
                                                       const PermitTable& either) const;
    /// Whether values are right in calls of nothing else, of which at least one in `rare` is wrong in `ring`.
    [[nodiscard]] std::optional<KnownFault> name_neighbours(const Conversion& conversion, std::uint32_t index,
                                                            const inputs::Ring& ring, const Misplaced& found,
                                                            std::uint64_t in_call, std::uint64_t rare) const;
    /// WorkerPool::ask_turns().
    [[nodiscard]] TurnsSeen ask_turns() const;
    /// Asks, then looks closer at what was answered, or looks for what ended the worker.
    [[nodiscard]] Schedule::Outcome ask_well(const Exchange& exchange, std::uint32_t index,
                                             const std::vector<inputs::Block>& blocks, bool limit_steps,
                                             Observation& observation,
                                             const std::function<void(Schedule::Outcome&)>& look_closer);
    /// The order in which the inputs of a range are asked, and the requests.
    void plan(RangeQuestion& question) const;
    /// Asks for every input of a range: in batches, or as ranges that the backend makes itself, and then some in
    /// batches as well. `flaw`: what is known to be wrong, which counts also if it is not seen again.
    [[nodiscard]] Schedule::Outcome ask_range(const RangeQuestion& question, Observation& observation,
                                              std::optional<BlockFailure>& flaw);
    /// The second way. Nullopt: it makes no such ranges, or is to be asked for all of the blocks to see what is wrong
    /// with them.
    [[nodiscard]] std::optional<Schedule::Outcome>
    ask_own_ranges(const RangeQuestion& question, Observation& observation, std::optional<BlockFailure>& flaw);
    /// As WorkerPool::run() of a RunCase, with a RunAnswer, and WorkerPool::run_repeated() of a RepeatedRun.
    template <class Answer, class Case> [[nodiscard]] Answer run_case(const Operation& operation, const Case& run);
    /// The inputs of a piece. The table is that of what was asked, unless that is a share.
    [[nodiscard]] Observation run(const Conversion& conversion, const Permitted& permitted, const Piece& piece);
    /// Asks the boundaries of what was answered in every place too, unless something is wrong already.
    void look_at_places(const Conversion& conversion, const Permitted& permitted, const std::vector<Step>& answers,
                        Observation& observation);
    /// Asks the inputs of places once, and what they gave.
    [[nodiscard]] Observation ask_rings(const Conversion& conversion, const PermitTable& expected,
                                        std::vector<Step>& answers);
    /// WorkerPool::observe_places().
    [[nodiscard]] Observation run_places(const Conversion& conversion, const Permitted& permitted);
    [[nodiscard]] Observation run_points(const Conversion& conversion, const std::vector<inputs::Point>& inputs,
                                         const PermitTable* permitted);
    /// Every input, part by part: of 2^40 inputs not even the requests can be held at once.
    [[nodiscard]] Observation run_parts(const Conversion& conversion, const Permitted& permitted);
    /// The index of a conversion in HELLO; nullopt, with the status and reason in the observation, if it is not
    /// offered.
    [[nodiscard]] std::optional<std::uint32_t> find(const Conversion& conversion, Observation& observation) const;
};

} // namespace mxcert::observe

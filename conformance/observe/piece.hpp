// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/inputs/poison.hpp"
#include "conformance/observe/observation.hpp"

// A conversion whose every input is asked may be asked in pieces, by several machines. What is sent in a piece does not
// depend on who asks the others, so the joined answers are those of one observation.
namespace mxcert::observe {

/// Inputs of a conversion that are planned together, and the share of the requests for them that is asked.
struct Piece {
    Code low = 0;
    Code high = 0;
    std::uint64_t number = 0; ///< of the share, from 0
    std::uint64_t count = 1;  ///< shares; 1: every request
};

/// The requests of a share: the shares of one count have each request once.
[[nodiscard]] std::vector<inputs::Block> share_of(const std::vector<inputs::Block>& blocks, const Piece& piece);

/// Whether every input of a conversion can be sent: a source of up to 32 bits, or with a given scale.
[[nodiscard]] bool has_pieces(const Conversion& conversion);
/// The observation of a conversion without pieces: untested, with the reason.
[[nodiscard]] Observation without_pieces(const Conversion& conversion);

/// One answer for all that are permitted, where it makes no difference which.
void simplify_steps(std::vector<Step>& steps, const PermitTable& permitted);

/// Whether answers to every input are a table: what a run that was stopped had answered by then may be all. Answers
/// that changed are none.
[[nodiscard]] inline bool is_kept_whole(Status status) {
    return status == Status::pass || status == Status::incomplete;
}

/// The first input from 0 to `last` that ascending steps do not have exactly once; nullopt if there is none.
[[nodiscard]] std::optional<Code> first_flaw(const std::vector<Step>& steps, Code last);

/// Joins the observations of all pieces of a conversion to that of every input.
class PieceJoiner {
  public:
    PieceJoiner(const Conversion& conversion, const Permitted& permitted);

    /// Whether nothing has ended the observation so far: what follows is not looked at then.
    [[nodiscard]] bool passes() const;
    /// Pieces ascend by `low`, shares of one range by `number`.
    void add(const Piece& piece, Observation seen);
    /// The table, if every input has one answer; else what there is, and why it is not whole. `look_at_places` is
    /// called with all answers if they are whole and regular.
    [[nodiscard]] Observation
    finish(const std::function<void(const std::vector<Step>& answers, Observation&)>& look_at_places);

  private:
    void add_share(const Piece& piece, Observation seen);
    void add_range(Observation seen);

    const Conversion& conversion_;
    Permitted permitted_;
    Observation all_;
    std::vector<Step> steps_;
    std::optional<Observation> shares_; ///< of a range, as far as they came
};

} // namespace mxcert::observe

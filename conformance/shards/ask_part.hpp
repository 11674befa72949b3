// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/shards/answers.hpp"
#include "conformance/shards/run.hpp"
#include "conformance/shards/unit.hpp"

namespace mxcert::shards {

/// Questions and answers of a unit, and their verdict: a row for each profile, of the inputs of the unit alone;
/// of a record one row, of whether the answers came.
struct AskedUnit {
    Answers answers;
    std::vector<verdict::Row> rows;
};

/// Asks a unit. Never throws for what the backend does.
[[nodiscard]] AskedUnit ask_unit(observe::Subject& subject, const certify::Plan& plan, const Unit& unit,
                                 const verdict::CertifyOptions& options);

/// The result of asking a part.
struct PartResult {
    std::vector<verdict::Row> rows; ///< of all its units
    std::size_t units = 0;          ///< of the part
    std::size_t answered = 0;       ///< of them, those whose answers came, and are stored
    std::size_t kept = 0;           ///< of those, the ones that an earlier run had asked
    std::uint64_t compared = 0;     ///< inputs and values
};

/// Called while a part is asked; each may be empty.
struct PartEvents {
    std::function<void(const Unit& unit, std::size_t number, std::size_t count)> started;
    std::function<void(const std::vector<verdict::Row>& rows)> judged;
};

/// Asks the units of a part one after the other and writes each to the folder as soon as it is answered; those that the
/// folder has are judged again and not asked. A unit that did not pass is stored with the reason, and asked again the
/// next time. Throws std::runtime_error where the folder is of another run or part, or has a file that was changed or
/// cannot be written.
[[nodiscard]] PartResult ask_part(observe::Subject& subject, const certify::Plan& plan, const std::vector<Unit>& units,
                                  const Shard& shard, const verdict::CertifyOptions& options,
                                  const std::filesystem::path& folder, const PartEvents& events);

} // namespace mxcert::shards

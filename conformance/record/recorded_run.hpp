// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"

// The runs of an operation as they are stored: what was asked as a digest, as the suite asks it again, and what came
// back.
namespace mxcert::record {

struct RecordedRun {
    std::string row;              ///< the part of the operation's rows that it is of: "blocks"
    std::string name;             ///< what it is about, for people: "a tail of 1"
    std::string question;         ///< SHA-256 of what was asked
    Status status = Status::pass; ///< pass: answered; unsupported: refused, and `reason` says why
    std::string reason;
    std::string answer;  ///< SHA-256 of what came back; "" if it was refused
    std::string outputs; ///< what came back, packed; "" where the digest is all that is kept
};

/// All runs of an operation, each question once, in the order in which they were asked.
struct RecordedOperation {
    Operation operation;
    std::vector<RecordedRun> runs;
};

/// SHA-256 of shape, sizes and inputs, the same on every machine.
[[nodiscard]] std::string question_of(const frames::RunCase& run_case);
/// The outputs of a run one after the other, values little-endian; what may be left undefined is zero.
[[nodiscard]] std::string answer_bytes(const frames::RunCase& run_case, const std::vector<frames::Values>& outputs);

/// Packed outputs of a run that a record keeps, in bytes.
inline constexpr std::size_t most_packed = std::size_t{1} << 20;

/// Of packed outputs of more than `most` bytes only the digest is kept. Precondition: the answer passed, or was
/// refused.
[[nodiscard]] RecordedRun record_run(const frames::RunCase& run_case, const frames::RunAnswer& answer,
                                     std::size_t most = most_packed);
/// What a record answers. Status::untested where it has a digest alone; an error if the outputs are not those of such a
/// run, or not those of the digest.
[[nodiscard]] frames::RunAnswer replay_run(const RecordedRun& recorded, const frames::RunCase& run_case);

/// A file of a record: JSON, "mxcert-runs-1".
[[nodiscard]] std::string write_runs(const RecordedOperation& recorded);
/// The reverse. Throws std::runtime_error that names the file and the place.
[[nodiscard]] RecordedOperation read_runs(const std::filesystem::path& path);

} // namespace mxcert::record

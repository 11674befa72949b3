// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/files/json_members.hpp"
#include "conformance/frames/repeated_run.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/record/recorded_run.hpp"
#include "conformance/report/report.hpp"
#include "conformance/sandbox/sandbox.hpp"
#include "conformance/status.hpp"

// The answers of a unit, as they are stored: a JSON file each, "mxcert-unit-1" (docs/shards.md).
namespace mxcert::shards {

/// An observation: the question and the answers.
struct StoredObservation {
    std::string of;       ///< the conversion, or the row of an operation
    std::string question; ///< all that it depends on, beside the run
    observe::Observation seen;
};

/// A run of an operation. Where `once` answers were drawn at random, each time it was asked is another one.
struct StoredRun {
    std::string of;       ///< the operation
    std::string question; ///< record::question_of()
    record::RecordedRun run;
};

/// A large run that repeats a period: what came of it.
struct StoredRepeat {
    std::string of;
    std::string question;
    frames::RepeatedAnswer answer;
};

struct Answers {
    std::string run;              ///< digest of the run that the unit is of (Run::digest())
    std::string unit;             ///< its name
    Status status = Status::pass; ///< of the first answer that did not come, or changed
    std::string reason;
    report::Host host;                     ///< that asked it
    std::optional<sandbox::State> sandbox; ///< that the backend was in; none in files of versions without
    std::string started;
    double seconds = 0;
    std::vector<StoredObservation> observations;
    std::vector<StoredRun> runs;
    std::vector<StoredRepeat> repeats;
    std::string end; ///< why the worker of the runs did not end well; "" if it did
};

/// SHA-256 of what was asked and answered; not of the machine and the time.
[[nodiscard]] std::string digest_of(const Answers& answers);

/// The JSON of such a file with both of its checksums, that of the answers and that of the whole.
[[nodiscard]] files::Json with_checksums(files::Json unit);

/// Writes the file, whole or not at all. Throws std::runtime_error that names it.
void write_answers(const Answers& answers, const std::filesystem::path& path);

/// The reverse. Throws std::runtime_error that names the file and the place: it was changed or cut short, is of another
/// version, or has steps that overlap or are not as many inputs as it says.
[[nodiscard]] Answers read_answers(const std::filesystem::path& path);

/// The name of a question.
[[nodiscard]] std::string question_of(const observe::Piece& piece);
[[nodiscard]] std::string question_of(const std::vector<inputs::Point>& points);
[[nodiscard]] std::string question_of(const frames::RepeatedRun& run);
inline constexpr const char* every_input = "every input";
inline constexpr const char* every_place = "every place";

} // namespace mxcert::shards

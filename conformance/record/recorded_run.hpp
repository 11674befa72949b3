// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/observe/subject.hpp"

// The runs of an operation as they are stored: what was asked as a digest, as the suite asks it again, and what came
// back.
namespace mxcert {

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
[[nodiscard]] std::string question_of(const RunCase& asked);
/// The outputs of a run one after the other, values little-endian; what may be left undefined is zero.
[[nodiscard]] std::string answer_bytes(const RunCase& asked, const std::vector<Values>& outputs);

/// Packed outputs of a run that are kept: of longer ones only the digest is.
inline constexpr std::size_t most_packed = std::size_t{1} << 20;

/// Precondition: the answer passed, or was refused.
[[nodiscard]] RecordedRun record_run(const RunCase& asked, const RunAnswer& answer);
/// What a record answers. Status::untested where it has a digest alone; an error if the outputs are not those of such a
/// run, or not those of the digest.
[[nodiscard]] RunAnswer replay_run(const RecordedRun& recorded, const RunCase& asked);

/// A file of a record: JSON, "mxcert-runs-1".
[[nodiscard]] std::string write_runs(const RecordedOperation& recorded);
/// The reverse. Throws std::runtime_error that names the file and the place.
[[nodiscard]] RecordedOperation read_runs(const std::filesystem::path& path);

/// A subject that is only asked to run operations, by a function.
class RunSubject final : public Subject {
  public:
    using Run = std::function<RunAnswer(const Operation&, const RunCase&)>;
    explicit RunSubject(Run run) : run_(std::move(run)) {}

    [[nodiscard]] const BackendInfo& info() const override { return info_; }
    [[nodiscard]] Observation observe(const Conversion& /*c*/, const Permitted& /*permitted*/) override { return {}; }
    [[nodiscard]] Observation observe_points(const Conversion& /*c*/, const std::vector<Point>& /*inputs*/,
                                             const PermitTable* /*permitted*/) override {
        return {};
    }
    [[nodiscard]] RunAnswer run(const Operation& operation, const RunCase& asked) override {
        return run_(operation, asked);
    }
    [[nodiscard]] std::vector<Point> answerable(const Conversion& /*c*/, std::vector<Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool is_record() const override { return false; }

  private:
    BackendInfo info_;
    Run run_;
};

/// Calls `run` for every run of the rows of an operation that the options select, as a record has them: what is asked
/// depends on the operation, the seed and the samples, and, where a row goes by what another one found, on its answers.
/// Nothing is judged. A row ends at the first answer that is neither given nor refused.
void ask_runs(const Operation& operation, const CertifyOptions& options, GoldenSource& golden,
              const RunSubject::Run& run);

} // namespace mxcert

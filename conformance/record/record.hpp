// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/observe/worker_pool.hpp"
#include "conformance/record/recorded_run.hpp"

// A record is what a backend did, stored: a folder with record.json, one CSV file a conversion and one JSON file an
// operation (docs/reports.md).
namespace mxcert::record {

/// One conversion of a record: a whole table, or points of a 64-bit source. One of the two is empty.
struct RecordedConversion {
    Conversion conversion;
    StepTable table;
    std::vector<inputs::Point> points;
    std::uint64_t repeated = 0; ///< inputs that were asked twice
    observe::Places places{};   ///< where in a call they were asked; all 0 in records of older versions
};

/// An offer that is not in the record, and why.
struct Unrecorded {
    std::string conversion; ///< or operation
    Status status = Status::untested;
    std::string reason;
};

struct Record {
    observe::BackendInfo info; ///< `conversions` and `operations` are those of the record
    std::string backend_options;
    std::uint64_t seed = 1;
    unsigned samples_per_step = 0; ///< which its operations were asked with
    LevelOf level{Level::quick};   ///< which it was taken at
    std::vector<RecordedConversion> conversions;
    std::vector<RecordedOperation> operations;
    std::vector<Unrecorded> unrecorded;
    std::vector<std::string> filters;  ///< `--filter` it was taken with
    std::vector<std::string> left_out; ///< offered by the backend, and not in the record; `unrecorded` among them
    std::vector<std::string> machines; ///< the kinds of machines that asked, in words; none: it was one kind
    bool tells_left_out = true;        ///< false of one of an older version, or of answers that were stored
    std::string digest;                ///< of record.json, where it was read
};

inline constexpr std::string_view record_schema = "mxcert-record-3";
inline constexpr std::string_view record_schema_2 = "mxcert-record-2"; ///< read all the same: it has no `left_out`
inline constexpr std::string_view record_schema_1 = "mxcert-record-1"; ///< the same, and it has no operations

/// Writes a record into a new or empty folder; record.json comes last, so that a folder without it is no record. Throws
/// std::runtime_error that names the path.
void write_record(const Record& record, const std::filesystem::path& folder);

/// Adds a conversion, which it does not have yet, to the record in a folder. Stopped at any time, the folder is a
/// record. It is left out no longer. Throws std::runtime_error that names the path.
void add_to_record(const RecordedConversion& recorded, const std::filesystem::path& folder);

/// A conversion of a record; nullptr if it has none such.
[[nodiscard]] const RecordedConversion* find_recorded(const Record& record, const Conversion& conversion);

/// An operation of a record; nullptr if it has none such.
[[nodiscard]] const RecordedOperation* find_recorded(const Record& record, const Operation& operation);

/// A whole table as it was observed. Precondition: the record has no points of it.
[[nodiscard]] observe::Observation as_observed(const RecordedConversion& recorded);

/// Whether the folder has the index of a record.
[[nodiscard]] bool is_record_folder(const std::filesystem::path& folder);

/// The reverse of write_record(). Throws std::runtime_error that names the file and the place: another schema, a
/// missing or unknown member, a file name with a folder in it, a digest, row or run count that does not match, a table
/// that is not whole, outputs of a run that are not those of their digest.
[[nodiscard]] Record read_record(const std::filesystem::path& folder);

/// How a record is taken.
struct RecordOptions {
    std::uint64_t seed = 1;
    unsigned samples_per_step = 0;    ///< 64-bit sources: seeded inputs inside every step, besides its boundaries
    LevelOf level{};                  ///< quick or a later one
    std::string backend_options;      ///< as given to the backend
    std::vector<std::string> filters; ///< globs over conversions, operations and rows of these; none: all
    const std::atomic<bool>* stop = nullptr;
    /// An offer is going to be asked; `inputs`: how many, 0 where that is not known before. May be empty.
    std::function<void(const std::string& name, std::uint64_t inputs)> started;
    std::function<void(const observe::Observation&)> observed; ///< may be empty
    /// An operation was asked: how it ended, and why if it is not recorded. May be empty.
    std::function<void(const RecordedOperation&, Status, const std::string& reason)> asked;
};

/// Observes everything a backend offers, as record_ask.hpp says. What is stochastic, or did not come back whole and
/// trusted, is listed as unrecorded.
[[nodiscard]] Record take_record(observe::Subject& subject, const RecordOptions& options);

/// Throws std::runtime_error unless the folder can be made, or is there and empty, and takes files.
void check_record_folder(const std::filesystem::path& folder);

} // namespace mxcert::record

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The results of a run as continuous integration sees them, whichever command ran: JUnit XML here, and every other
// form in conformance/ci/.
namespace mxcert::report {

/// One row of a run. The texts may hold anything.
struct ResultRow {
    enum class Outcome : std::uint8_t { passed, failed, error, skipped };

    std::string name;
    std::string profile; ///< "" if it was judged by none
    double seconds = 0;
    Outcome outcome = Outcome::passed;
    std::string message;           ///< one line: why it has not passed
    std::string type;              ///< of a failure or an error: "FAIL", "CHANGED"
    std::string text;              ///< of a failure or an error, in lines; where it has passed, what it printed
    std::vector<std::string> bugs; ///< ids of the bug classes that explain it
    std::string acknowledged;      ///< the reason, where it passed only since somebody acknowledged what is wrong
    std::string command;           ///< a command that shows the failure again; "" if there is none
    std::uint64_t compared = 0;    ///< inputs or values
    std::uint64_t differing = 0;   ///< of these, those whose answer is not permitted
};

/// A run.
struct Results {
    std::string name; ///< "mxcert certify half_up"
    double seconds = 0;
    std::string started;                                         ///< ISO 8601, or empty
    std::vector<std::pair<const char*, std::string>> properties; ///< name and value
    std::vector<ResultRow> rows;
    std::string verdict;  ///< in sentences, a line each
    std::string command;  ///< the command line, as far as it says what was run
    std::string argument; ///< BACKEND as it was given
    std::string backend;  ///< name and version, as the backend says them
    std::string version;
    std::string build_id;
    std::string host;
    std::string source; ///< the file that findings belong to; "" if none was named
    int exit_code = 0;
};

/// Rows with an outcome.
[[nodiscard]] std::size_t count(const Results& results, ResultRow::Outcome outcome);

/// JUnit XML, UTF-8, LF at the end: a testcase a row. What XML cannot hold is written as printable() does.
[[nodiscard]] std::string junit_xml(const Results& results);

} // namespace mxcert::report

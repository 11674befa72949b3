// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

// JUnit XML, for continuous integration.
namespace mxcert::report {

struct JunitCase {
    enum class Outcome { passed, failed, error, skipped };

    std::string name;
    std::string profile; ///< the class is "mxcert.PROFILE", or "mxcert" if it is empty
    double seconds = 0;
    Outcome outcome = Outcome::passed;
    std::string message; ///< one line: why it has not passed
    std::string type;    ///< of a failure or an error
    std::string text;    ///< of a failure or an error, in lines; where it has passed, what it printed, or empty
};

struct JunitSuite {
    std::string name;
    double seconds = 0;
    std::string started;                                         ///< ISO 8601, or empty
    std::vector<std::pair<const char*, std::string>> properties; ///< name and value
    std::vector<JunitCase> cases;
};

/// The file, UTF-8, LF at the end. The texts may be anything: what XML cannot hold is written as printable() does.
[[nodiscard]] std::string junit_xml(const JunitSuite& suite);

} // namespace mxcert::report

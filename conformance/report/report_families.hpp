// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/report/report.hpp"

namespace mxcert::report {

/// The name of the line that a conversion or operation is counted in: "to e4m3", "quantize".
[[nodiscard]] std::string family_of(const Conversion& conversion);
[[nodiscard]] std::string family_of(const Operation& operation);
[[nodiscard]] std::string family_of(const verdict::Row& row);

/// The lines of a run while it goes on. Of a small run each row is a line. Of a large one each family is a line,
/// printed when all of it is judged, and so is each row that did not pass, at once.
class RowLines {
  public:
    /// Conversions and operations from which on families are lines.
    static constexpr std::size_t large = 25;

    /// `planned`: the family of each conversion and operation of the run.
    RowLines(const RowColumns& columns, const std::vector<std::string>& planned, View view);

    /// Whether families are lines.
    [[nodiscard]] bool are_families() const { return families_are_lines_; }
    [[nodiscard]] std::string heading() const;
    /// The lines to print after all rows of one conversion or operation, or rows that were not planned, are judged.
    /// `seconds`: the time that they took.
    [[nodiscard]] std::string add(const std::vector<verdict::Row>& rows, double seconds);
    /// The families that the end of the run left unfinished.
    [[nodiscard]] std::string finish();

  private:
    struct Family {
        std::string name;
        std::size_t planned = 0; ///< conversions and operations that are not judged yet
        std::size_t rows = 0;
        std::size_t passed = 0;
        std::uint64_t compared = 0;
        bool sample = false; ///< any row is one
        bool open = false;   ///< any row is
        double seconds = 0;
        double slowest_seconds = 0;
        std::string slowest;
    };
    Family& family(const std::string& name);
    [[nodiscard]] std::string line(const Family& family) const;
    /// One line, its columns from the left as far as they fit.
    [[nodiscard]] std::string cells(const std::string& name, const std::string& passed, const std::string& values,
                                    const std::string& asked, const std::string& time,
                                    const std::string& slowest) const;

    RowColumns columns_;
    View view_;
    bool families_are_lines_;
    std::size_t name_width_ = 0;
    std::vector<Family> families_;
};

} // namespace mxcert::report

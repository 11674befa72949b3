// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/files/json_members.hpp"
#include "conformance/selftest/planted_list.hpp"

// A part of a selftest that several machines share, as a file (docs/shards.md). Which bug is planted by which part
// follows from the list of bugs and the number of parts alone.
namespace mxcert::selftest {

/// Which part of how many.
struct PartOf {
    std::uint64_t part = 0; ///< from 0
    std::uint64_t parts = 1;
};

/// The bugs of a part. Throws std::invalid_argument if it has none.
[[nodiscard]] PlantedList bugs_of(const PlantedList& all, const PartOf& part);

/// The file of a part: the run that it is of, and what came of its bugs. `all`: the bugs of the whole run.
[[nodiscard]] files::Json part_json(const Selection& selection, const PlantedList& all, const PartOf& part,
                                    const Outcomes& outcomes);

/// The command that plants the bugs of a part.
[[nodiscard]] std::string command_of(const Selection& selection, const PartOf& part, const std::string& file);

/// The parts of one run, checked: of this program, each once, with the bugs that the program deals to it.
class SelftestParts {
  public:
    /// Throws std::runtime_error that names the file, the place in it, and what to do.
    explicit SelftestParts(const std::vector<std::filesystem::path>& files);

    [[nodiscard]] const PlantedList& all() const { return all_; }
    [[nodiscard]] std::uint64_t parts() const { return parts_; }
    /// The commands of the parts that are not there.
    [[nodiscard]] std::vector<std::string> missing() const;

    /// What came of all bugs. Precondition: no part is missing.
    [[nodiscard]] Outcomes outcomes() const;

    /// Plants one bug of each part again, and gives how many that were. The seed that draws them follows from all
    /// parts. Throws std::runtime_error if something else comes of one. Precondition: no part is missing.
    [[nodiscard]] std::size_t plant_again(unsigned jobs) const;

  private:
    struct Given {
        std::filesystem::path file; ///< "": it is missing
        std::string digest;
        Outcomes outcomes;
    };
    Selection selection_;
    PlantedList all_;
    std::uint64_t parts_ = 1;
    std::vector<Given> given_;
};

} // namespace mxcert::selftest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/sandbox/sandbox.hpp"
#include "conformance/shards/run.hpp"
#include "conformance/shards/stored_subject.hpp"

namespace mxcert::shards {

/// The parts of a run that are in some folders, checked: all of one run, each unit once or with equal answers.
class Parts {
  public:
    /// Reads shard.json of each folder. Throws std::runtime_error that names the folder: it is no part, or of another
    /// run than the first one; that run is of another version of mxcert or other vectors.
    explicit Parts(const std::vector<std::filesystem::path>& folders);

    [[nodiscard]] const Run& run() const { return shards_.front().run; }
    [[nodiscard]] const std::string& argument() const { return shards_.front().argument; }
    /// What plans the run, and later answers it.
    [[nodiscard]] AnswerStore& store() { return *store_; }

    /// Reads the answers. Throws std::runtime_error that names the file: it was changed, is of another run, of no unit
    /// of the plan, of a unit of another part than its folder, or has other answers than another file of the same unit.
    void read(const certify::Plan& plan, const verdict::CertifyOptions& options);

    /// A part of which units are missing.
    struct Missing {
        std::uint64_t part = 0;
        std::vector<std::string> units;
        std::string command; ///< that asks them
    };
    [[nodiscard]] const std::vector<Missing>& missing() const { return missing_; }
    /// The kinds of machines that asked, in order.
    [[nodiscard]] const std::vector<report::Host>& hosts() const { return hosts_; }
    /// What restricted the backend while every unit was asked; none if a unit does not say.
    [[nodiscard]] const std::optional<sandbox::State>& sandbox() const { return sandbox_; }
    [[nodiscard]] const std::string& started() const { return started_; } ///< the earliest
    [[nodiscard]] double seconds() const { return seconds_; }             ///< of all units
    [[nodiscard]] std::size_t units() const { return units_; }
    /// The seed by which is decided what is asked again: it follows from all answers.
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// A unit of each part, drawn by that seed, with a random number.
    [[nodiscard]] std::map<std::string, std::uint64_t> drawn() const;

  private:
    void add_host(const report::Host& host);
    [[nodiscard]] std::string folder_of(std::uint64_t part) const;

    std::vector<std::filesystem::path> folders_;
    std::vector<Shard> shards_;
    std::unique_ptr<AnswerStore> store_;
    std::vector<Missing> missing_;
    std::vector<report::Host> hosts_;
    std::optional<sandbox::State> sandbox_;
    std::string started_;
    double seconds_ = 0;
    std::size_t units_ = 0;
    std::uint64_t seed_ = 0;
    std::map<std::uint64_t, std::vector<std::string>> units_of_part_; ///< that can be asked again
};

} // namespace mxcert::shards

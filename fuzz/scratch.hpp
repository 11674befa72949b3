// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mxcert::fuzz {

/// A folder for parsers that read files, in memory where the system has such a place. Removed at the end of the
/// program.
class Scratch {
  public:
    Scratch() {
        const std::filesystem::path memory = "/dev/shm";
        const auto base = std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
        std::string name = (base / "mxcert_fuzz_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made in " + base.string());
        path_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    void write(const std::string& name, std::string_view content) const {
        std::ofstream out(path_ / name, std::ios::binary);
        out.exceptions(std::ios::badbit | std::ios::failbit);
        out << content;
        out.close();
    }

  private:
    std::filesystem::path path_;
};

} // namespace mxcert::fuzz

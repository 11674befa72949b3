// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// JSON files that may come from anywhere: records, requests for offline devices, certificates.
namespace mxcert::files {

using Json = nlohmann::ordered_json;

/// The JSON of a file of at most csv::max_bytes. Throws std::runtime_error that names it: it cannot be read, is no
/// valid JSON, has an object with a name twice, or is nested deeper than any file of ours.
[[nodiscard]] Json read_json(const std::filesystem::path& path);

/// As all JSON files are written: indented by 2, LF at the end, what is not UTF-8 replaced.
[[nodiscard]] std::string json_text(const Json& json);

/// Members of a JSON object that may be anything. Every error is a std::runtime_error that names the file and the
/// member. Keeps a reference to the object.
class Members {
  public:
    /// `where`: the file, and the place in it.
    Members(const Json& json, std::string where);

    [[nodiscard]] std::string text(const char* name) const;
    [[nodiscard]] std::uint64_t number(const char* name) const; ///< a whole number from 0 to 2^64-1
    [[nodiscard]] bool flag(const char* name) const;
    [[nodiscard]] const Json& array(const char* name) const;
    [[nodiscard]] std::vector<std::string> texts(const char* name) const; ///< a list of texts
    [[nodiscard]] Members object(const char* name) const;
    [[nodiscard]] const Json& member(const char* name) const;
    [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }
    [[noreturn]] void fail(const char* name, const std::string& what) const;

  private:
    const Json& json_;
    std::string where_;
};

} // namespace mxcert::files

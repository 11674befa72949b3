// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/write_folder.hpp"

#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"

namespace mxcert::new_backend {

namespace fs = std::filesystem;

std::string replaced(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& places) {
    std::string out(text);
    for (const auto& [place, value] : places)
        for (std::size_t at = out.find(place); at != std::string::npos; at = out.find(place, at + value.size()))
            out.replace(at, place.size(), value);
    return out;
}

void write_folder(const fs::path& folder, const std::vector<std::pair<std::string, std::string>>& texts) {
    const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
    std::error_code error;
    // create_directory tells a folder that it made from one that was there: nobody else's files are ever in it.
    if (fs::symlink_status(folder, error).type() != fs::file_type::not_found)
        throw std::runtime_error(fmt::format("'{}' exists; nothing was written", folder.string()));
    files::make_folder(parent);
    if (!fs::create_directory(folder, error))
        throw std::runtime_error(
            fmt::format("cannot make the folder '{}': {}", folder.string(), error ? error.message() : "it exists"));
    for (const auto& [name, text] : texts) files::OutputFile(folder / name).write(text);
}

} // namespace mxcert::new_backend

// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_embedded.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "vectors/tables/csv.hpp"

namespace mxcert {
namespace {

std::span<const EmbeddedFile>& embedded() {
    static std::span<const EmbeddedFile> files;
    return files;
}

/// The embedded file that a path means; nullptr if there is none.
const EmbeddedFile* find_embedded(const std::filesystem::path& path) {
    if (path.parent_path() != embedded_folder) return nullptr;
    const auto at = std::find_if(embedded().begin(), embedded().end(),
                                 [&](const EmbeddedFile& file) { return path.filename() == file.name; });
    return at == embedded().end() ? nullptr : &*at;
}

} // namespace

void embed_golden_files(std::span<const EmbeddedFile> files) { embedded() = files; }

bool has_embedded_golden_files() { return !embedded().empty(); }

bool golden_exists(const std::filesystem::path& path) {
    if (has_embedded_golden_files() && (path == embedded_folder || find_embedded(path) != nullptr)) return true;
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

std::string read_golden_text(const std::filesystem::path& file) {
    if (const EmbeddedFile* found = find_embedded(file)) return std::string(found->text);
    return csv::read_text(file);
}

std::vector<std::string> golden_file_names(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    if (has_embedded_golden_files() && folder == embedded_folder) {
        for (const EmbeddedFile& file : embedded()) names.emplace_back(file.name);
    } else {
        std::error_code error;
        const std::filesystem::directory_iterator entries(folder, error);
        if (error) throw std::runtime_error("cannot list " + folder.string() + ": " + error.message());
        for (const auto& entry : entries) names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace mxcert

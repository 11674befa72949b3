// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

#include "vectors/base/sha256.hpp"
#include "vectors/base/this_program.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_embedded.hpp"

namespace mxcert {
namespace {

constexpr const char* manifest_name = "manifest.json";

const char* asked_folder() {
    const char* value = std::getenv("MXCERT_VECTORS");
    return value != nullptr && *value != '\0' ? value : nullptr;
}

/// The folder of set_golden_folder(); empty: there is none.
std::filesystem::path& set_folder() {
    static std::filesystem::path folder;
    return folder;
}

/// As people name it: from the source tree "vectors/golden/fp32-e4m3.csv", wherever the tree is.
std::string shown(const std::filesystem::path& file) {
    const auto folder = file.parent_path();
    if (folder.filename() == "golden" && folder.parent_path().filename() == "vectors")
        return (std::filesystem::path("vectors/golden") / file.filename()).string();
    return file.string();
}

void replace_file(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::path part = file;
    part += ".part";
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    std::error_code error;
    if (!out) {
        std::filesystem::remove(part, error);
        throw std::runtime_error("cannot write " + part.string());
    }
    std::filesystem::rename(part, file, error);
    if (error) throw std::runtime_error("cannot write " + file.string() + ": " + error.message());
}

} // namespace

void set_golden_folder(const std::filesystem::path& folder) { set_folder() = folder; }

std::filesystem::path golden_folder() {
    if (const char* what = asked_folder()) return what;
    if (!set_folder().empty()) return set_folder();
    if (has_embedded_golden_files()) return embedded_folder;
    std::error_code error;
    const std::filesystem::path program = this_program();
    std::filesystem::path shared = program.parent_path().parent_path() / "share" / "mxcert" / "vectors";
    if (std::filesystem::is_directory(shared, error)) return shared;
#ifdef MXCERT_BUILD_FOLDER
    // For a program that still lies where it was built. Elsewhere the path of the source tree may be anybody's.
    if (program.string().starts_with(MXCERT_BUILD_FOLDER "/")) return MXCERT_SOURCE_GOLDEN;
#endif
    return shared;
}

Manifest load_manifest(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / manifest_name;
    if (!golden_exists(folder)) {
        throw std::runtime_error(file.string() +
                                 ": there is no such folder; golden files are looked for in "
                                 "$MXCERT_VECTORS, else in ../share/mxcert/vectors beside the program's");
    }
    return parse_manifest(read_golden_text(file), shown(file));
}

std::string manifest_sha256(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / manifest_name;
    return golden_exists(file) ? sha256(read_golden_text(file)) : std::string();
}

std::optional<LoadedGolden> load_golden(const Format& from, const Format& to, const std::filesystem::path& folder) {
    // An installation without vectors tabulates, and says so; a folder that was asked for must be there.
    if (!golden_exists(folder) && asked_folder() == nullptr) return std::nullopt;
    const Manifest manifest = load_manifest(folder);
    const auto entry = std::find_if(manifest.files.begin(), manifest.files.end(),
                                    [&](const ManifestEntry& e) { return e.from == from.name && e.to == to.name; });
    if (entry == manifest.files.end()) return std::nullopt;
    const std::filesystem::path path = folder / entry->file;
    const std::string text = read_golden_text(path);
    const auto mismatch = [&](const std::string& what) {
        return std::runtime_error(shown(path) + " does not match its manifest: " + what +
                                  "; run `mxcert vectors check`");
    };
    if (text.size() != entry->bytes)
        throw mismatch("it has " + std::to_string(text.size()) + " bytes, not " + std::to_string(entry->bytes));
    std::string hash = sha256(text);
    if (hash != entry->sha256) throw mismatch("its SHA-256 is " + hash + ", not " + entry->sha256);
    GoldenFile golden = parse_golden(text, shown(path), from, to);
    if (golden.rows.size() != entry->rows)
        throw mismatch("it has " + std::to_string(golden.rows.size()) + " rows, not " + std::to_string(entry->rows));
    if (named_choices(golden) != entry->choices) throw mismatch("its rows name other choices or values");
    return LoadedGolden{std::move(golden), path, std::move(hash)};
}

void make_golden_folder(const std::filesystem::path& folder) {
    if (folder == embedded_folder)
        throw std::runtime_error("this program has its golden files inside; name a folder to write them to");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw std::runtime_error("cannot make " + folder.string() + ": " + error.message());
    if (::access(folder.c_str(), W_OK) != 0) throw std::runtime_error("cannot write into " + folder.string());
}

void write_golden_files(const std::vector<GoldenText>& all, const std::filesystem::path& folder) {
    make_golden_folder(folder);
    for (const GoldenText& text : all) replace_file(folder / text.name, text.text);
    replace_file(folder / manifest_name, write_manifest(describe(all)));
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
// Golden files inside a program, and folders that cannot be read or written.
#include "vectors/golden_store/golden_embedded.hpp"

#include <array>
#include <cstdlib>

#include "catch.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_files.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

TEST_CASE("golden files inside the program are read by their names", "[golden]") {
    const std::filesystem::path inside(embedded_folder);
    CHECK_FALSE(has_embedded_golden_files());
    CHECK_FALSE(golden_exists(inside));
    constexpr std::array files{EmbeddedFile{"b.csv", "second\n"}, EmbeddedFile{"a.csv", "first\n"}};
    embed_golden_files(files);
    const bool has_files = has_embedded_golden_files();
    const bool has_folder = golden_exists(inside);
    const bool has_first = golden_exists(inside / "a.csv");
    const bool has_other = golden_exists(inside / "c.csv");
    const std::string first = read_golden_text(inside / "a.csv");
    const std::vector<std::string> names = golden_file_names(inside);
    const std::filesystem::path folder = golden_folder();
    const TemporaryFolder temporary;
    const std::string beside = read_golden_text(temporary.file("a.csv", "beside\n"));
    const bool has_beside = golden_exists(temporary.path() / "a.csv");
    const std::vector<std::string> names_beside = golden_file_names(temporary.path());
    embed_golden_files({});
    CHECK(names_beside == std::vector<std::string>{"a.csv"});
    CHECK(has_files);
    CHECK(has_folder);
    CHECK(has_first);
    CHECK_FALSE(has_other);
    CHECK(first == "first\n");
    CHECK(names == std::vector<std::string>{"a.csv", "b.csv"});
    if (std::getenv("MXCERT_VECTORS") == nullptr) CHECK(folder == inside);
    CHECK(beside == "beside\n");
    CHECK(has_beside);
    CHECK_FALSE(has_embedded_golden_files());
    CHECK_THROWS_WITH(make_golden_folder(inside), Contains("name a folder to write them to"));
    CHECK_THROWS_WITH(golden_file_names(temporary.path() / "none"), Contains("cannot list "));
    CHECK(golden_file_names(temporary.path()) == std::vector<std::string>{"a.csv"});
}

TEST_CASE("the folder of golden files is the one that was set", "[golden]") {
    const TemporaryFolder temporary;
    set_golden_folder(temporary.path());
    const std::filesystem::path folder = golden_folder();
    set_golden_folder({});
    if (std::getenv("MXCERT_VECTORS") == nullptr) CHECK(folder == temporary.path());
    CHECK(golden_folder() != temporary.path());
    CHECK(manifest_sha256(temporary.path()).empty());
    static_cast<void>(temporary.file("manifest.json", "{}"));
    CHECK(manifest_sha256(temporary.path()) == sha256("{}"));
}

TEST_CASE("golden files that cannot be written are refused with their names", "[golden]") {
    const TemporaryFolder temporary;
    const std::vector<GoldenText> texts{{"a.csv", {}, "text\n"}};
    const std::filesystem::path file = temporary.file("file", "");
    CHECK_THROWS_WITH(make_golden_folder(file / "folder"), Contains("cannot make "));
    const auto refusal = [&](const char* taken) {
        const std::filesystem::path folder = temporary.path() / taken;
        std::filesystem::create_directories(folder / taken / "something");
        try {
            write_golden_files(texts, folder);
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(refusal("a.csv.part"), Catch::Matchers::EndsWith("a.csv.part") && Contains("cannot write "));
    CHECK_THAT(refusal("a.csv"), Contains("cannot write ") && Contains("a.csv: "));
    // A manifest in a folder that only has the name of ours is named with its whole path.
    for (const char* const parent : {"vectors", "others"}) {
        const std::filesystem::path folder = temporary.path() / parent / "golden";
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "manifest.json") << "nothing\n";
        const std::string name =
            parent == std::string("vectors") ? "vectors/golden/manifest.json" : (folder / "manifest.json").string();
        CHECK_THROWS_WITH(load_manifest(folder), Catch::Matchers::StartsWith(name + ": not JSON"));
    }
}

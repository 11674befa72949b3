// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/part_surroundings.hpp"

#include <fstream>
#include <string>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::evidence {
namespace {

using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

TEST_CASE("parts that loaded the same have it together", "[evidence]") {
    const TemporaryFolder folder;
    const Surroundings both{{{"/lib/a.so", "11"}}, {{"torch", "2.15"}}, {{"OMP_NUM_THREADS", "1"}}, {"the firmware"}};
    Surroundings more = both;
    more.files["/lib/b.so"] = "22";
    const std::vector<std::filesystem::path> parts{folder.path() / "1", folder.path() / "2"};
    for (const auto& part : parts) std::filesystem::create_directory(part);
    write_surroundings(both, parts[0]);
    write_surroundings(more, parts[1]);
    CHECK(surroundings_of_parts(parts) == more);
    // Again by a later start of the same part.
    write_surroundings(more, parts[0]);
    CHECK(surroundings_of_parts({parts[0]}) == more);
}

TEST_CASE("another file of the same name in one part is no file of the run", "[evidence]") {
    const TemporaryFolder folder;
    std::vector<std::filesystem::path> parts;
    for (const char* digest : {"11", "22", "11"}) {
        parts.push_back(folder.path() / ("part" + std::to_string(parts.size())));
        std::filesystem::create_directory(parts.back());
        write_surroundings(
            {{{"/lib/a.so", digest}, {"/lib/b.so", "33"}}, {{"torch", digest}}, {{"TORCH_X", digest}}, {}},
            parts.back());
    }
    const Surroundings joined = surroundings_of_parts(parts);
    CHECK(joined.files == std::map<std::string, std::string>{{"/lib/b.so", "33"}});
    CHECK(joined.packages.empty());
    CHECK(joined.environment.empty());
    CHECK(joined.unproven == Texts{"the file '/lib/a.so', which was not the same all the time",
                                   "the package 'torch', which was not the same all the time",
                                   "the variable 'TORCH_X', which was not the same all the time"});
}

TEST_CASE("a part that does not say is unproven, one that was changed is refused", "[evidence]") {
    const TemporaryFolder folder;
    CHECK(surroundings_of_parts({folder.path()}).unproven ==
          Texts{"which files the backend had loaded for '" + folder.path().string() + "'"});
    write_surroundings({{{"/lib/a.so", "11"}}, {}, {}, {}}, folder.path());
    const std::filesystem::path file = folder.path() / "surroundings.json";
    std::ifstream read(file);
    std::string text((std::istreambuf_iterator<char>(read)), {});
    text.replace(text.find("\"11\""), 4, "\"22\"");
    std::ofstream(file) << text;
    CHECK_THROWS_WITH(surroundings_of_parts({folder.path()}), Contains("surroundings.json") && Contains("changed"));
    std::ofstream(file) << R"({"schema": "mxcert-surroundings-2"})";
    CHECK_THROWS_WITH(surroundings_of_parts({folder.path()}), Contains("the one this version reads"));
}

} // namespace
} // namespace mxcert::evidence

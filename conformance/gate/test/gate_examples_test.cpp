// SPDX-License-Identifier: Apache-2.0
// The pipelines of docs/examples are run, line by line, on the kernel of README.md.
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

const fs::path examples = fs::path(MXCERT_TEST_SOURCE) / "docs/examples";

/// The commands of a pipeline that need nothing from the network: each is on one line, behind `- run:` or `-`.
std::vector<std::string> commands_of(const std::string& pipeline) {
    std::vector<std::string> commands;
    std::ifstream file(examples / pipeline);
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t at = line.find_first_not_of(' ');
        if (at == std::string::npos) continue;
        for (const std::string start : {"- run: ", "- "}) {
            if (line.compare(at, start.size(), start) != 0) continue;
            const std::string command = line.substr(at + start.size());
            if (command.starts_with("cc ") || command.starts_with("mxcert ")) commands.push_back(command);
            break;
        }
    }
    return commands;
}

/// The repository of a user: a kernel, and the folder of an installed wheel, of which the pipelines want the headers.
struct Repository {
    TemporaryFolder folder;
    Repository() {
        fs::copy_file(examples / "half_up.c", folder.path() / "my_kernel.c");
        const fs::path package = folder.path() / "mxcert";
        fs::create_directories(package / "include");
        fs::create_directory_symlink(MXCERT_TEST_SOURCE, package / "include/mxcert");
        std::ofstream(package / "__init__.py") << "";
    }
    [[nodiscard]] Result run(const std::string& command) const {
        Result result = shell(folder.path(), "export PYTHONPATH=. && " + command);
        UNSCOPED_INFO(command << "\n" << result.out << result.err);
        return result;
    }
};

} // namespace

TEST_CASE("the pipelines of the examples hold a kernel to its baseline", "[gate][cli][programs]") {
    const Repository user;
    if (absent(user.run("python3 --version && cc --version").code != 0, "python3 and cc", "./dev test installs them"))
        return;
    for (const auto& [pipeline, written] :
         {std::pair<std::string, std::string>("github-actions.yml", "mxcert.sarif"),
          std::pair<std::string, std::string>("gitlab-ci.yml", "mxcert-quality.json")}) {
        INFO(pipeline);
        const std::vector<std::string> commands = commands_of(pipeline);
        REQUIRE(commands.size() == 2);
        REQUIRE(user.run(commands[0]).code == 0);
        // Without a baseline there is nothing to hold it to.
        fs::remove(user.folder.path() / "mxcert-baseline.json");
        CHECK(user.run(commands[1]).code == 2);
        REQUIRE(user.run("mxcert gate ./my_kernel.so --baseline mxcert-baseline.json --profile ocp-sat --acknowledge "
                         "--reason 'ties away' --owner kernels@example.com --expires 2999-12-31")
                    .code == 0);
        CHECK(user.run(commands[1]).code == 0);
        for (const char* file : {"gate.json", "report.json", "junit.xml", "summary.txt"})
            CHECK(fs::exists(user.folder.path() / "mxcert-gate" / file));
        CHECK(fs::exists(user.folder.path() / written));
        // Somebody mends the kernel, and nobody says so.
        REQUIRE(user.run("{ echo '#define FIXED'; cat my_kernel.c; } > mended.c && mv mended.c my_kernel.c").code == 0);
        REQUIRE(user.run(commands[0]).code == 0);
        const Result mended = user.run(commands[1]);
        CHECK(mended.code == 1);
        CHECK_THAT(mended.out, Contains("UNEXPECTED PASS"));
        fs::copy_file(examples / "half_up.c", user.folder.path() / "my_kernel.c", fs::copy_options::overwrite_existing);
    }
}

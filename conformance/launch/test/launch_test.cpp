// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "catch.hpp"
#include "conformance/launch/backend_file.hpp"
#include "conformance/launch/pipe_spec.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::launch;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

/// A file with this content, to be executed or not.
fs::path file_with(const TemporaryFolder& folder, const std::string& name, const std::string& content,
                   bool run = true) {
    const fs::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    fs::permissions(path, fs::perms::owner_all, run ? fs::perm_options::add : fs::perm_options::remove);
    if (!run) fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return path;
}

} // namespace

TEST_CASE("a file that cannot be a backend says why and what to do") {
    const TemporaryFolder folder;
    const std::string library = "\177ELF and the rest";
    const struct {
        const char* name;
        std::string content;
        bool run;
        const char* flaw; ///< "": none
    } table[] = {
        {"good.so", library, false, ""},
        {"good.so.1.2", library, true, ""},
        {"program", library, true, ""},
        {"script", "#!/bin/sh\nexit 0\n", true, ""},
        {"by_env", "#!/usr/bin/env sh\n", true, ""},
        {"by_env_with_options", "#! /usr/bin/env -S LC_ALL=C sh -e\n", true, ""},
        {"text.so", "an analysis\n", true, "is not a shared library: it does not begin as ELF files do"},
        {"script.so", "#!/bin/sh\n", true, "name a program or script otherwise than *.so"},
        {"empty.so", "", false, "is not a shared library: it is empty"},
        {"no_run_bit", "#!/bin/sh\n", false, "may not be executed: chmod +x "},
        {"no_run_bit_program", library, false, "may not be executed: chmod +x "},
        {"notes", "hello\n", false, "is neither a plugin (*.so) nor a program that may be executed"},
        {"no_first_line", "import sys\n", true,
         "its first line does not name an interpreter, as #!/usr/bin/env python3 does"},
        {"nothing", "", true, "is neither an ELF program nor a script"},
        {"no_interpreter", "#!/no/such/python9\n", true, "there is no program /no/such/python9 here; install it"},
        {"no_program_of_env", "#!/usr/bin/env python9\n", true, "no folder of PATH has a program python9"},
        {"unnamed", "#!\n", true, "names no interpreter"},
        {"of_windows", "#!/bin/sh\r\nexit\r\n", true, "ends with a carriage return"},
    };
    for (const auto& row : table) {
        CAPTURE(row.name);
        const std::string flaw = flaw_of_file(file_with(folder, row.name, row.content, row.run));
        CAPTURE(flaw);
        CHECK(flaw.empty() == (*row.flaw == '\0'));
        CHECK_THAT(flaw, Contains(row.flaw));
        if (!flaw.empty()) CHECK_THAT(flaw, Contains(row.name));
    }
    fs::create_symlink("gone", folder.path() / "dangling");
    fs::create_symlink("script", folder.path() / "link");
    CHECK_THAT(flaw_of_file(folder.path() / "dangling"),
               Contains("is a symbolic link to 'gone', which does not exist"));
    CHECK(flaw_of_file(folder.path() / "link").empty());
    CHECK_THAT(flaw_of_file(folder.path() / "nosuch"), Contains("there is no such file; build it first"));
    CHECK(flaw_of_file(folder.path()).empty()); // folders are others' matter
    CHECK_THAT(flaw_of_file(file_with(folder, "escape", "#!/no/\x1b[2J\n")), !Contains("\x1b"));
}

TEST_CASE("a pipe is written as conversions and a command") {
    const PipeSpec pipe = parse_pipe("pipe:fp32-e4m3-nearest_even-sat,bf16-e5m2-up-nosat: ./emulator --a=b:c 'd e'");
    REQUIRE(pipe.conversions.size() == 2);
    CHECK(to_string(pipe.conversions[1]) == "bf16-e5m2-up-nosat");
    CHECK(pipe.command == " ./emulator --a=b:c 'd e'");
    CHECK(name_of(pipe) == "emulator");
    CHECK(pipe_argument("./emulator", {"a-b", "c-d"}) == "pipe:a-b,c-d:./emulator");
    for (const char* wrong : {"pipe:", "pipe:fp32-e4m3-up-sat",
                              "pipe:fp32-e4m3-up-sat:", "pipe:fp32-e4m3-up-sat:  ", "pip:fp32-e4m3-up-sat:cat", ""}) {
        CAPTURE(wrong);
        CHECK_THROWS_WITH(parse_pipe(wrong), Contains("is not pipe:CONVERSION:COMMAND, as in"));
    }
    for (const char* wrong : {"pipe::cat", "pipe:fp32-e4m3-up-sat,:cat", "pipe:fp32-e4m4-up-sat:cat"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_pipe(wrong), std::invalid_argument);
    }
}

TEST_CASE("the program of a pipe is looked at where its command begins with a path") {
    const TemporaryFolder folder;
    const auto program = [&](const std::string& command) {
        return program_of(parse_pipe("pipe:fp32-e4m3-up-sat:" + command));
    };
    const fs::path script = file_with(folder, "script", "#!/bin/sh\n");
    CHECK(program(script.string() + " --option") == fs::canonical(script));
    CHECK_THROWS_WITH(program(script.string() + "s"), Contains("there is no such file"));
    fs::permissions(script, fs::perms::owner_read);
    CHECK_THROWS_WITH(program(script.string()), Contains("chmod +x"));
    for (const char* of_shell : {"cat", "A=/no/such ./no", "\"/no/such\"", "$HOME/no/such", "(/no/such)"}) {
        CAPTURE(of_shell);
        CHECK(program(of_shell).empty());
    }
}

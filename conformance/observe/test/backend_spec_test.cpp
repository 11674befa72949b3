// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/backend_spec.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "catch.hpp"
#include "conformance/backends/backends.hpp"

using namespace mxcert;
using namespace mxcert::observe;
namespace fs = std::filesystem;
using Catch::Contains;

namespace {

/// Sets an environment variable for as long as it lives. The tests have one thread.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::string old_;
};

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "mxcert-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string file(const std::string& name, bool executable = false) const {
        const fs::path path = path_ / name;
        fs::create_directories(path.parent_path());
        // As the system begins to read it: a library, or a script.
        std::ofstream(path) << (path.string().find(".so") != std::string::npos ? "\177ELF" : "#!/bin/sh\n");
        if (executable) fs::permissions(path, fs::perms::owner_all);
        return path.string();
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    fs::path path_;
};

} // namespace

TEST_CASE("a backend argument is a name, a record, a plugin or a program, in this order", "[backend_spec]") {
    const Folder folder;
    const BackendSpec plugin = resolve_backend(folder.file("kernel.so"));
    CHECK(plugin.kind == BackendSpec::Kind::plugin);
    CHECK(plugin.name == "kernel");
    CHECK(plugin.path.is_absolute());
    CHECK(resolve_backend(folder.file("versioned.so.1.2")).kind == BackendSpec::Kind::plugin);
    // A library may well be executable: it is a plugin all the same.
    CHECK(resolve_backend(folder.file("executable.so", true)).kind == BackendSpec::Kind::plugin);
    const BackendSpec program = resolve_backend(folder.file("worker.py", true));
    CHECK(program.kind == BackendSpec::Kind::program);
    CHECK(program.name == "worker.py");
    (void)folder.file("old/record.json");
    for (const char* end : {"/old", "/old/"}) {
        const BackendSpec record = resolve_backend(folder.path() + end);
        CHECK(record.kind == BackendSpec::Kind::record);
        CHECK(record.name == "old");
    }
}

TEST_CASE("an argument that is nothing says what was looked for", "[backend_spec]") {
    const Folder folder;
    CHECK_THROWS_WITH(
        resolve_backend("portabel"),
        Catch::Equals("'portabel' is no built-in backend, plugin, program or record; did you mean portable?"));
    CHECK_THROWS_WITH(resolve_backend(""),
                      Contains("'' is no built-in backend, plugin, program or record; mxcert backends lists"));
    CHECK_THROWS_WITH(resolve_backend(folder.path()), Contains("without record.json"));
    CHECK_THROWS_WITH(resolve_backend(folder.file("notes")), Contains("may not be executed: chmod +x "));
    CHECK_THROWS_WITH(resolve_backend(folder.path() + "/nosuch.so"), Contains("there is no such file"));
    CHECK_THROWS_WITH(resolve_backend("nosuch.so"), Contains("there is no such file"));
    CHECK_THROWS_WITH(resolve_backend("a\x1b[2J"), !Contains("\x1b"));
}

TEST_CASE("a pipe is a command for its conversions, whose file is known where it names one", "[backend_spec]") {
    const Folder folder;
    const std::string file = folder.file("emulator", true);
    const BackendSpec pipe = resolve_backend("pipe:fp32-e4m3-nearest_even-sat,bf16-e4m3-up-sat:" + file + " --x 1:2");
    CHECK(pipe.kind == BackendSpec::Kind::pipe);
    CHECK(pipe.name == "emulator");
    CHECK(pipe.path == fs::canonical(file));
    const std::vector<std::string> command = command_of(pipe);
    CHECK(std::vector(command.begin() + 1, command.end()) ==
          std::vector<std::string>{"--pipe", "emulator", file + " --x 1:2", "fp32-e4m3-nearest_even-sat:0",
                                   "bf16-e4m3-up-sat:0"});
    CHECK(resolve_backend("pipe:fp32-e4m3-stochastic_a8-sat:cat").pipe.back() == "fp32-e4m3-stochastic_a8-sat:8");
    CHECK(resolve_backend("pipe:fp32-e4m3-up-sat:cat").path.empty());
}

TEST_CASE("built-in backends are looked for in MXCERT_BACKENDS first", "[backend_spec]") {
    const Folder folder;
    const std::string file = folder.file("portable.so");
    const Variable backends("MXCERT_BACKENDS", folder.path());
    const BackendSpec mine = resolve_backend("portable");
    CHECK(mine.kind == BackendSpec::Kind::plugin);
    CHECK(mine.name == "portable");
    CHECK(mine.path == fs::canonical(file));
}

TEST_CASE("a built-in backend may be a program", "[backend_spec]") {
    const Folder folder;
    const Variable backends("MXCERT_BACKENDS", folder.path());
    // A file that may not be executed is not one. (What the build tree has stands in, if it has any.)
    (void)folder.file("gfloat");
    CHECK(resolve_backend("gfloat").path != folder.path() + "/gfloat");
    const std::string file = folder.file("gfloat", true);
    const BackendSpec program = resolve_backend("gfloat");
    CHECK(program.kind == BackendSpec::Kind::program);
    CHECK(program.name == "gfloat");
    CHECK(program.path == fs::canonical(file));
}

TEST_CASE("a backend that is not here says every way to get it", "[backend_spec]") {
    for (const BuiltinBackend& backend : builtin_backends()) {
        CAPTURE(backend.name);
        const std::string missing(backend.missing);
        if (backend.name == "portable" || backend.name == "kernels_host" || backend.name == "tensor_cores")
            continue; // always built
        const bool is_device =
            backend.name == "opencl" || backend.name == "hip" || backend.name == "cuda" || backend.name == "cublaslt";
        const bool needs_torch =
            backend.name == "torchao" || backend.name == "modelopt" || backend.name == "compressed_tensors";
        const char* option = is_device                    ? "devices"
                             : backend.name == "cuda_fp8" ? "cuda"
                             : needs_torch                ? "torch"
                                                          : "peers";
        CHECK_THAT(missing, Contains("./dev setup --" + std::string(option) + "`"));
        CHECK_THAT(missing, Contains("-DMXCERT_"));
        CHECK_THAT(missing, Contains("install"));
    }
}

TEST_CASE("built-in backends are found in the build tree", "[backend_spec]") {
    const BackendSpec spec = resolve_backend("portable");
    CHECK(spec.kind == BackendSpec::Kind::plugin);
    CHECK(spec.path == fs::canonical(MXCERT_TEST_PLUGINS "/portable.so"));
    const auto known = known_backends();
    REQUIRE(known.size() == builtin_backends().size());
    for (const BackendSpec& backend : known) {
        CHECK((backend.kind == BackendSpec::Kind::missing) == backend.path.empty());
        CHECK((backend.kind == BackendSpec::Kind::missing) != backend.reason.empty());
    }
}

TEST_CASE("the worker is the one that was asked for, or the one beside the program", "[backend_spec]") {
    CHECK(fs::canonical(worker_program()) == fs::canonical(MXCERT_TEST_WORKER));
    const Folder folder;
    const std::string file = folder.file("worker", true);
    {
        const Variable worker("MXCERT_WORKER", file);
        CHECK(worker_program() == file);
    }
    const Variable worker("MXCERT_WORKER", folder.path() + "/none");
    CHECK_THROWS_WITH(worker_program(), Contains("/none"));
}

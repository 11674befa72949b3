// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/private_folder.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace mxcert::sandbox {
namespace {

namespace fs = std::filesystem;

struct Variable {
    const char* name;
    const char* value; ///< below the folder
    bool only_if_set = false;
};

constexpr std::array<Variable, 14> variables{{{"TMPDIR", ""},
                                              {"TMP", ""},
                                              {"TEMP", ""},
                                              {"XDG_CACHE_HOME", "/cache"},
                                              {"POCL_CACHE_DIR", "/pocl"},
                                              {"CUDA_CACHE_PATH", "/cuda"},
                                              {"AMD_COMGR_CACHE_DIR", "/comgr"},
                                              {"MIOPEN_USER_DB_PATH", "/miopen"},
                                              {"TRITON_CACHE_DIR", "/triton"},
                                              {"TORCHINDUCTOR_CACHE_DIR", "/inductor"},
                                              {"CUPY_CACHE_DIR", "/cupy"},
                                              {"NUMBA_CACHE_DIR", "/numba"},
                                              {"MPLCONFIGDIR", "/matplotlib"},
                                              {"JAX_COMPILATION_CACHE_DIR", "/jax", true}}};

/// A folder may have been made so that nobody can list it. The backend is gone, nothing changes meanwhile.
void open_folders(const fs::path& folder) {
    std::error_code error;
    fs::permissions(folder, fs::perms::owner_all, error);
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        std::error_code gone;
        if (fs::is_directory(entry->symlink_status(gone))) open_folders(entry->path());
    }
}

} // namespace

fs::path make_private_folder() {
    const char* wanted = std::getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nothing sets variables
    std::error_code error;
    // A root made for one program may have none of the usual ones.
    for (const char* base : {wanted, "/tmp", "/var/tmp", "/dev/shm", "."}) {
        if (base == nullptr || *base == '\0') continue;
        std::string path = fs::absolute(base).string() + "/mxcert-XXXXXX";
        if (::mkdtemp(path.data()) != nullptr) return path;
        error.assign(errno, std::generic_category());
    }
    throw std::system_error(
        error, "no folder for temporary files: TMPDIR, /tmp, /var/tmp, /dev/shm and the current folder fail");
}

void remove_private_folder(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (!error) return;
    open_folders(folder);
    fs::remove_all(folder, error);
}

std::vector<std::string> environment_for(const fs::path& folder) {
    // Beside the program there may be no place to write to.
    std::vector<std::string> environment{"PYTHONDONTWRITEBYTECODE=1"};
    for (const Variable& variable : variables)
        if (!variable.only_if_set || std::getenv(variable.name) != nullptr) // NOLINT(concurrency-mt-unsafe)
            environment.push_back(std::string(variable.name) + '=' + folder.string() + variable.value);
    return environment;
}

} // namespace mxcert::sandbox

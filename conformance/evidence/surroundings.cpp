// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/surroundings.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::evidence {
namespace {

// The beginnings of names: loaders, languages, threads of mathematical libraries, devices and their compilers.
constexpr std::array<std::string_view, 35> variables{"LD_PRELOAD", "LD_LIBRARY_PATH",
                                                     "LD_AUDIT",   "GLIBC_TUNABLES",
                                                     "PYTHONPATH", "PYTHONHASHSEED",
                                                     "PYTHONHOME", "OMP_",
                                                     "KMP_",       "GOMP_",
                                                     "MKL_",       "OPENBLAS_",
                                                     "BLIS_",      "DNNL_",
                                                     "ONEDNN_",    "CUDA_",
                                                     "CUBLAS",     "CUDNN_",
                                                     "NVIDIA_",    "NVTE_",
                                                     "HIP_",       "HSA_",
                                                     "ROCR_",      "ROCM_",
                                                     "ROCBLAS_",   "HIPBLASLT_",
                                                     "POCL_",      "OCL_",
                                                     "TORCH",      "PYTORCH_",
                                                     "TRITON_",    "JAX_",
                                                     "XLA_",       "TF_XLA_",
                                                     "TF_ENABLE_"};

std::map<std::string, std::string> environment_that_matters() {
    std::map<std::string, std::string> found;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view variable = *at;
        const std::size_t equals = variable.find('=');
        const std::string_view name = variable.substr(0, equals);
        if (equals != std::string_view::npos &&
            std::any_of(variables.begin(), variables.end(),
                        [&](std::string_view beginning) { return name.starts_with(beginning); }))
            found[std::string(name)] = print::printable(variable.substr(equals + 1));
    }
    return found;
}

files::Json texts(const std::map<std::string, std::string>& pairs) {
    files::Json json = files::Json::object();
    for (const auto& [name, text] : pairs) json[name] = text;
    return json;
}

std::map<std::string, std::string> pairs_of(const files::Members& members, const char* name) {
    std::map<std::string, std::string> pairs;
    const files::Json& object = members.member(name);
    if (!object.is_object()) members.fail(name, "is no object");
    for (const auto& [key, value] : object.items()) {
        if (!value.is_string()) members.fail(name, "has '" + key + "', which is no text");
        pairs[key] = value.get<std::string>();
    }
    return pairs;
}

} // namespace

files::Json surroundings_json(const Surroundings& surroundings) {
    return {{"files", texts(surroundings.files)},
            {"packages", texts(surroundings.packages)},
            {"environment", texts(surroundings.environment)},
            {"unproven", surroundings.unproven}};
}

Surroundings surroundings_of_json(const files::Members& members) {
    return {pairs_of(members, "files"), pairs_of(members, "packages"), pairs_of(members, "environment"),
            members.texts("unproven")};
}

Surroundings surroundings_of(const process::LoadedFiles* loaded, const observe::BackendInfo& info) {
    Surroundings found;
    found.packages = info.packages;
    found.unproven = {"the processor, the kernel and their microcode, which are named and not measured",
                      "the firmware and the driver of a device, beyond what the backend says of them",
                      "files that were opened and not mapped as code: kernels compiled while it ran, tables, weights",
                      "variables of the environment that are not listed",
                      "that the backend behaves so when it is not being tested"};
    if (!found.packages.empty())
        found.unproven.emplace_back("the sources of packages, which are named by their versions");
    if (loaded == nullptr) {
        found.unproven.emplace_back("which files the backend had loaded: the answers were stored");
        return found;
    }
    found.environment = environment_that_matters();
    for (const std::string& path : loaded->paths()) {
        try {
            found.files[print::printable(path)] = sha256_file(path);
        } catch (const std::runtime_error&) {
            found.unproven.push_back(fmt::format("'{}', which was loaded and cannot be read", print::printable(path)));
        }
    }
    for (const std::string& path : loaded->without_file())
        found.unproven.push_back(fmt::format("'{}': code in memory that no file holds", print::printable(path)));
    return found;
}

std::vector<std::string> changed_files(const Surroundings& then, const Surroundings& now) {
    std::vector<std::string> changed;
    for (const auto& [path, digest] : then.files) {
        const auto at = now.files.find(path);
        if (at == now.files.end())
            changed.push_back(path + ": is not loaded now");
        else if (at->second != digest)
            changed.push_back(path + ": is another file now");
    }
    return changed;
}

} // namespace mxcert::evidence

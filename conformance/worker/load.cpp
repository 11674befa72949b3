// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/load.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace mxcert::worker {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& text) {
    throw std::runtime_error(path + ": " + text);
}

} // namespace

const mxcert_api* load_api(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> absolute(::realpath(path.c_str(), nullptr), &std::free);
    // An absolute path, or dlopen() would look for a bare name in the system's folders.
    if (!absolute) fail(path, std::strerror(errno));
    void* library = ::dlopen(absolute.get(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(path, std::string("cannot be loaded: ") + ::dlerror());
    void* symbol = ::dlsym(library, "mxcert_get_api");
    if (symbol == nullptr) {
        fail(path,
             "has no function mxcert_get_api: not a backend (see conformance/backend.h); is its visibility hidden?");
    }
    const auto get_api = reinterpret_cast<decltype(&mxcert_get_api)>(symbol);
    const mxcert_api* api = get_api(MXCERT_ABI_MAJOR);
    if (api == nullptr) {
        fail(path, "mxcert_get_api returned NULL: it does not speak version " + std::to_string(MXCERT_ABI_MAJOR) +
                       " of the interface");
    }
    return api;
}

} // namespace mxcert::worker

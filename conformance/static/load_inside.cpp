// SPDX-License-Identifier: Apache-2.0
// In place of worker/load.cpp: the only backend is the one inside, and its file is this program.
#include <unistd.h>

#include <climits>
#include <stdexcept>
#include <string_view>

#include "conformance/worker/load.hpp"

namespace mxcert::worker {

const mxcert_api* load_api(const std::string& path) {
    char program[PATH_MAX];
    const ::ssize_t length = ::readlink("/proc/self/exe", program, sizeof program);
    if (length < 0 || path != std::string_view(program, static_cast<std::size_t>(length)))
        throw std::runtime_error(path + ": a static mxcert cannot load plugins");
    const mxcert_api* api = mxcert_get_api(MXCERT_ABI_MAJOR);
    if (api == nullptr) throw std::runtime_error(path + ": the backend inside is of another version");
    return api;
}

} // namespace mxcert::worker

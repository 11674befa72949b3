// SPDX-License-Identifier: Apache-2.0
#include "conformance/library/guarded.hpp"

#include <cstdlib>
#include <cstring>

#include "conformance/print/version.hpp"

namespace mxcert::library {
namespace {

// An array and no std::string: keeping a message must not need memory.
thread_local char last_message[2048] = "";

} // namespace

int failed(int status, const char* message) noexcept {
    std::strncpy(last_message, message, sizeof last_message - 1);
    return status;
}

char* copied(const std::string& text) {
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1)); // NOLINT(cppcoreguidelines-no-malloc): C frees it
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

} // namespace mxcert::library

extern "C" {

uint32_t mxcert_library_abi(void) { return MXCERT_LIBRARY_ABI; }

const char* mxcert_library_version(void) { return mxcert::print::tool_version.data(); }

const char* mxcert_message(void) { return mxcert::library::last_message; }

void mxcert_free(char* text) { std::free(text); } // NOLINT(cppcoreguidelines-no-malloc)

} // extern "C"

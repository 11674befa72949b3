// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "conformance/library/mxcert.h"

namespace mxcert::library {

/// Keeps the text for mxcert_message() and gives the status back.
[[nodiscard]] int failed(int status, const char* message) noexcept;

/// Does the work of a function of the library: what it throws becomes a status and a message, and nothing gets out.
template <class Work> [[nodiscard]] int guarded(Work work) noexcept {
    try {
        work();
        return MXCERT_OK;
    } catch (const std::bad_alloc&) {
        return failed(MXCERT_FAILED, "there is not enough memory");
    } catch (const std::system_error& error) {
        return failed(MXCERT_FAILED, error.what());
    } catch (const std::logic_error& error) { // std::invalid_argument and std::out_of_range
        return failed(MXCERT_INVALID, error.what());
    } catch (const std::exception& error) {
        return failed(MXCERT_FAILED, error.what());
    } catch (...) {
        return failed(MXCERT_FAILED, "an unknown exception");
    }
}

/// An argument that must not be null. Throws std::invalid_argument that names it.
template <class Pointer> [[nodiscard]] Pointer* given(Pointer* argument, std::string_view name) {
    if (argument == nullptr) throw std::invalid_argument(std::string(name) + " is NULL");
    return argument;
}

/// A copy of a text that the caller frees with mxcert_free().
[[nodiscard]] char* copied(const std::string& text);

} // namespace mxcert::library

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

namespace mxcert::evidence {

/// The signature beside a file: FILE.minisig of minisign, or FILE.sig of signify; empty if there is none.
[[nodiscard]] std::filesystem::path signature_of(const std::filesystem::path& file);

/// What the program that made the signature says of it.
struct Signed {
    std::string by;         ///< "minisign"
    std::string unfinished; ///< why it could not be asked: it is not installed, or it was stopped
};

/// Has the signature checked by its own program: minisign, or signify (signify-openbsd). Throws Refused where there is
/// no signature, or it is not that of the file and the public key.
[[nodiscard]] Signed check_signature(const std::filesystem::path& file, const std::filesystem::path& public_key,
                                     const std::atomic<bool>& stop);

} // namespace mxcert::evidence

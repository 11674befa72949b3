// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/signature.hpp"

#include <chrono>
#include <system_error>

#include <fmt/format.h>

#include "conformance/evidence/verification.hpp"
#include "conformance/print/text.hpp"
#include "conformance/prove/run_program.hpp"

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds most_time{60};

/// A program that signs, the end of its files' names, and its command for checking one.
struct Signer {
    const char* name;
    const char* suffix;
    /// {0}: the file, {1}: its signature, {2}: the public key. Of signify the name differs between systems.
    const char* command;
};
constexpr Signer signers[] = {
    {"minisign", ".minisig", "minisign -V -q -m {0} -x {1} -p {2}"},
    {"signify", ".sig",
     "if command -v signify-openbsd > /dev/null; then signify-openbsd -V -q -m {0} -x {1} -p {2}; "
     "else signify -V -q -m {0} -x {1} -p {2}; fi"},
};

const Signer* signer_of(const fs::path& file) {
    std::error_code error;
    for (const Signer& signer : signers)
        if (fs::is_regular_file(file.string() + signer.suffix, error)) return &signer;
    return nullptr;
}

std::string word(const fs::path& path) { return print::shell_word(fs::absolute(path).string()); }

} // namespace

fs::path signature_of(const fs::path& file) {
    const Signer* signer = signer_of(file);
    return signer == nullptr ? fs::path() : fs::path(file.string() + signer->suffix);
}

Signed check_signature(const fs::path& file, const fs::path& public_key, const std::atomic<bool>& stop) {
    const Signer* signer = signer_of(file);
    if (signer == nullptr)
        throw Refused(fmt::format("it is not signed: there is no '{0}.minisig' and no '{0}.sig'", file.string()));
    const std::string command =
        fmt::format(fmt::runtime(signer->command), word(file), word(signature_of(file)), word(public_key));
    const prove::Ran ran = prove::run_program("/", command, most_time, stop);
    using End = prove::Ran::End;
    switch (ran.end) {
    case End::cleanly: return {signer->name, ""};
    case End::missing:
        return {signer->name, fmt::format("{} is not installed, which made its signature", signer->name)};
    case End::too_late:
    case End::stopped: return {signer->name, fmt::format("{} did not end", signer->name)};
    case End::failed: break;
    }
    throw Refused(fmt::format("'{}' is not the signature of the file by '{}': {}", signature_of(file).string(),
                              public_key.string(), ran.how));
}

} // namespace mxcert::evidence

// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace mxcert::sandbox {
namespace {

// Of linux/landlock.h: headers that mxcert is built with may be older than the kernel that it runs on.
constexpr long create_ruleset = 444; // the same on every processor
constexpr long add_rule = 445;
constexpr long restrict_self = 446;
constexpr unsigned ask_version = 1;
constexpr int path_beneath = 1;

struct Ruleset {
    std::uint64_t files = 0;
    std::uint64_t network = 0; ///< from version 4 on
    std::uint64_t scopes = 0;  ///< from version 6 on
};
struct [[gnu::packed]] PathRule {
    std::uint64_t allowed = 0;
    std::int32_t folder = -1;
};

constexpr std::uint64_t run = 1U << 0U;
constexpr std::uint64_t write_file = 1U << 1U;
constexpr std::uint64_t read_file = 1U << 2U;
constexpr std::uint64_t read_folder = 1U << 3U;
constexpr std::uint64_t make_character_device = 1U << 6U;
constexpr std::uint64_t make_block_device = 1U << 11U;
constexpr std::uint64_t truncate_file = 1U << 14U;
constexpr std::uint64_t control_device = 1U << 15U;
constexpr std::uint64_t all_network = 3;
constexpr std::uint64_t all_scopes = 3;
/// Of a file that is no folder.
constexpr std::uint64_t of_files = run | write_file | read_file | truncate_file | control_device;

/// Versions 1 to 5 each know more ways to use files.
constexpr std::array<std::uint64_t, 5> known_of_files{0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF};

void allow(const process::FileDescriptor& rules, const std::filesystem::path& path, std::uint64_t ways) {
    const process::FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct ::stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0) return;
    const PathRule rule{S_ISDIR(status.st_mode) ? ways : ways & of_files, file.get()};
    if (::syscall(add_rule, rules.get(), path_beneath, &rule, 0) != 0)
        throw std::system_error(errno, std::generic_category(), "landlock_add_rule " + path.string());
}

} // namespace

int landlock_version() {
    const long version = ::syscall(create_ruleset, nullptr, 0, ask_version);
    return static_cast<int>(std::max(version, 0L));
}

process::FileDescriptor make_rules(const FileRules& files, int version) {
    const std::uint64_t known =
        known_of_files[static_cast<std::size_t>(std::clamp<int>(version, 1, known_of_files.size())) - 1];
    const Ruleset handled{known, version >= landlock_has_tcp ? all_network : 0,
                          version >= landlock_has_scopes ? all_scopes : 0};
    std::size_t bytes = sizeof(std::uint64_t);
    if (version >= landlock_has_tcp) bytes = 2 * sizeof(std::uint64_t);
    if (version >= landlock_has_scopes) bytes = sizeof handled;
    process::FileDescriptor rules(static_cast<int>(::syscall(create_ruleset, &handled, bytes, 0)));
    if (!rules.is_open()) throw std::system_error(errno, std::generic_category(), "landlock_create_ruleset");
    for (const auto& path : files.readable) allow(rules, path, (run | read_file | read_folder) & known);
    for (const auto& path : files.devices) allow(rules, path, (read_file | write_file | control_device) & known);
    for (const auto& path : files.writable)
        allow(rules, path, known & ~(make_character_device | make_block_device | control_device));
    return rules;
}

int restrict_by(const process::FileDescriptor& rules) {
    return ::syscall(restrict_self, rules.get(), 0) == 0 ? 0 : errno;
}

} // namespace mxcert::sandbox

// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/devices.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

namespace mxcert::sandbox {
namespace {

namespace fs = std::filesystem;

/// Character devices that are not given, as patterns below /dev: with them one controls the machine, disks, what a
/// person types, or the terminal from which mxcert was started. ttyUSB and ttyACM, boards behind a serial line, are.
constexpr std::array<const char*, 38> not_given{
    "mem",         "kmem",          "port",      "kmsg",    "nvram",
    "watchdog*",   "rtc*",          "tpm*",      "mei*",    "ipmi*",
    "sg*",         "bsg",           "nvme*",     "ng*",     "mapper",
    "loop-*",      "btrfs-control", "fuse",      "cuse",    "net",
    "vhost*",      "kvm",           "uinput",    "uhid",    "input",
    "rfkill",      "tty",           "tty[0-9]*", "console", "vcs*",
    "pts",         "ptmx",          "snapshot",  "autofs",  "cpu_dma_latency",
    "userfaultfd", "ppp",           "raw"};
constexpr int deepest = 4; // /dev/bus/usb/001/002

bool is_given(const fs::path& path) {
    const std::string name = path.filename().string();
    return std::none_of(not_given.begin(), not_given.end(),
                        [&](const char* pattern) { return ::fnmatch(pattern, name.c_str(), 0) == 0; });
}

void add_devices_in(const fs::path& folder, int depth, std::vector<fs::path>& devices) {
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        if (depth == 1 && !is_given(entry->path())) continue;
        std::error_code gone;
        const fs::file_status status = entry->symlink_status(gone);
        if (fs::is_character_file(status)) devices.push_back(entry->path());
        if (fs::is_directory(status) && depth < deepest) add_devices_in(entry->path(), depth + 1, devices);
    }
}

} // namespace

std::vector<fs::path> usable_devices() {
    std::vector<fs::path> devices;
    add_devices_in("/dev", 1, devices);
    return devices;
}

} // namespace mxcert::sandbox

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The rooms and their C and C++ files, for lint and format.

rooms=(reference vectors conformance fuzz survey)

# sources: every C and C++ file, NUL after each.
sources() {
    local room folders=("$root/cmake")
    for room in "${rooms[@]}"; do
        if [ -d "$root/$room" ]; then folders+=("$root/$room"); fi
    done
    find "${folders[@]}" -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' \) -print0 | sort -z
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Format the C and C++ sources in place
#
# Usage: ./dev format

source "$root/dev.d/sources.sh"

main() {
    no_arguments "$@"
    ensure_packages clang-format
    sources | xargs -0 clang-format -i
}

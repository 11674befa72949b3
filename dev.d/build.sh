# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Configure and compile a preset into build/PRESET
#
# Usage: ./dev build [PRESET]
#
#   PRESET   release (if none is given), debug, asan-ubsan, tsan or clang
#
# The number of jobs is that of the processors, or CMAKE_BUILD_PARALLEL_LEVEL.

main() {
    local preset=${1:-release}
    if [ $# -gt 0 ]; then shift; fi
    no_arguments "$@"
    case $preset in
        release | debug) ;;
        asan-ubsan | tsan | clang) ensure_packages "${clang_packages[@]}" ;;
        *) usage_error "unknown preset '$preset': there are release, debug, asan-ubsan, tsan and clang" ;;
    esac
    ensure_packages "${build_packages[@]}"
    build "$preset"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Remove build/
#
# Usage: ./dev clean

main() {
    no_arguments "$@"
    rm -rf "${root:?}/build"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run the program, built first if need be
#
# Usage: ./dev mxcert ARGS
#
# All arguments go to the program: ./dev mxcert --help is its help.

main() {
    build_tool
    exec "$mxcert" "$@"
}

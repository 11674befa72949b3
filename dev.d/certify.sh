# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Set up, build and certify a backend, from nothing
#
# Usage: ./dev certify [BACKEND] [OPTIONS]
#
#   BACKEND   as in `mxcert certify` (if none is given: portable, the embedded one)
#   OPTIONS   of `mxcert certify`: ./dev mxcert certify --help lists them
#
# The run is at level quick, minutes and not hours, unless --level or --budget names another one. The report goes to build/report unless --report names another folder. The exit code is that of `mxcert certify`.

main() {
    local backend=portable
    if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
        backend=$1
        shift
    fi
    local report=(--report "$root/build/report")
    local level=(--level quick)
    local argument
    for argument in "$@"; do
        case $argument in
            --help | -h)
                help_text "$root/dev.d/certify.sh"
                exit 0
                ;;
            --report | --report=*) report=() ;;
            --level | --level=* | --budget | --budget=* | --replay | --replay=*) level=() ;;
        esac
    done
    ensure_packages "${build_packages[@]}"
    build release "${tool_targets[@]}" >&2
    exec "$mxcert" certify "$backend" "${report[@]}" "${level[@]}" "$@"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Set up, build and certify a backend, from nothing
#
# Usage: ./dev certify [BACKEND] [OPTIONS]
#
#   BACKEND   as in `mxcert certify`
#   OPTIONS   of `mxcert certify`: ./dev mxcert certify --help lists them
#
# Without BACKEND it tests portable, the built-in one, by the profile ocp; `./dev certify portable` tests all that portable offers.
# The level is quick, minutes and not hours, unless --level or --budget names another one. The report goes to build/report unless
# --report names another folder. The exit code is that of `mxcert certify`.

main() {
    local backend=portable profile=(--profile ocp)
    if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
        backend=$1
        profile=()
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
            --profile | --profile=* | --reproduce | --reproduce=*) profile=() ;;
            --level | --level=* | --budget | --budget=*) level=() ;;
        esac
    done
    ensure_packages "${build_packages[@]}"
    build release "${tool_targets[@]}" >&2
    if [ ${#profile[@]} -gt 0 ]; then say "by the profile ocp; ./dev certify portable tests all that portable offers"; fi
    exec "$mxcert" certify "$backend" "${report[@]}" "${level[@]}" "${profile[@]}" "$@"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Make packages for users
#
# Usage: ./dev package --wheel [-o DIR] [--test] [--python PYTHON]...
#
# Builds the wheel of Python (docs/python.md): the program, its worker, the C library, the golden vectors and the Python package, for every
# Linux on x86-64 with glibc 2.28 or newer and every Python from 3.9 on. It is written to build/package, and its SHA-256 is printed. The
# same revision gives the same bytes.
#
#   --wheel          the wheel
#   -o DIR           write to this folder instead
#   --test           then build it once more in another folder without a cache and compare, install it into an empty virtual
#                    environment and run the program and the tests of the package from there
#   --python PYTHON  test with this one (python3); may be repeated

# Libraries of others that are inside the wheel, as static libraries and headers.
package_libraries=(libboost-dev libcli11-dev libfccp-dev libfmt-dev nlohmann-json3-dev libpugixml-dev libssl-dev zlib1g-dev)

main() {
    local wheel=no output=$root/build/package arguments=()
    while [ $# -gt 0 ]; do
        case $1 in
            --wheel) wheel=yes ;;
            --test) arguments+=(--test) ;;
            --python)
                if [ $# -lt 2 ]; then usage_error "$1 needs a Python"; fi
                arguments+=(--python "$2")
                shift
                ;;
            -o | --output)
                if [ $# -lt 2 ]; then usage_error "$1 needs a folder"; fi
                output=$2
                shift
                ;;
            *) usage_error "unexpected argument '$1'" ;;
        esac
        shift
    done
    if [ $wheel = no ]; then usage_error "say what to make: --wheel"; fi

    ensure_packages "${build_packages[@]}" "${package_libraries[@]}" python3-venv
    local tools=$root/build/package-tools
    if [ ! -x "$tools/bin/pip" ]; then python3 -m venv "$tools"; fi
    "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$root/dev.d/package/requirements.txt" ||
        die "pip could not install what builds the wheel"
    exec "$tools/bin/python" "$root/dev.d/package/wheel.py" --root "$root" --output "$output" "${arguments[@]}"
}

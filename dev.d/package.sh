# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Make packages for users
#
# Usage: ./dev package [--wheel] [--deb] [--tarball] [--vectors] [-o DIR] [--check] [--test] [--python PYTHON]...
#                      [--arch ARCH]
#
# Writes the packages that are named, or all of them, to build/package, and SHA256SUMS of what is there. The same revision gives the same
# bytes.
#
#   --wheel          the wheel of Python (docs/python.md): the program, its worker, the C library, the golden vectors and the Python
#                    package, for every Linux on x86-64 with glibc 2.28 or newer and every Python from 3.9 on
#   --deb            the package for Debian 12, with the backends of our own alone
#   --tarball        one static program for any Linux on x86-64, with its licence and manual page
#   --vectors        golden files, test vectors as JSON, schemas and readers
#   -o DIR           write to this folder instead
#   --check          build the wheel once more, from a copy of the sources in another folder and without a cache, and compare the bytes
#   --test           then install each in an empty place and come to a verdict there: the wheel in empty virtual environments, after
#                    --check; the Debian package by apt in a new Debian 12; the static program as the only file of a root; the
#                    vectors by their readers. Needs root and a network for the Debian package
#   --python PYTHON  test the wheel with this one (python3); may be repeated
#   --arch ARCH      build the wheel for aarch64 on x86-64, by a cross compiler, and test its programs by qemu-aarch64

source "$root/dev.d/package_vectors.sh"

# Libraries of others that are inside the wheel, as static libraries and headers.
package_libraries=(libboost-dev libcli11-dev libfccp-dev libfmt-dev nlohmann-json3-dev libpugixml-dev libssl-dev zlib1g-dev)

# Of them those that depend on the processor.
cross_libraries=(libfmt-dev libpugixml-dev libssl-dev zlib1g-dev)

# One conversion with 8-bit inputs: a verdict in a second.
package_verdict=(certify portable --filter e4m3-fp16-nearest_even-nosat --jobs 1)

# The build of the native packages, with our own backends alone.
own=$root/build/package-own
build_own() {
    cmake -S "$root" -B "$own" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMXCERT_TESTS=OFF -DMXCERT_BENCH=OFF \
        -DMXCERT_FIND_BACKENDS=OFF > /dev/null || die "the configuration failed"
    cmake --build "$own" -j "$(jobs)" >&2 || die "the build failed"
}

# one_of PATTERN: the one file of that name.
one_of() {
    local found=("$@")
    if [ ${#found[@]} -ne 1 ] || [ ! -f "${found[0]}" ]; then die "one file was expected, not: ${found[*]}"; fi
    echo "${found[0]}"
}

# inside ROOT COMMAND...: runs a command with that folder as its root, and the processes and devices of this machine.
inside() {
    mkdir -p "$1/proc" "$1/dev" "$1/tmp"
    # shellcheck disable=SC2016 # for the shell within
    unshare --mount --map-root-user sh -c 'cd "$0" && mount --rbind /proc proc && mount --rbind /dev dev && exec chroot . "$@"' "$@"
}

# For aarch64: a compiler, libraries of that architecture, and what runs its programs.
ensure_cross_packages() {
    if command -v dpkg > /dev/null && ! dpkg --print-foreign-architectures | grep -qx arm64; then
        die "the libraries for aarch64 need: dpkg --add-architecture arm64"
    fi
    ensure_packages g++-aarch64-linux-gnu qemu-user-static
    ensure_packages "${cross_libraries[@]/%/:arm64}"
}

package_wheel() {
    local output=$1 tools=$root/build/package-tools
    if [ ! -x "$tools/bin/pip" ]; then python3 -m venv "$tools"; fi
    "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$root/dev.d/package/requirements.txt" ||
        die "pip could not install what builds the wheel"
    "$tools/bin/python" "$root/dev.d/package/wheel.py" --root "$root" --output "$output" "${@:2}"
}

package_deb() {
    build_own
    rm -f "$1"/mxcert_*.deb
    (cd "$1" && cpack -G DEB --config "$own/CPackConfig.cmake" -B "$own/cpack" > /dev/null) ||
        die "cpack made no Debian package"
    cp "$(one_of "$own"/cpack/*.deb)" "$1"
    rm -r "$own/cpack"
}

# By apt, which brings what it depends on, in a Debian 12 that has nothing else.
test_deb() {
    local package new
    package=$(one_of "$1"/mxcert_*.deb)
    if [ "$(id -u)" -ne 0 ]; then die "testing the Debian package needs root"; fi
    ensure_packages mmdebstrap
    new=$(mktemp -d)
    mmdebstrap --quiet --variant=apt bookworm "$new" || die "no new Debian 12 could be made"
    cp "$package" "$new/mxcert.deb"
    chroot "$new" sh -c 'apt-get -qq update && apt-get -qq --yes --no-install-recommends install /mxcert.deb' > /dev/null 2>&1 ||
        die "apt could not install $package in a new Debian 12"
    inside "$new" mxcert "${package_verdict[@]}" || die "the installed package comes to no verdict"
    rm -rf "$new"
}

package_tarball() {
    local version folder name
    build_own
    version=$("$own/static/mxcert" --version) || die "the static program does not run"
    name=mxcert-${version#mxcert }-x86_64-linux
    folder=$(mktemp -d)
    mkdir "$folder/$name"
    strip -o "$folder/$name/mxcert" "$own/static/mxcert"
    cp "$root"/{README.md,CHANGELOG.md,LICENSE} "$folder/$name"
    "$folder/$name/mxcert" man > "$folder/$name/mxcert.1"
    tar --directory "$folder" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=a+rX,u+w,go-w \
        --create "$name" | gzip --no-name --best > "$1/$name.tar.gz"
    rm -r "$folder"
}

# As the only file of a root.
test_tarball() {
    local archive new
    archive=$(one_of "$1"/mxcert-*-x86_64-linux.tar.gz)
    new=$(mktemp -d)
    tar --directory "$new" --strip-components 1 --wildcards --extract --file "$archive" '*/mxcert'
    inside "$new" /mxcert "${package_verdict[@]}" || die "the static program comes to no verdict"
    rm -r "$new"
}

# Its own reader, on its own files.
test_vectors() {
    local archive new
    archive=$(one_of "$1"/mxcert-vectors-*.tar.gz)
    new=$(mktemp -d)
    tar --directory "$new" --strip-components 1 --extract --file "$archive"
    (cd "$new" && sha256sum --quiet --check SHA256SUMS) || die "the checksums in $archive are wrong"
    rm -r "$new"
}

main() {
    local forms=() output=$root/build/package of_wheel=() with_check=no with_tests=no arch
    arch=$(uname -m)
    while [ $# -gt 0 ]; do
        case $1 in
            --wheel | --deb | --tarball | --vectors) forms+=("${1#--}") ;;
            --check) with_check=yes ;;
            --test) with_tests=yes ;;
            --python)
                if [ $# -lt 2 ]; then usage_error "$1 needs a Python"; fi
                of_wheel+=(--python "$2")
                shift
                ;;
            --arch)
                if [ $# -lt 2 ]; then usage_error "$1 needs an architecture"; fi
                arch=$2
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
    if [ ${#forms[@]} -eq 0 ]; then forms=(wheel deb tarball vectors); fi
    if [ $with_check = yes ]; then
        case " ${forms[*]} " in
            *" wheel "*) of_wheel+=(--check) ;;
            *) usage_error "--check is for --wheel" ;;
        esac
    fi
    if [ $with_tests = yes ]; then of_wheel+=(--test); fi
    case $arch in
        "$(uname -m)") ;;
        aarch64)
            if [ "${forms[*]}" != wheel ]; then usage_error "--arch $arch is for --wheel alone"; fi
            ensure_cross_packages
            ;;
        *) usage_error "--arch $arch: there is aarch64" ;;
    esac
    of_wheel+=(--arch "$arch")

    ensure_packages "${build_packages[@]}" "${package_libraries[@]}" python3-venv
    mkdir -p "$output"
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)} || die "no commit tells the time of the packages"
    export SOURCE_DATE_EPOCH
    local form
    for form in "${forms[@]}"; do
        say "package: $form"
        case $form in
            wheel) package_wheel "$output" ${of_wheel[@]+"${of_wheel[@]}"} || exit 1 ;;
            vectors)
                build release "${tool_targets[@]}" >&2
                package_vectors "$output" || die "no archive of the vectors was made"
                ;;
            *) "package_$form" "$output" ;;
        esac
        if [ $with_tests = yes ] && [ "$form" != wheel ]; then "test_$form" "$output"; fi
    done
    local sums
    sums=$(cd "$output" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum)
    echo "$sums" | tee "$output/SHA256SUMS"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Check the committed golden vectors against the models, or write them
#
# Usage: ./dev vectors [--write | --cross | --archive DIR]
#
# Without an option: regenerates every golden file and compares it with vectors/golden (mxcert vectors check).
#
#   --write   writes vectors/golden and its manifest (mxcert vectors generate)
#   --cross   compares what the generator writes when built by GCC and Clang here, and by GCC for aarch64 and for s390x (which
#             is big-endian), run by qemu-user.
#   --archive DIR
#             writes DIR/mxcert-vectors-VERSION.tar.gz: golden files, test vectors as JSON, schemas, readers and checksums

# generator NAME COMPILER_PREFIX COMPILER PROCESSOR: builds mxcert-generate and nothing else. With PROCESSOR for another one.
generator() {
    local folder=$root/build/generate-$1 options=()
    if [ -n "${4-}" ]; then
        options=(-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$4" -DCMAKE_EXE_LINKER_FLAGS=-static)
    fi
    local c=gcc
    if [ "$3" = clang++ ]; then c=clang; fi
    cmake -S "$root" -B "$folder" -G Ninja -DMXCERT_GENERATOR_ONLY=ON -DCMAKE_BUILD_TYPE=Release \
        "-DCMAKE_C_COMPILER=$2$c" "-DCMAKE_CXX_COMPILER=$2$3" ${options[@]+"${options[@]}"} > /dev/null
    cmake --build "$folder" -j "$(jobs)"
}

# compare_golden FOLDER: cmp of every CSV file of either folder with its namesake in the other. Sets `compared`.
compare_golden() {
    local file name bad=0
    compared=0
    for file in "$root"/vectors/golden/*.csv "$1"/*.csv; do
        name=$(basename "$file")
        if [ ! -f "$file" ]; then continue; fi # a pattern that matched nothing
        if ! cmp "$root/vectors/golden/$name" "$1/$name" >&2; then bad=$((bad + 1)); fi
        compared=$((compared + 1))
    done
    compared=$((compared / 2))
    [ "$bad" -eq 0 ] && [ "$compared" -gt 0 ]
}

# cross_check NAME RUN...: runs the generator of that name through RUN and compares.
cross_check() {
    local name=$1 out
    shift
    out=$(mktemp -d)
    say "$name: generating"
    if ! "$@" "$root/build/generate-$name/bin/mxcert-generate" "$out" 2> "$out/log"; then
        cat "$out/log" >&2
        rm -r "$out"
        die "$name: the generator failed"
    fi
    if ! compare_golden "$out"; then
        die "$name: differs from vectors/golden, $compared files compared; what it wrote is in $out"
    fi
    rm -r "$out"
    echo "$name: $compared files are the same bytes as vectors/golden"
}

cross() {
    ensure_packages "${build_packages[@]}" clang g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user-static
    generator gcc '' g++
    generator clang '' clang++
    generator aarch64 aarch64-linux-gnu- g++ aarch64
    generator s390x s390x-linux-gnu- g++ s390x
    local compared
    cross_check gcc env
    cross_check clang env
    cross_check aarch64 qemu-aarch64-static
    cross_check s390x qemu-s390x-static
}

main() {
    local how=${1-}
    if [ $# -gt 0 ]; then shift; fi
    if [ "$how" = --archive ]; then
        if [ $# -ne 1 ]; then usage_error "--archive needs a folder"; fi
        build_tool
        source "$root/dev.d/package_vectors.sh"
        package_vectors "$1"
        return
    fi
    no_arguments "$@"
    case $how in
        --cross) cross ;;
        --write)
            build_tool
            exec "$mxcert" vectors generate
            ;;
        '')
            build_tool
            exec "$mxcert" vectors check
            ;;
        *) usage_error "unexpected argument '$how'" ;;
    esac
}

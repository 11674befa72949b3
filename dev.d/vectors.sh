# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Check the committed golden vectors against the models, or write them
#
# Usage: ./dev vectors [--write | --builds [NAME...] | --cross | --archive DIR]
#
# Without an option: regenerates every golden file and compares it with vectors/golden (mxcert vectors check).
#
#   --write   writes vectors/golden and its manifest (mxcert vectors generate)
#   --builds [NAME...]
#             compares what the generator writes when built by GCC and Clang, with -O0 and -O3, with and without AVX; only the
#             builds named, if any. An unknown name lists them.
#   --cross   the same when built for aarch64 and for s390x, which is big-endian, and run by qemu-user
#   --archive DIR
#             writes DIR/mxcert-vectors-VERSION.tar.gz: golden files, test vectors as JSON, schemas, readers and checksums

# NAME|COMPILER|FLAGS of a build for this processor.
builds_here=(
    "gcc-O0|g++|-O0"
    "gcc-O3|g++|-O3"
    "gcc-O3-avx2|g++|-O3 -mavx2 -mfma"
    "gcc-O3-native|g++|-O3 -march=native"
    "clang-O0|clang++|-O0"
    "clang-O3|clang++|-O3"
    "clang-O3-native|clang++|-O3 -march=native"
)
# The same with the processor, whose name is that of its emulator and starts that of its compiler.
builds_emulated=(
    "aarch64-O3|g++|-O3|aarch64"
    "s390x-O3|g++|-O3|s390x"
)

# generator NAME COMPILER FLAGS [PROCESSOR]: builds mxcert-generate and nothing else in build/vectors-NAME. FLAGS stand in the place of those of
# a release: no other level of optimization follows them, and assertions are on. Warnings are not errors, as GCC has false ones of
# Boost's numbers with some FLAGS.
generator() {
    local folder=$root/build/vectors-$1 prefix='' options=() c=gcc
    if [ -n "${4-}" ]; then
        prefix=$4-linux-gnu-
        options=(-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$4" -DCMAKE_EXE_LINKER_FLAGS=-static)
    fi
    if [ "$2" = clang++ ]; then c=clang; fi
    cmake -S "$root" -B "$folder" -G Ninja -DMXCERT_GENERATOR_ONLY=ON -DMXCERT_WERROR=OFF \
        -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=$3" \
        "-DCMAKE_C_COMPILER=$prefix$c" "-DCMAKE_CXX_COMPILER=$prefix$2" ${options[@]+"${options[@]}"} > /dev/null &&
        cmake --build "$folder" -j "$(jobs)" >&2
}

# digests FOLDER: a line for each of its CSV files.
digests() { (cd "$1" && find . -name '*.csv' -exec sha256sum {} + | sort); }

# compare_golden FOLDER: whether its CSV files have the digests of those in vectors/golden. Names the files that differ or are in one
# folder only, and sets `same` and `compared`.
compare_golden() {
    local committed written different
    committed=$(digests "$root/vectors/golden")
    written=$(digests "$1")
    mapfile -t different < <(comm -3 <(echo "$committed") <(echo "$written") | awk 'NF == 2 { print substr($2, 3) }' | sort -u)
    same=$(comm -12 <(echo "$committed") <(echo "$written") | grep -c . || true)
    compared=$((same + ${#different[@]}))
    if [ ${#different[@]} -gt 0 ]; then printf 'differs from vectors/golden: %s\n' "${different[@]}" >&2; fi
    [ "$same" -eq "$compared" ] && [ "$compared" -gt 0 ]
}

# check_build NAME COMPILER FLAGS [PROCESSOR]: builds, generates and compares. A row of the table on standard output.
check_build() {
    local out same=0 compared=0 run=()
    if [ -n "${4-}" ]; then run=("qemu-$4-static"); fi
    say "$1: building"
    if ! generator "$@"; then
        printf '| %s | %s | not built |\n' "$1" "$2 $3"
        return 1
    fi
    out=$(mktemp -d)
    say "$1: generating"
    if ! ${run[@]+"${run[@]}"} "$root/build/vectors-$1/bin/mxcert-generate" "$out" 2> "$out/log"; then
        cat "$out/log" >&2
        say "$1: the generator failed"
    elif compare_golden "$out"; then
        rm -r "$out"
        printf '| %s | %s | %s of %s |\n' "$1" "$2 $3" "$same" "$compared"
        return
    fi
    printf '| %s | %s | %s of %s, see %s |\n' "$1" "$2 $3" "$same" "$compared" "$out"
    return 1
}

# check_builds ROW...: a table, and a failure if a build writes other bytes.
check_builds() {
    local row name compiler flags processor bad=()
    echo "| build | compiler | files equal to vectors/golden |"
    echo "|---|---|---|"
    for row in "$@"; do
        IFS='|' read -r name compiler flags processor <<< "$row"
        if ! check_build "$name" "$compiler" "$flags" "$processor"; then bad+=("$name"); fi
    done
    if [ ${#bad[@]} -gt 0 ]; then die "other files than vectors/golden: ${bad[*]}"; fi
}

# named_builds NAME...: sets `rows` to those of builds_here with these names, all without a name.
named_builds() {
    local name row found
    rows=()
    if [ $# -eq 0 ]; then rows=("${builds_here[@]}"); fi
    for name in "$@"; do
        found=${#rows[@]}
        for row in "${builds_here[@]}"; do
            if [ "${row%%|*}" = "$name" ]; then rows+=("$row"); fi
        done
        if [ ${#rows[@]} -eq "$found" ]; then usage_error "no build '$name'; there are ${builds_here[*]%%|*}"; fi
    done
}

main() {
    local how=${1-} rows
    if [ $# -gt 0 ]; then shift; fi
    if [ "$how" = --archive ]; then
        if [ $# -ne 1 ]; then usage_error "--archive needs a folder"; fi
        build_tool
        source "$root/dev.d/package_vectors.sh"
        package_vectors "$1"
        return
    fi
    if [ "$how" = --builds ]; then
        named_builds "$@"
        ensure_packages "${build_packages[@]}" clang
        check_builds "${rows[@]}"
        return
    fi
    no_arguments "$@"
    case $how in
        --cross)
            ensure_packages "${build_packages[@]}" g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user-static
            check_builds "${builds_emulated[@]}"
            ;;
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

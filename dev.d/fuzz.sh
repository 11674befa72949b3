# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Fuzz the parsers with libFuzzer, and run the property tests with many more cases
#
# Usage: ./dev fuzz [--time SECONDS] [--target NAME] [--cases N] [--seed N] [--preset NAME] [--write]
#
#   --time SECONDS  of each libFuzzer target (if none is given: 60); two run at a time
#   --target NAME   this libFuzzer target alone, and no properties: a folder of fuzz/corpus
#   --cases N       cases a property (if none is given: 10000; the tests run 100)
#   --seed N        seed of the generators of the properties; a failure prints the one it used
#   --preset NAME   of the properties: release, debug, asan-ubsan (if none is given) or clang
#   --write         no properties; the inputs of each libFuzzer target are counted in docs/results/fuzz.json, and those that
#                   take a branch which no other one takes are added to fuzz/corpus
#
# Inputs that crash a target are kept in build/fuzz/found/artifacts, with the command that runs them again.

source "$root/dev.d/fuzz_targets.sh"

run_properties() {
    local cases=$1 seed=$2 preset=$3
    ensure_packages "${build_packages[@]}"
    ensure_packages "${clang_packages[@]}"
    build "$preset" >&2 || die "the property tests could not be built"

    export RC_PARAMS="max_success=$cases${seed:+ seed=$seed}"
    local program found=0 failed=0
    for program in "$root/build/$preset"/bin/*_test; do
        if ! has_tests "$program" '[property]'; then continue; fi
        found=$((found + 1))
        say "$(basename "$program"): $RC_PARAMS"
        "$program" '[property]' --warn NoTests || failed=$((failed + 1))
    done
    if [ $found -eq 0 ]; then die "no test program has property tests"; fi
    if [ $failed -gt 0 ]; then
        say "properties: $failed of $found programs found a failure"
        return 1
    fi
    say "properties: $found programs, no failure"
}

main() {
    local cases=10000 seed='' preset=asan-ubsan seconds=60 target='' write=no
    while [ $# -gt 0 ]; do
        case $1 in
            --cases | --seed | --time)
                if ! [[ ${2-} =~ ^[0-9]+$ ]]; then usage_error "$1 needs a number"; fi
                case $1 in
                    --cases) cases=$2 ;;
                    --seed) seed=$2 ;;
                    --time) seconds=$2 ;;
                esac
                shift
                ;;
            --target)
                if [ -z "${2-}" ]; then usage_error "--target needs a name"; fi
                target=$2
                shift
                ;;
            --preset)
                case ${2-} in
                    release | debug | asan-ubsan | clang) preset=$2 ;;
                    *) usage_error "--preset needs release, debug, asan-ubsan or clang" ;;
                esac
                shift
                ;;
            --write) write=yes ;;
            *) usage_error "unexpected argument '$1'" ;;
        esac
        shift
    done
    if [ "$cases" -eq 0 ]; then usage_error "--cases needs a number above 0"; fi
    if [ "$seconds" -eq 0 ]; then usage_error "--time needs a number above 0"; fi

    local failed=0
    # A property that fails must not keep the parsers from being fuzzed.
    if [ -z "$target" ] && [ $write = no ]; then run_properties "$cases" "$seed" "$preset" || failed=1; fi
    run_fuzz_targets "$seconds" "$target" || failed=1
    if [ $write = yes ] && [ $failed -eq 0 ]; then
        local logs=("$fuzz_folder"/*.log)
        local names=() name
        mapfile -t names < <(fuzz_target_names)
        if [ -n "$target" ]; then
            logs=("$fuzz_folder/$target.log")
            names=("$target")
        fi
        python3 "$root/dev.d/fuzz_counts.py" "$root/docs/results/fuzz.json" "${logs[@]}"
        for name in "${names[@]}"; do keep_found "$name"; done
    fi
    if [ $failed -ne 0 ]; then die "fuzz: FAILED"; fi
}

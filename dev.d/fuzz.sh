# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run the property tests with many more cases
#
# Usage: ./dev fuzz [--cases N] [--seed N] [--preset NAME]
#
#   --cases N       cases a property (if none is given: 100000; the tests run 100)
#   --seed N        seed of the generators; a failure prints the one it used
#   --preset NAME   release, debug, asan-ubsan (if none is given) or clang

main() {
    local cases=100000 seed='' preset=asan-ubsan
    while [ $# -gt 0 ]; do
        case $1 in
            --cases | --seed)
                if ! [[ ${2-} =~ ^[0-9]+$ ]]; then usage_error "$1 needs a number"; fi
                if [ "$1" = --cases ]; then cases=$2; else seed=$2; fi
                shift
                ;;
            --preset)
                case ${2-} in
                    release | debug | asan-ubsan | clang) preset=$2 ;;
                    *) usage_error "--preset needs release, debug, asan-ubsan or clang" ;;
                esac
                shift
                ;;
            *) usage_error "unexpected argument '$1'" ;;
        esac
        shift
    done
    if [ "$cases" -eq 0 ]; then usage_error "--cases needs a number above 0"; fi
    ensure_packages "${build_packages[@]}"
    if [ "$preset" = clang ]; then ensure_packages clang; fi
    build "$preset" >&2

    export RC_PARAMS="max_success=$cases${seed:+ seed=$seed}"
    local program found=0 failed=0
    for program in "$root/build/$preset"/bin/*_test; do
        if ! has_tests "$program" '[property]'; then continue; fi
        found=$((found + 1))
        say "$(basename "$program"): $RC_PARAMS"
        "$program" '[property]' --warn NoTests || failed=$((failed + 1))
    done
    if [ $found -eq 0 ]; then die "no test program has property tests"; fi
    if [ $failed -gt 0 ]; then die "$failed of $found programs found a failure"; fi
    say "$found programs, no failure"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Measure which branches of the models and vectors the tests take
#
# Usage: ./dev coverage [--kept]
#
# Builds the tests of reference/ and vectors/ in the preset coverage, runs those that are not hidden, and counts the branches of both
# libraries. Each condition has two, one for true and one for false; in templates a branch counts as taken if one instance takes it.
# Comparisons that the compiler writes (`= default`) are not counted, nor the value that no case of a switch has: -Wswitch does that.
# A branch that no test takes must be listed in dev.d/coverage/exceptions.toml with the reason.
#
#   --kept   run no test: count what the last run took
#
# Exit codes: 0 every branch is taken or listed; 1 one is neither, or a listed one is taken now or gone; 2 usage, a test failed, or
# nothing was measured.

# The tests of the two libraries, each a program.
coverage_programs=(reference_test vectors_test)

# run_counted FOLDER: runs the programs at the same time; each leaves its counters in FOLDER.
run_counted() {
    local folder=$1 program failed=0
    local -A running=()
    for program in "${coverage_programs[@]}"; do
        LLVM_PROFILE_FILE="$folder/$program-%p.profraw" "$root/build/coverage/bin/$program" > "$folder/$program.log" 2>&1 &
        running[$program]=$!
    done
    for program in "${coverage_programs[@]}"; do
        wait "${running[$program]}" || { cat "$folder/$program.log" >&2; say "$program failed"; failed=1; }
        say "$program: $(tail -n 2 "$folder/$program.log" | head -n 1)"
    done
    [ $failed -eq 0 ]
}

main() {
    local kept=no
    if [ "${1-}" = --kept ]; then
        kept=yes
        shift
    fi
    no_arguments "$@"
    local folder=$root/build/coverage/counters objects=() program
    if [ $kept = no ]; then
        ensure_packages "${build_packages[@]}" "${test_packages[@]}" "${clang_packages[@]}" llvm
        build coverage "${coverage_programs[@]}" >&2
        rm -rf "$folder"
        mkdir "$folder"
        run_counted "$folder" || exit 2
        llvm-profdata merge --sparse -o "$folder/all.profdata" "$folder"/*.profraw
    fi
    for program in "${coverage_programs[@]}"; do objects+=("$root/build/coverage/bin/$program"); done
    exec python3 -B "$root/dev.d/coverage/branches.py" "$root" --profile "$folder/all.profdata" --objects "${objects[@]}"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Check format, include direction, words, shell scripts and clang-tidy
#
# Usage: ./dev lint [--no-tidy] [REGEX]
#
#   --no-tidy   leave clang-tidy out: it takes minutes, the rest takes seconds
#   REGEX       clang-tidy only on files whose path matches

source "$root/dev.d/sources.sh"

main() {
    local tidy=yes
    if [ "${1-}" = --no-tidy ]; then
        tidy=no
        shift
    fi
    local regex=${1:-"^$root/.*"}
    if [ $# -gt 0 ]; then shift; fi
    no_arguments "$@"
    ensure_packages "${build_packages[@]}" clang clang-format clang-tidy shellcheck

    local failed=0
    local count
    count=$(sources | tr -cd '\0' | wc -c)
    if [ "$count" -eq 0 ]; then die "no source files found"; fi
    say "clang-format: $count files"
    sources | xargs -0 clang-format --dry-run -Werror || failed=1
    # What a build compiles, for the rules and for clang-tidy. Without precompiled headers: nothing is built here, so there are
    # none, and a file that asks for one is not looked at.
    local folder=$root/build/tidy
    (cd "$root" && cmake --preset clang -B "$folder" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DMXCERT_UNITY=OFF) > /dev/null
    say "include direction and file rules"
    python3 "$root/dev.d/check_tree.py" "$root" --compiled "$folder/compile_commands.json" || failed=1
    say "words"
    python3 "$root/dev.d/check_words.py" "$root" || failed=1
    say "shellcheck"
    (cd "$root" && shellcheck --external-sources --shell=bash dev .ci/run dev.d/*.sh) || failed=1
    if [ $tidy = yes ]; then
        cmake --build "$folder" --target mxcert_generated > /dev/null
        say "clang-tidy"
        run-clang-tidy -quiet -j "$(jobs)" -p "$folder" "$regex" > "$folder/tidy.log" 2>&1 || {
            sed 's/\x1b\[[0-9;]*m//g' "$folder/tidy.log" | grep -E '(^|: )(error|warning):' | sort -u || cat "$folder/tidy.log"
            failed=1
        }
        # A run that looked at no file is no pass.
        local checked
        checked=$(grep -c '^clang-tidy' "$folder/tidy.log" || true)
        if [ "$checked" -eq 0 ]; then
            say "clang-tidy looked at no file"
            failed=1
        else
            say "clang-tidy: $checked files"
        fi
    fi
    if [ $failed -ne 0 ]; then die "lint: FAILED"; fi
    say "lint: passed"
}

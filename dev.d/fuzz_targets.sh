# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Builds and runs the libFuzzer targets, for fuzz and test --exhaustive. Sourced after common.sh.

fuzz_folder=$root/build/fuzz/found

# fuzz_target_names: the targets there are, a line each: those that have a corpus.
fuzz_target_names() {
    local folder
    for folder in "$root"/fuzz/corpus/*/; do basename "$folder"; done
}

# run_fuzz_target NAME SECONDS: one target. What it finds by the way grows in build/fuzz/found/corpus; what crashes it goes to
# build/fuzz/found/artifacts.
run_fuzz_target() {
    local name=$1 seconds=$2 dictionary=$root/fuzz/dict/$1.dict
    if [ ! -f "$dictionary" ]; then dictionary=$root/fuzz/dict/names.dict; fi
    local log=$fuzz_folder/$name.log artifacts=$fuzz_folder/artifacts/$name-
    mkdir -p "$fuzz_folder/artifacts" "$fuzz_folder/corpus/$name"
    local options=(-max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -artifact_prefix="$artifacts" -print_final_stats=1
        -dict="$dictionary")
    touch "$fuzz_folder/$name.begun"
    # Stacks are looked at after their functions' return here alone: it makes the tests slower.
    if ASAN_OPTIONS=detect_stack_use_after_return=1 nice -n 10 "$root/build/fuzz/bin/fuzz_$name" "${options[@]}" "$fuzz_folder/corpus/$name" "$root/fuzz/corpus/$name" \
        > "$log" 2>&1; then
        local runs
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        if [ "${runs:-0}" -eq 0 ]; then
            say "$name: ran nothing, see $log"
            return 1
        fi
        say "$name: $runs inputs, no failure"
        return 0
    fi
    say "$name: FAILED; $log says:"
    { grep -E '^(broken promise:|SUMMARY:|==[0-9]+==ERROR:|.*runtime error:|terminate called)' "$log" || tail -n 5 "$log"; } >&2
    local artifact
    while IFS= read -r artifact; do
        say "again: build/fuzz/bin/fuzz_$name $artifact"
        say "when it is fixed, keep it: cp $artifact fuzz/corpus/$name/"
    done < <(find "$fuzz_folder/artifacts" -name "$name-*" -newer "$fuzz_folder/$name.begun")
    return 1
}

# keep_found NAME: the inputs found by the way that take a branch which no committed one takes go to fuzz/corpus.
keep_found() {
    local name=$1 before after committed=$root/fuzz/corpus/$1
    before=$(find "$committed" -type f | wc -l)
    "$root/build/fuzz/bin/fuzz_$name" -set_cover_merge=1 -use_counters=0 -rss_limit_mb=4096 "$committed" "$fuzz_folder/corpus/$name" \
        >> "$fuzz_folder/$name.log" 2>&1 || die "$name: what it found could not be merged, see $fuzz_folder/$name.log"
    after=$(find "$committed" -type f | wc -l)
    say "$name: $((after - before)) inputs added to fuzz/corpus/$name"
}

# run_fuzz_targets SECONDS [NAME]: builds, then runs all targets or one, two at a time. Fails if one does, or if none was run.
run_fuzz_targets() {
    local seconds=$1 names=() name
    mapfile -t names < <(fuzz_target_names)
    if [ -n "${2-}" ]; then
        if [[ " ${names[*]} " != *" $2 "* ]]; then usage_error "no target '$2'; there are: ${names[*]}"; fi
        names=("$2")
    fi
    if [ ${#names[@]} -eq 0 ]; then die "there is no fuzzing target"; fi
    ensure_packages "${clang_packages[@]}"
    build fuzz fuzz_targets >&2 || die "the fuzzing targets could not be built"
    local started=0 ended=0 failed=0
    while [ $ended -lt ${#names[@]} ]; do
        while [ $started -lt ${#names[@]} ] && [ $((started - ended)) -lt 2 ]; do
            run_fuzz_target "${names[$started]}" "$seconds" &
            started=$((started + 1))
        done
        wait -n || failed=$((failed + 1))
        ended=$((ended + 1))
    done
    if [ $failed -gt 0 ]; then
        say "$failed of ${#names[@]} targets found a failure"
        return 1
    fi
    say "${#names[@]} targets, $seconds s each, no failure"
}

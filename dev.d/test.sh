# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Set up, build and run the tests
#
# Usage: ./dev test [--preset NAME] [--exhaustive]
#        ./dev test --room ROOM [TEST...]
#        ./dev test --guards [WORD]
#
# Builds the presets release and asan-ubsan and runs the tests of both, then checks the program end to end: each native backend
# is certified on one conversion with every FP32 input, and on one with every boundary of FP64, and asked random batches with a
# fixed seed; the kernels for devices (./dev setup --devices, which this does too) are certified on the processor, as C and by
# OpenCL, on every FP32 input and on layouts. The implementations of others (./dev setup --peers, which this does too) are held to
# what is known of them by the tests of backends, slow ones (gfloat, jax) with --exhaustive alone. Some mutants of an
# implementation are asked what each level asks (./dev mutants --gate), and none that is wrong may escape.
#
#   --preset NAME   the tests of this preset only: release, debug, asan-ubsan, tsan or clang
#   --exhaustive    also the tests with the label exhaustive (the Debian package, functions of jax), the libFuzzer targets, a
#                   minute each, the preset tsan, the tests that run over all 2^32 inputs, every
#                   command that the documents show (./dev docs), and every conversion of every backend, which takes many hours;
#                   the implementations of others are asked random batches too. The certificates go to docs/results. Stopped
#                   and started again, it asks no conversion twice
#   --room ROOM     nothing else: the tests of one room (docs/rooms.md), or of an operation, in the preset release:
#                   observe, blocks. With TEST only those, by the patterns of Catch2
#   --guards        nothing else: what keeps a run from passing unseen (conformance/test/guards.toml) is taken out, one guard
#                   after the other, in a copy of the tree in build/guards, and a test must fail each time. About an hour. With
#                   WORD only guards with it in their words, or of that group of docs/immunity.md

# Conversions that are certified end to end in every run.
smoke_conversions=(fp32-e4m3-nearest_even-sat fp64-e5m2-nearest_even-nosat)

# The implementations of others. Where one deviates from every profile it is known, docs/implementations.md says how, and a test
# of backends_test holds it to exactly that; `deviating` are these conversions, `conforming` all others. What is in neither
# conforms as a whole.
peers=(apfloat openblas ml_dtypes gfloat gfloat_blocks gguf jax)
# Large, so ./dev setup --torch installs it where it is asked for. Where it is not here its tests are not run, and the summary
# says so; where it is here they count as any other.
optional_peers=(torchao modelopt compressed_tensors)
declare -A conforming=(
    [ml_dtypes]='fp32-e4m3* fp32-e5m2* fp16-e4m3* fp16-e5m2* bf16-e4m3* bf16-e5m2* e4m3* e5m2* e8m0-*'
    [jax]='fp*-e4m3* fp*-e5m2* bf16-e4m3* bf16-e5m2* e4m3* e5m2* e8m0-* matmul-*'
    [gfloat]='*-e4m3* *-e5m2* *-fp64-* *-fp32-* *-fp16-* *-bf16-*'
    [gfloat_blocks]='quantize-bf16-* quantize-fp32-*/elements dequantize-*'
    [modelopt]='quantize_nvfp4-* dequantize_nvfp4-*'
    [compressed_tensors]='quantize_nvfp4-* dequantize_nvfp4-*'
    [torchao]='quantize_nvfp4-* dequantize_nvfp4-* quantize-*-ocp_floor-* quantize-*-ceil-* quantize-*-even-* quantize-bf16-*-rceil-*/scale dequantize-*-fp64-* dequantize-*-fp32-* dequantize-*-bf16-*'
)
declare -A deviating=(
    [ml_dtypes]='*-e8m0-* fp64-*'
    [jax]='*-e8m0-*'
    [gfloat]='*-e8m0-*'
    [gfloat_blocks]='quantize-fp32-*/scale quantize-fp32-*/blocks quantize-fp16-*'
    [gguf]='quantize-* dequantize-*'
    [torchao]='quantize-fp32-*-rceil-*/scale'
)

# mxcert fuzz sends random batches to backends that convert value by value. jax compiles once for each size of a batch.
declare -A fuzz_cases=([portable]=200 [cuda_fp8]=500 [apfloat]=500 [ml_dtypes]=500 [gfloat]=500 [jax]=50)

# The kernels for devices that run on the processor.
devices=(kernels_host opencl)
device_patterns=(fp32-e4m3-nearest_even-sat 'bf16-e5m2-*' 'layout-swizzle_128x4-*')

source "$root/dev.d/fuzz_targets.sh"

passed=0
failed=0
failures=()
outputs=()
not_run=()

# What was begun when, in seconds from the start: the summary says where the time went.
stages=()
begun=()

# stage NAME: what runs from here to the next one.
stage() {
    stages+=("$1")
    begun+=("$SECONDS")
    say "$1"
}

# print_times: each stage and the seconds that it took.
print_times() {
    local index until
    begun+=("$SECONDS")
    echo "seconds"
    for index in "${!stages[@]}"; do
        until=${begun[index + 1]}
        printf '%7d %s\n' $((until - begun[index])) "${stages[index]}"
    done
    printf '%7d all\n' "$SECONDS"
}

# check NAME COMMAND...: one check of the summary.
check() {
    local name=$1
    shift
    stage "$name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$name")
    fi
}

# run_tests PRESET: all tests that are neither hidden nor only for --exhaustive, counted from the closing line of ctest.
run_tests() {
    local preset=$1 log=$root/build/$1/ctest.log closing some=(--label-exclude exhaustive)
    if [ "$exhaustive" = yes ]; then some=(); fi
    stage "tests, preset $preset"
    # Twice as many at a time as there are processors: many wait for processes that hang, as they should.
    (cd "$root" && env -u GITHUB_ACTIONS -u GITHUB_STEP_SUMMARY ctest --preset "$preset" -j $((2 * $(jobs))) --no-tests=error ${some[@]+"${some[@]}"}) | tee "$log" || true
    closing=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+$' "$log" || true)
    if [ -z "$closing" ]; then
        failed=$((failed + 1))
        failures+=("ctest of preset $preset did not come to its end")
        return
    fi
    local bad all skipped
    bad=$(awk '{ print $4 }' <<< "$closing")
    all=$(awk '{ print $NF }' <<< "$closing")
    skipped=$(grep -cE '\*\*\*Skipped' "$log" || true)
    local backend left_out=0
    for backend in "${optional_peers[@]}"; do
        if ! has_backend "$preset" "$backend" && grep -qE "$backend does what is known of it .*\*\*\*Skipped" "$log"; then
            left_out=$((left_out + 1))
            not_run+=("$backend does what is known of it, preset $preset (./dev setup --torch)")
        fi
    done
    # Tests of torch, of exports in Rust and of reports in a browser are left out where torch, rustc or chromium is missing.
    local name untested remedy
    while IFS='|' read -r name untested remedy; do
        if [ -n "$name" ] && grep -F "$name ." "$log" | grep -qF '***Skipped'; then
            left_out=$((left_out + 1))
            not_run+=("$untested, preset $preset ($remedy)")
        fi
    done <<< "$(optional_tests "$preset")"
    skipped=$((skipped - left_out))
    passed=$((passed + all - bad - skipped - left_out))
    failed=$((failed + bad + skipped))
    local test
    while IFS= read -r test; do
        failures+=("$test, preset $preset")
        failed_output "$preset" "${test% (*}"
    done < <(sed -n '/^The following tests FAILED:/,/^$/s/^[[:space:]]*[0-9]* - //p' "$log" | grep -v '(Skipped)$')
    # What they need was installed above: one that is skipped has not been run, and is no success.
    if [ "$skipped" -gt 0 ]; then failures+=("$skipped tests of preset $preset were skipped"); fi
}

# optional_tests PRESET: the tests that need what may not be here and is not: NAME|what is not tested then|remedy.
optional_tests() {
    if ! has_backend "$1" torchao; then
        echo "python: torch_tensors|tensors of torch in Python|./dev setup --torch"
        echo "python: certify_torch|functions of torch in Python|./dev setup --torch"
        echo "python: certify_triton|kernels of Triton in Python|./dev setup --torch"
    fi
    if ! command -v chromium > /dev/null; then echo "html: rendered|the reports in a browser|apt-get install chromium"; fi
    if ! command -v rustc > /dev/null; then echo "packaging: rust|the reader and the exports in Rust|apt-get install rustc"; fi
}

# failed_output PRESET TEST: the last lines of what it printed, kept until the summary: the output of all tests is long.
failed_output() {
    local said
    said=$(awk -v name="$2" '/^[0-9]+\/[0-9]+ Testing: / { on = substr($0, index($0, "Testing: ") + 9) == name } on' \
        "$root/build/$1/Testing/Temporary/LastTest.log" | tail -n 40)
    outputs+=("$said")
}

# has_backend PRESET NAME: whether that build has the backend.
has_backend() { [ -e "$root/build/$1/lib/mxcert/$2" ]; }

# native_backends: the names of the backends that were built and run on the processor.
native_backends() {
    local name
    for name in portable cuda_fp8; do
        if [ -f "$root/build/release/lib/mxcert/$name.so" ]; then echo "$name"; fi
    done
}

# certify_some BACKEND PATTERN...: these conversions.
certify_some() {
    local backend=$1
    shift
    # torch takes its time to be read from the disk.
    "$mxcert" certify "$backend" "${@/#/--filter=}" --level quick --start-timeout 300 --report "$root/build/report-$backend"
}

# fuzz_some BACKEND: what conforms of it, always the same cases.
fuzz_some() {
    local patterns
    read -ra patterns <<< "${conforming[$1]-}"
    "$mxcert" fuzz "$1" ${patterns[@]+"${patterns[@]/#/--filter=}"} --start-timeout 300 --seed 1 \
        --cases "${fuzz_cases[$1]}" --time 10m
}

# deviates BACKEND PATTERN...: a FAIL is expected, neither a PASS nor an ERROR. The report is kept.
deviates() {
    local backend=$1 code=0 report=$root/docs/results/$1/deviations
    shift
    "$mxcert" certify "$backend" "${@/#/--filter=}" --start-timeout 300 --keep "$root/build/kept/$backend" --report "$report" || code=$?
    # A FAIL outranks an ERROR: the code alone does not tell.
    rm -f "$report/"{junit.xml,report.html,statement.json}
    [ $code -eq 1 ] && python3 -c 'import json, sys
counts = json.load(open(sys.argv[1]))["counts"]
sys.exit(any(count for status, count in counts.items() if status not in ("PASS", "FAIL")))' "$report/report.json"
}

# certify_all BACKEND: every conversion, kept as a certificate. What is of FP64 can only be asked a sample: it has a report of its own.
certify_all() {
    local folder=$root/docs/results/$1 without=()
    if "$mxcert" backends "$1" | grep -qE '^ +([a-z0-9]+ )*fp64 ([a-z0-9]+ )*->'; then
        without=(--leave-out 'fp64-*')
        "$mxcert" certify "$1" --level complete --filter 'fp64-*' --report "$folder/fp64" && rm "$folder/fp64/"{junit.xml,report.html,statement.json} || return
    fi
    "$mxcert" certify "$1" --level complete "${without[@]}" --keep "$root/build/kept/$1" --report "$folder" &&
        rm "$folder/"{junit.xml,report.html,statement.json} || return
    # The certificate is the report of a PASS; a run that agrees has a report alone.
    if [ -f "$folder/certificate.json" ]; then rm "$folder/report.json"; fi
}

# conforms BACKEND PATTERN...: these conversions pass. A part is not a certificate: its report is kept.
conforms() {
    local backend=$1
    shift
    "$mxcert" certify "$backend" "${@/#/--filter=}" --start-timeout 300 --keep "$root/build/kept/$backend" \
        --report "$root/docs/results/$backend/conforming" && rm "$root/docs/results/$backend/conforming/"{junit.xml,report.html,statement.json}
}

# certify_peer BACKEND: every conversion of the implementation of others.
certify_peer() {
    if [ -z "${conforming[$1]-}${deviating[$1]-}" ]; then
        check "certify $1, everything" certify_all "$1"
        return
    fi
    local patterns
    if [ -n "${conforming[$1]-}" ]; then
        read -ra patterns <<< "${conforming[$1]}"
        check "certify $1, ${patterns[*]}" conforms "$1" "${patterns[@]}"
    fi
    if [ -z "${deviating[$1]-}" ]; then return; fi
    read -ra patterns <<< "${deviating[$1]}"
    check "$1 deviates, ${patterns[*]}" deviates "$1" "${patterns[@]}"
}

# fuzz_parsers: every libFuzzer target. In a shell of its own: what stops it must not stop the summary.
fuzz_parsers() (run_fuzz_targets 60)

# mutants_smoke: always the same mutants, for two minutes at most.
mutants_smoke() {
    python3 "$root/dev.d/mutants" --root "$root" --gate --target fp32_e4m3 --target mxfp8_quantizer --sample 40 --time 110
}

# shard_engines: the examples of docs/shards.md, each by its engine. One that cannot run here is neither passed nor failed.
shard_engines() {
    local engine code
    for engine in slurm parallel mpi snakemake; do
        stage "a run in parts by $engine"
        code=0
        PATH="$root/build/release/bin:$PATH" "$root/docs/examples/shards/test.sh" "$engine" || code=$?
        case $code in
            0) passed=$((passed + 1)) ;;
            77) not_run+=("a run in parts by $engine (docs/shards.md)") ;;
            *)
                failed=$((failed + 1))
                failures+=("a run in parts by $engine")
                ;;
        esac
    done
}

# exhaustive_tests: the hidden tests of every test program that has any.
exhaustive_tests() {
    local program found=0
    for program in "$root"/build/release/bin/*_test; do
        if ! has_tests "$program" '[exhaustive]'; then continue; fi
        found=$((found + 1))
        check "$(basename "$program") [exhaustive]" "$program" '[exhaustive]' --warn NoTests --durations yes
    done
    if [ $found -eq 0 ]; then die "no test program has exhaustive tests"; fi
}

# test_room ROOM [TEST...]: builds the test program of a room and runs it.
test_room() {
    local room=${1-} rooms
    if [ -z "$room" ]; then usage_error "--room needs the name of a room: observe"; fi
    ensure_packages "${build_packages[@]}" "${test_packages[@]}"
    configure release > /dev/null
    rooms=$(ninja -C "$root/build/release" -t targets all | sed -n 's/^\([a-z0-9_]*\)_test: phony$/\1/p' | sort)
    if ! grep -qxF "$room" <<< "$rooms"; then
        local suggestion
        # shellcheck disable=SC2086 # a word each
        suggestion=$(nearest_word "$room" $rooms)
        usage_error "no room '$room' with tests${suggestion:+: did you mean $suggestion?}"
    fi
    build release "${room}_test"
    "$root/build/release/bin/${room}_test" "${@:2}" --warn NoTests
}

main() {
    # The program takes a signal as a request to stop; so does this.
    trap 'exit 130' INT TERM
    if [ "${1-}" = --guards ]; then
        if [ $# -gt 2 ]; then usage_error "unexpected argument '$3'"; fi
        ensure_packages "${build_packages[@]}" "${test_packages[@]}"
        exec python3 "$root/dev.d/remove_guards.py" "$root" --build "$root/build/guards" ${2+--only "$2"}
    fi
    if [ "${1-}" = --room ]; then
        test_room "${@:2}"
        return
    fi
    local presets=(release asan-ubsan) exhaustive=no
    while [ $# -gt 0 ]; do
        case $1 in
            --exhaustive) exhaustive=yes ;;
            --preset)
                case ${2-} in
                    release | debug | asan-ubsan | tsan | clang) presets=("$2") ;;
                    *) usage_error "--preset needs release, debug, asan-ubsan, tsan or clang" ;;
                esac
                shift
                ;;
            *) usage_error "unexpected argument '$1'" ;;
        esac
        shift
    done

    if [ $exhaustive = yes ] && [ ${#presets[@]} -gt 1 ]; then presets+=(tsan); fi

    stage "packages"
    ensure_packages "${build_packages[@]}" "${test_packages[@]}" "${clang_packages[@]}"
    if [ $exhaustive = yes ]; then ensure_packages chromium rustc; fi
    # Fetching the implementations of others takes as long as building: the last preset is built meanwhile, without them. CMake
    # looks around before and after, since it remembers what it finds half installed.
    local last=${presets[-1]} others=$root/build/others.log installing preset backend
    configure "$last"
    (install_peers; install_devices) > "$others" 2>&1 &
    installing=$!
    # shellcheck disable=SC2064 # the number of this one
    trap "kill $installing 2> /dev/null || true" EXIT
    stage "build, preset $last, without the implementations of others"
    build_configured "$last"
    stage "the implementations of others"
    wait "$installing" || {
        cat "$others" >&2
        die "the implementations of others could not be installed"
    }
    trap - EXIT
    for preset in "${presets[@]}"; do
        stage "build, preset $preset"
        build "$preset"
    done
    for preset in "${presets[@]}"; do run_tests "$preset"; done

    if [ "${presets[0]}" = release ]; then
        local backends
        backends=$(native_backends)
        if [ -z "$backends" ]; then die "no native backend was built"; fi
        for backend in $backends; do
            check "certify $backend at level quick, ${smoke_conversions[*]}" certify_some "$backend" "${smoke_conversions[@]}"
        done
        # One that is not there fails: it was installed above.
        for backend in "${optional_peers[@]}"; do
            if has_backend release "$backend"; then
                peers+=("$backend")
            else
                not_run+=("certify $backend (./dev setup --torch)")
            fi
        done
        for backend in "${devices[@]}"; do
            check "certify $backend, ${device_patterns[*]}" certify_some "$backend" "${device_patterns[@]}"
        done
        for backend in $backends; do check "fuzz $backend, ${fuzz_cases[$backend]} cases" fuzz_some "$backend"; done
        check "mutants, and none that is wrong escapes" mutants_smoke
        if [ $exhaustive = yes ]; then
            exhaustive_tests
            check "fuzzing the parsers" fuzz_parsers
            check "the commands in the documents" "$root/dev" docs
            shard_engines
            for backend in "${devices[@]}"; do check "certify $backend, everything" certify_all "$backend"; done
            for backend in $backends; do check "certify $backend, everything" certify_all "$backend"; done
            for backend in "${peers[@]}"; do
                certify_peer "$backend"
                if [ -n "${fuzz_cases[$backend]-}" ]; then
                    check "fuzz $backend, ${fuzz_cases[$backend]} cases" fuzz_some "$backend"
                fi
            done
            if [ $failed -eq 0 ]; then rm -rf "$root/build/kept"; fi # the next run asks again
        fi
    elif [ $exhaustive = yes ]; then
        usage_error "--exhaustive runs in the preset release only"
    fi

    print_times
    local output failure
    for output in ${outputs[@]+"${outputs[@]}"}; do printf '\n%s\n\n' "$output"; done
    for failure in ${failures[@]+"${failures[@]}"}; do say "FAILED: $failure"; done
    local left_out
    for left_out in ${not_run[@]+"${not_run[@]}"}; do say "NOT RUN, neither passed nor failed: $left_out"; done
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}

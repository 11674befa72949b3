#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Certifies a backend in parts by an engine, with parts that are killed on the way, and compares the merged report with
# that of one run: test.sh slurm|parallel|mpi|snakemake
#
# mxcert has to be in the PATH, beside ../lib/mxcert/portable.so. Exit codes: 0 the same; 1 not; 77 the engine cannot run
# here: UNTESTED.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
engine=${1:-}
slurm=
killer=
finish() {
    [ -z "$killer" ] || kill "$killer" 2> /dev/null || true
    [ -z "$slurm" ] || "$here/slurm/local_slurm.sh" stop "$slurm"
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

untested() { echo "UNTESTED: $engine: $1"; exit 77; }
failed() { echo "FAIL: $engine: $1"; exit 1; }
need() { command -v "$1" > /dev/null || untested "there is no $1: $2"; }

# A backend whose workers take their time to start: a part can be killed while it runs.
program=$(command -v mxcert) || failed "there is no mxcert in the PATH"
bin=$(dirname "$program")
cat > "$work/slow" << SLOW
#!/bin/sh
sleep 0.2
exec "$bin/mxcert-worker" "$bin/../lib/mxcert/portable.so"
SLOW
chmod +x "$work/slow"
set -- "$work/slow" --level quick --profile ocp --filter 'fp16-e?m?-nearest_even-*' \
    --filter 'layout-swizzle_128x4-arrange*'

# The process that asks a part, if it runs now.
asker_of() {
    for pid in $(pgrep -x mxcert); do
        if tr '\0' '\n' 2> /dev/null < "/proc/$pid/cmdline" | grep -qx -- "$dir/parts/$1"; then echo "$pid"; fi
    done
}

# Kills the asker of a part as soon as there is one.
kill_part() {
    tries=0
    while [ $tries -lt 600 ]; do
        pid=$(asker_of "$1")
        if [ -n "$pid" ]; then
            # shellcheck disable=SC2086 # one number, or several
            kill -9 $pid 2> /dev/null && echo "part $1 killed" && return 0
        fi
        sleep 0.05
        tries=$((tries + 1))
    done
    failed "part $1 did not run"
}

single() { mxcert certify "$@" --report "$work/single" --quiet > "$work/log" || failed "alone: $(tail -n 3 "$work/log")"; }

compare() {
    [ -s "$dir/report/report.json" ] || failed "no report: $(tail -n 3 "$dir"/log/* 2> /dev/null)"
    python3 "$here/same_report.py" "$work/single/report.json" "$dir/report/report.json" || failed "another report"
    [ "$(find "$dir/parts" -mindepth 1 -maxdepth 1 | wc -l)" -eq 4 ] || failed "not four parts"
    echo "PASS: $engine"
}

dir=$work/run
mkdir "$dir"
case $engine in
slurm)
    need sbatch "apt-get install slurm-wlm munge"
    slurm=$work/slurm
    chmod 755 "$work"
    "$here/slurm/local_slurm.sh" start "$slurm" 4 > /dev/null || { code=$?; [ $code -eq 77 ] && exit 77; exit 1; }
    export SLURM_CONF="$slurm/slurm.conf"
    wait_for() {
        tries=0
        while [ -n "$(squeue --noheader 2> /dev/null)" ]; do
            sleep 0.5
            tries=$((tries + 1))
            [ $tries -lt 600 ] || failed "the jobs do not end: $(squeue)"
        done
    }
    single "$@"
    jobs=$("$here/slurm/submit.sh" 4 "$dir" "$@")
    # One is killed and goes on; the whole job of another one is, and is missing then.
    kill_part 1
    scancel "${jobs% *}_2"
    wait_for
    grep -q "part 1 ended with 137, try 1" "$dir/log/part-1.txt" || failed "part 1 was not asked again"
    grep -q "^part 2 of 4 is without" "$dir/log/merge.txt" || failed "part 2 is not missing: $(cat "$dir/log/merge.txt")"
    grep -q "shard 2/4" "$dir/log/merge.txt" || failed "no command for part 2"
    "$here/slurm/submit.sh" 4 "$dir" "$@" > /dev/null
    wait_for
    compare
    ;;
parallel)
    need parallel "apt-get install parallel"
    single "$@"
    kill_part 2 &
    killer=$!
    "$here/parallel/certify.sh" 4 "$dir" "$@" > /dev/null || true
    wait "$killer" || failed "no part was killed"
    compare
    ;;
mpi)
    need mpirun "apt-get install openmpi-bin"
    single "$@"
    # As root in a container, with as many ranks as are wanted.
    export MXCERT_MPIRUN="mpirun --allow-run-as-root --oversubscribe"
    kill_part 3 &
    killer=$!
    "$here/mpi/certify.sh" 2 4 "$dir" "$@" > "$work/first" || true
    wait "$killer" || failed "no part was killed"
    grep -q "^part 3 of 4 is without" "$work/first" || failed "part 3 is not missing: $(cat "$work/first")"
    "$here/mpi/certify.sh" 2 4 "$dir" "$@" > /dev/null || true
    compare
    ;;
snakemake)
    need snakemake "pip install snakemake"
    single "$@"
    backend=$1
    shift
    options=
    for option; do options="$options '$option'"; done
    cat > "$work/config.yaml" << CONFIG
backend: $backend
parts: 4
dir: $dir
options: "$options"
CONFIG
    kill_part 2 &
    killer=$!
    (cd "$work" && snakemake --snakefile "$here/snakemake/Snakefile" --cores 2 --retries 2 --quiet \
        --configfile config.yaml) > "$work/log" 2>&1 || failed "$(tail -n 30 "$work/log")"
    wait "$killer" || failed "no part was killed"
    compare
    ;;
*)
    echo "usage: test.sh slurm|parallel|mpi|snakemake" >&2
    exit 2
    ;;
esac

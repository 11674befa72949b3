# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run the benchmarks and print their ratios
#
# Usage: ./dev bench [--write] [--short] | --page | OPTIONS
#
#   --write   measures whole runs of mxcert too, and writes the tables of docs/performance.md: most of an hour
#   --page    writes the tables of the last measurement again: where a reason was missing, or the page's form has changed
#   --short   leaves out the runs that take minutes; without --write it prints the tables
#   OPTIONS   of Google Benchmark, --benchmark_filter=REGEX for example; they go to every benchmark program
#
# Only ratios within one run mean anything: run it on an idle machine. Those of Python need numpy, one of them ml_dtypes
# (./dev setup --peers).

# numpy_python: a Python that has numpy; nothing if there is none.
numpy_python() {
    local python
    for python in "$root/.venv/bin/python" /usr/bin/python3; do
        if "$python" -c "import numpy" 2> /dev/null; then
            echo "$python"
            return
        fi
    done
}

main() {
    local how=() python
    while [[ ${1-} == --write || ${1-} == --page || ${1-} == --short ]]; do
        how+=("$1")
        shift
    done
    if [ ${#how[@]} -gt 0 ]; then no_arguments "$@"; fi
    if [ "${how[*]}" = --page ]; then exec python3 -B "$root/dev.d/bench/performance.py" --page; fi
    ensure_packages "${build_packages[@]}"
    build release >&2
    python=$(numpy_python)
    if [ ${#how[@]} -gt 0 ]; then
        exec python3 -B "$root/dev.d/bench/performance.py" "${how[@]}" ${python:+--python "$python"}
    fi
    local program found=0 missed=0
    for program in "$root"/build/release/bin/*_bench; do
        if [ ! -x "$program" ]; then continue; fi
        found=$((found + 1))
        "$program" "$@" || missed=$((missed + 1))
    done
    # The kernels on devices, where there is one (3: there is none).
    for program in "$root"/build/release/bin/*_speed; do
        if [ ! -x "$program" ]; then continue; fi
        "$program" || [ $? -eq 3 ] || missed=$((missed + 1))
    done
    if [ -n "$python" ]; then
        PYTHONPATH=$root/python MXCERT_LIBRARY=$root/build/release/lib/libmxcert.so MXCERT_PROGRAM=$root/build/release/bin/mxcert \
            "$python" -B "$root/python/bench/python_bench.py" || missed=$((missed + 1))
    fi
    if [ $found -eq 0 ]; then die "no benchmark program was built"; fi
    if [ $missed -gt 0 ]; then die "$missed benchmark programs missed a ratio"; fi
}

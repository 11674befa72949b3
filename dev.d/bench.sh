# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run the benchmarks and print their ratios
#
# Usage: ./dev bench [OPTIONS]
#
#   OPTIONS   of Google Benchmark, --benchmark_filter=REGEX for example; they go to every benchmark program
#
# Only ratios within one run mean anything: run it on an idle machine. Those of Python need numpy, one of them ml_dtypes
# (./dev setup --peers).

main() {
    ensure_packages "${build_packages[@]}"
    build release >&2
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
    local python
    for python in "$root/.venv/bin/python" /usr/bin/python3; do
        if ! "$python" -c "import numpy" 2> /dev/null; then continue; fi
        PYTHONPATH=$root/python MXCERT_LIBRARY=$root/build/release/lib/libmxcert.so MXCERT_PROGRAM=$root/build/release/bin/mxcert \
            "$python" -B "$root/python/bench/python_bench.py" || missed=$((missed + 1))
        break
    done
    if [ $found -eq 0 ]; then die "no benchmark program was built"; fi
    if [ $missed -gt 0 ]; then die "$missed benchmark programs missed a ratio"; fi
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the commands share. Sourced by dev, which sets `root` to the absolute path of the source tree.

# What a configured build needs on Debian 12.
build_packages=(
    build-essential cmake ninja-build ccache python3
    libboost-dev catch2 librapidcheck-dev libfccp-dev libcli11-dev libfmt-dev nlohmann-json3-dev libpugixml-dev
    libbenchmark-dev libssl-dev zlib1g-dev
)

# What the tests run besides: simulators of Verilog and VHDL, a prover of hardware, an assembler of RISC-V, what asks for installed libraries, and what packages,
# reads and checks what the program writes. Without one of them a test is skipped, and says so.
test_packages=(iverilog verilator ghdl yosys binutils-riscv64-unknown-elf pkg-config file groff-base shellcheck python3-jsonschema
               zsh fish)
# Clang with its sanitizers and libFuzzer, which it only recommends.
clang_packages=(clang libclang-rt-14-dev lld)

say() { printf 'dev: %s\n' "$*" >&2; }

# usage_error MESSAGE: a bad argument.
usage_error() {
    say "$1"
    exit 2
}

die() {
    say "$1"
    exit 1
}

# no_arguments "$@": for commands that take none.
no_arguments() {
    if [ $# -gt 0 ]; then usage_error "unexpected argument '$1'"; fi
}

# help_text FILE: the opening comment of a command's file, without the licence line and directives to shellcheck.
help_text() {
    awk '!/^#/ { exit } /^# (SPDX|shellcheck)/ { next } { sub(/^# ?/, ""); print }' "$1"
}

# nearest_word WORD CANDIDATE...: the candidate within two edits of WORD, the nearest first; else one that starts as WORD does;
# nothing if there is none.
nearest_word() {
    awk -v word="$1" 'BEGIN {
        best = 3
        for (k = 2; k < ARGC; ++k) {
            d = distance(word, ARGV[k])
            if (d < best) { best = d; found = ARGV[k] }
            if (length(word) > 1 && index(ARGV[k], word) == 1 && prefix == "") prefix = ARGV[k]
        }
        if (found == "") found = prefix
        print found
    }
    function distance(a, b,    i, j, row, previous, above, cost) {
        for (j = 0; j <= length(b); ++j) row[j] = j
        for (i = 1; i <= length(a); ++i) {
            previous = row[0]
            row[0] = i
            for (j = 1; j <= length(b); ++j) {
                above = row[j]
                cost = previous + (substr(a, i, 1) != substr(b, j, 1))
                if (above + 1 < cost) cost = above + 1
                if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1
                row[j] = cost
                previous = above
            }
        }
        return row[length(b)]
    }' "$@"
}

# ensure_packages PACKAGE...: installs with apt-get what is missing, and says so. Without apt-get it leaves the finding to
# CMake, which names the first part that is missing.
ensure_packages() {
    if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
        say "no apt-get here: nothing is installed. Needed, by their Debian names: $*"
        return
    fi
    local installed package
    local missing=()
    # With and without its architecture, as a caller may name it.
    installed=$(dpkg-query --show \
        --showformat='${db:Status-Status} ${Package}\n${db:Status-Status} ${Package}:${Architecture}\n' "$@" 2> /dev/null || true)
    for package in "$@"; do
        if ! grep -qxF "installed $package" <<< "$installed"; then missing+=("$package"); fi
    done
    if [ ${#missing[@]} -eq 0 ]; then return; fi

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo > /dev/null; then
            die "these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
        fi
        # Without a terminal a question for the password would wait forever.
        as_root=(sudo)
        if [ ! -t 0 ]; then as_root=(sudo -n); fi
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
    say "installing ${missing[*]}"
    # A source of packages that cannot be reached need not be the one that has them: the installation decides.
    "${apt[@]}" --quiet=2 update < /dev/null >&2 || say "apt-get update failed; trying with the lists there are"
    "${apt[@]}" --quiet=2 --yes --no-install-recommends install "${missing[@]}" < /dev/null >&2 ||
        die "apt-get could not install ${missing[*]}"
}

# The implementations of others that are certified beside our own, pinned: a certificate names the version it is about.
peer_packages=(llvm-19-dev libopenblas-dev python3-venv)
peer_wheels=(numpy==2.4.6 ml_dtypes==0.6.0 gfloat==0.5.2 gguf==0.19.0 jax==0.10.2 jaxlib==0.10.2 pytest==9.2.0
    cocotb==2.1.0)
cuda_wheels=(nvidia-cuda-runtime==13.0.96)
# What the backends for devices are built with, and PoCL, which makes a device of the processor. NVIDIA's compiler comes from
# PyPI under NVIDIA's licence, 0.25 GB on disk, and so does cuBLASLt, 0.6 GB.
device_packages=(ocl-icd-opencl-dev opencl-c-headers pocl-opencl-icd clang-19 clang-tools-19 lld-19 llvm-19 libamdhip64-dev
    python3-venv)
device_wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
    nvidia-cublas==13.1.0.3)
# Large, so they are installed only where they are asked for.
torch_wheels=(numpy==2.4.6 torch==2.15.0 torchao==0.18.0 nvidia-modelopt==0.47.0 compressed-tensors==0.20.0
    requests==2.34.2) # ModelOpt imports it without asking for it

# install_wheels WHEEL...: from PyPI into .venv, which is made if it is not there. Needs python3-venv. Python compiles a module when
# it is first imported: most never are.
install_wheels() {
    if [ ! -x "$root/.venv/bin/pip" ]; then /usr/bin/python3 -m venv "$root/.venv"; fi
    "$root/.venv/bin/pip" install --quiet --disable-pip-version-check --no-compile "$@" || die "pip could not install $*"
}

install_peers() {
    ensure_packages "${peer_packages[@]}"
    install_wheels "${peer_wheels[@]}"
}

install_devices() {
    ensure_packages "${device_packages[@]}"
    install_wheels "${device_wheels[@]}"
}

jobs() { echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"; }

# configure PRESET: writes build/PRESET again if it is of another place, and lets CMake look for what has come since.
configure() {
    local cache=$root/build/$1/CMakeCache.txt
    if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        say "build/$1 was made for another source folder: starting it again"
        rm -rf "${root:?}/build/$1"
    fi
    (cd "$root" && cmake --preset "$1")
}

# build PRESET [TARGET...]: configures and compiles; without TARGET everything.
build() {
    local preset=$1
    shift
    configure "$preset"
    build_configured "$preset" "$@"
}

# build_configured PRESET [TARGET...]: the same without asking CMake to look for what has come since.
build_configured() {
    local preset=$1
    shift
    # Clang takes an eighth less time with memory in large pages.
    (cd "$root" && GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build --preset "$preset" -j "$(jobs)" ${1:+--target "$@"})
}

# What the program needs at run time, as targets of Ninja: the program, the worker and the backends, no tests.
tool_targets=(conformance/cli/all conformance/worker/all conformance/backends/all)

mxcert=$root/build/release/bin/mxcert

# build_tool [TARGET...]: the program of the release preset and these targets, up to date, silently. What went wrong is shown.
build_tool() {
    local log
    log=$(mktemp)
    if [ ! -f "$root/build/release/build.ninja" ]; then
        say "first use: building (build/release)"
        ensure_packages "${build_packages[@]}"
        configure release > "$log" 2>&1 || { cat "$log" >&2; rm "$log"; die "the configuration failed"; }
    fi
    cmake --build "$root/build/release" -j "$(jobs)" --target "${tool_targets[@]}" "$@" > "$log" 2>&1 ||
        { cat "$log" >&2; rm "$log"; die "the build failed"; }
    rm "$log"
}

# has_tests PROGRAM TAG: whether a test program has test cases with that tag. Its exit code is their number, so it says nothing.
has_tests() { [ -n "$("$1" "$2" --list-test-names-only || true)" ]; }

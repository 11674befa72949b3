# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Install the Debian packages that are missing
#
# Usage: ./dev setup [--cuda] [--devices] [--peers] [--torch]
#
# Needs root or sudo only if something is missing. Needs no terminal.
#
#   --cuda    also fetch NVIDIA's CUDA headers from PyPI into .venv, for machines without a CUDA toolkit. They come under
#             NVIDIA's licence. The backend cuda_fp8 is then built at the next ./dev build.
#   --devices also install OpenCL with PoCL, HIP with Clang, and nvcc and cuBLASLt from PyPI into .venv, 1.6 GB on disk. The
#             backends opencl, hip, cuda and cublaslt are then there at the next ./dev build. No device is needed to build them.
#   --peers   also install LLVM's libraries and OpenBLAS, and ml_dtypes, gfloat, gguf and jax from PyPI into .venv, 0.6 GB on disk.
#             The backends apfloat, openblas, ml_dtypes, gfloat, gfloat_blocks, gguf and jax are then there at the next ./dev build.
#   --torch   also install torch and torchao from PyPI into .venv: 3.0 GB to fetch and 5.4 GB on disk, because PyPI has torch
#             with CUDA alone. The backend torchao is then there at the next ./dev build.

main() {
    local cuda=no devices=no peers=no torch=no
    while [ $# -gt 0 ]; do
        case $1 in
            --cuda) cuda=yes ;;
            --devices) devices=yes ;;
            --peers) peers=yes ;;
            --torch) torch=yes ;;
            *) usage_error "unexpected argument '$1'" ;;
        esac
        shift
    done
    ensure_packages "${build_packages[@]}"
    if [ $cuda = yes ]; then
        ensure_packages python3-venv
        install_wheels "${cuda_wheels[@]}"
        say "CUDA headers: $(find "$root/.venv" -name cuda_fp8.h)"
    fi
    if [ $devices = yes ]; then install_devices; fi
    if [ $peers = yes ]; then install_peers; fi
    if [ $torch = yes ]; then
        ensure_packages python3-venv
        install_wheels "${torch_wheels[@]}"
    fi
    say "everything that a build needs is installed"
}

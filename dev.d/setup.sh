# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Install the Debian packages that are missing
#
# Usage: ./dev setup [--cuda]
#
# Needs root or sudo only if something is missing. Needs no terminal.
#
#   --cuda   also fetch NVIDIA's CUDA headers from PyPI into .venv, for machines without a CUDA toolkit. They come under
#            NVIDIA's licence. The backend cuda_fp8 is then built at the next ./dev build.

main() {
    local cuda=no
    if [ "${1-}" = --cuda ]; then
        cuda=yes
        shift
    fi
    no_arguments "$@"
    ensure_packages "${build_packages[@]}"
    if [ $cuda = yes ]; then
        ensure_packages python3-venv
        if [ ! -x "$root/.venv/bin/pip" ]; then /usr/bin/python3 -m venv "$root/.venv"; fi
        # Pinned: a certificate names the version of the header it is about.
        "$root/.venv/bin/pip" install --quiet --disable-pip-version-check nvidia-cuda-runtime==13.0.96
        say "CUDA headers: $(find "$root/.venv" -name cuda_fp8.h)"
    fi
    say "everything that a build needs is installed"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The solver of ./dev prove-c and ./dev stuck-at, from wheels whose SHA-256 is known.

# run_with_solver PROGRAM [ARGUMENT...]: a Python program with the packages of dev.d/prove_c/requirements.txt.
run_with_solver() {
    ensure_packages python3-venv
    local tools=$root/build/prove_c
    local lock=$root/dev.d/prove_c/requirements.txt
    if ! cmp -s "$lock" "$tools/installed"; then
        rm -rf "$tools"
        /usr/bin/python3 -m venv "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$lock" || die "pip could not install $lock"
        cp "$lock" "$tools/installed"
    fi
    PYTHONDONTWRITEBYTECODE=1 exec "$tools/bin/python" "$@"
}

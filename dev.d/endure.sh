# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Kill runs at random and start them again, and let one run for long
#
# Usage: ./dev endure [--kills N] [--way WAY] [--seed N] [--soak SECONDS] [--write]
#
# Runs of `mxcert certify` that keep their answers are killed at random times and started again, until one ends by itself. Its
# report must then be that of a run that nobody killed, no process may be left, and no file may be half written.
#
#   --kills N       kills of all ways together (1000); 0: none
#   --way WAY       this way alone, repeatable: harness, worker, parts, merge, clock, disk, slurm
#   --seed N        of the random times (1)
#   --soak SECONDS  then a run of `mxcert fuzz` of this length, whose memory and descriptors must not grow
#   --write         write docs/results/endure.json; what was not run this time stays
#
# Needs what its ways need: faketime for the clock, slurm-wlm and munge for slurm, user namespaces for the disk. A way that cannot be
# run is UNTESTED.
#
# Exit codes: 0 all held; 1 something was lost or left; 2 usage; 3 a way could not be run.

main() {
    build_tool
    exec python3 -B "$root/dev.d/endure/endure.py" "$@"
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Certifies a backend where only mpirun starts programs on the nodes, and merges the parts:
#
#     certify.sh RANKS PARTS DIR BACKEND [OPTION OF CERTIFY...]
#
# Rank r asks the parts r + 1, r + 1 + RANKS, ... DIR is on a file system that all nodes have. $MXCERT_MPIRUN: the
# command with its options ("mpirun"). If a rank is killed, mpirun ends all of them: started again with the same
# arguments, they ask only what is missing. Exit code: that of the merge.
set -u

if [ "${1:-}" = --rank ]; then
    shift
    ranks=$1 parts=$2 dir=$3
    shift 3
    # Open MPI, and what speaks PMI or runs under Slurm.
    rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?no rank is known}}}
    part=$((rank + 1))
    while [ "$part" -le "$parts" ]; do
        # The merge tells of one that failed.
        mxcert certify "$@" --jobs 1 --quiet --shard "$part/$parts" --keep "$dir/parts/$part" || true
        part=$((part + ranks))
    done
    exit 0
fi

[ $# -ge 4 ] || { echo "usage: certify.sh RANKS PARTS DIR BACKEND [OPTION...]" >&2; exit 2; }
ranks=$1 parts=$2
mkdir -p "$3/parts" "$3/log" || exit 2
dir=$(cd "$3" && pwd)
shift 3
# shellcheck disable=SC2086 # a command with options
${MXCERT_MPIRUN:-mpirun} -n "$ranks" "$0" --rank "$ranks" "$parts" "$dir" "$@" > "$dir/log/parts.txt" 2>&1
exec mxcert merge "$dir"/parts/* --report "$dir/report"

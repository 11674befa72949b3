#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Certifies a backend by a Slurm job array, and merges its parts:
#
#     submit.sh PARTS DIR BACKEND [OPTION OF CERTIFY...]
#
# DIR is on a file system that all nodes have. It gets parts/, a folder a part, log/ and, from the merge, report/. Started
# again with the same arguments it asks only what is missing. $MXCERT_CPUS: cores of a part (1); $MXCERT_SBATCH: more
# options of sbatch, as for a partition or an account. Prints the numbers of the two jobs.
set -eu

[ $# -ge 3 ] || { echo "usage: submit.sh PARTS DIR BACKEND [OPTION...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
parts=$1
mkdir -p "$2/parts" "$2/log"
dir=$(cd "$2" && pwd)
shift 2
# shellcheck disable=SC2086 # several options in one variable
array=$(sbatch --parsable --array="1-$parts" --cpus-per-task="${MXCERT_CPUS:-1}" --output="$dir/log/part-%a.txt" \
    ${MXCERT_SBATCH:-} "$here/part.sh" "$dir" "$parts" "$@")
# After any end: where a part failed, the merge says which one, and how to ask it.
# shellcheck disable=SC2086
merge=$(sbatch --parsable --dependency="afterany:$array" --output="$dir/log/merge.txt" ${MXCERT_SBATCH:-} \
    "$here/merge.sh" "$dir")
echo "$array $merge"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One task of the job array of submit.sh: part.sh DIR PARTS BACKEND [OPTION...]
#SBATCH --job-name=mxcert-part
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

dir=$1 parts=$2 backend=$3
shift 3
part=$SLURM_ARRAY_TASK_ID
mxcert certify "$backend" "$@" --jobs "${SLURM_CPUS_PER_TASK:-1}" --quiet \
    --shard "$part/$parts" --keep "$dir/parts/$part"
code=$?
# A part that was killed, or whose backend crashed, goes on where it was: three times, on whichever node.
case $code in
3 | 13? | 14?)
    if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
        echo "part $part ended with $code: queued again"
        scontrol requeue "${SLURM_ARRAY_JOB_ID}_$part" && exit 0
    fi
    ;;
esac
exit "$code"

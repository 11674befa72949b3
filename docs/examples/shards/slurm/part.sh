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
# A part that was killed, or whose backend crashed, goes on where it was. If the node fails, Slurm queues it again.
for try in 1 2 3; do
    mxcert certify "$backend" "$@" --jobs "${SLURM_CPUS_PER_TASK:-1}" --quiet \
        --shard "$part/$parts" --keep "$dir/parts/$part"
    code=$?
    [ "$code" -eq 3 ] || [ "$code" -gt 128 ] || break
    echo "part $part ended with $code, try $try"
done
exit "$code"
